#!/bin/bash
# Every library that CMake requires is installed by jobs/setup.sh, by the container and by the Spack package, which has
# the form of Spack 1.0 (read here with stand-ins for Spack's modules). Fails when a new dependency is forgotten in one,
# or when the version is not the same everywhere.
. "$(dirname "$0")/lib.sh"
cd "$source" || exit 2

version=$(sed -n 's/^project(wring VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
grep -qx "version: $version" CITATION.cff || fail "CITATION.cff is not of version $version"
grep -q "image.version=\"$version\"" jobs/container/Containerfile || fail "Containerfile is not of version $version"
grep -m 1 '^## [0-9]' CHANGELOG.md | grep -q "^## $version\b" || fail "CHANGELOG.md: the newest version is not $version"
package=jobs/spack/spack_repo/wring/packages/wring/package.py

# lines "Debian packages|Spack packages" of wring_require
sed -n '/^ *wring_require(/{:a;/)$/!{N;ba};s/\n */ /g;p}' cmake/WringDependencies.cmake |
  grep -oP '("[^"]*"|[^" ]+) ("[^"]*"|[^" ]+)\)$' |
  sed 's/"\([^"]*\)" \([^)]*\))$/\1|\2/; t; s/ /|/' | tr -d '")' >"$work/list"
grep -q libpetsc-real-dev "$work/list" && [ "$(wc -l <"$work/list")" -ge 10 ] ||
  fail "dependencies of CMake: $(cat "$work/list")"
while IFS='|' read -r debian spack; do
  [[ $debian = gcc* ]] && continue # OpenMP comes with the compiler
  for name in $debian; do
    grep -q -- "\b$name\b" jobs/setup.sh || fail "jobs/setup.sh does not install $name"
    grep -q -- "\b$name\b" "$source/jobs/container/Containerfile" || fail "Containerfile does not install $name"
  done
  name=$(sed 's/[~+].*//; s/^pkgconf$/pkgconfig/; s/^openmpi$/mpi/; s/^zlib$/zlib-api/' <<<"$spack")
  grep -q "depends_on(\"$name\\b" "$package" || fail "the Spack package has no $name"
done <"$work/list"

"$python" -B - "$package" <<'END' || fail 'the Spack package cannot be read'
import sys, types
depends, variants = [], {}
spack = types.ModuleType("spack.package")
nothing = lambda *a, **k: None
spack.license = spack.version = nothing
spack.depends_on = lambda spec, **k: depends.append((spec, k))
spack.variant = lambda name, **k: variants.update({name: k})
spack.run_after = lambda phase: lambda f: f
spack.on_package_attributes = lambda **k: lambda f: f
spack.Executable = nothing
cmake = types.ModuleType("spack_repo.builtin.build_systems.cmake")
cmake.CMakePackage = type("CMakePackage", (), {})
for name in "spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems":
    sys.modules[name] = types.ModuleType(name)
sys.modules["spack.package"], sys.modules[cmake.__name__] = spack, cmake
space = {"__file__": sys.argv[1]}
exec(compile(open(sys.argv[1]).read(), sys.argv[1], "exec"), space)
assert issubclass(space["Wring"], cmake.CMakePackage) and {"int64", "blas", "shared"} <= set(variants)
assert any("petsc+int64" in s and k.get("when") == "+int64" for s, k in depends)
assert all(k["when"].strip("+~").split("=")[0] in variants for _, k in depends if "when" in k)
END
exit 0
