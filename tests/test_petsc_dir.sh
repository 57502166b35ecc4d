#!/bin/bash
# PETSC_DIR is the PETSc that is taken: where it has none, or one that is too old, configuration ends with a message
# that says so, and does not take another that pkg-config knows. Fails when that one is taken, or the message does not
# name the folder or the version, or when PETSC_DIR of the environment is forgotten.
# usage: test_petsc_dir.sh BUILD_DIR SOURCE_DIR
. "$(dirname "$0")/lib.sh"

# configured DIR: whether wring can be configured, always in the same folder, with the PETSc of DIR.
configured() {
  cmake -S "$source" -B again -D CMAKE_C_COMPILER="${CC:-cc}" -D WRING_TESTS=OFF -D PETSC_DIR="$1" >log 2>&1
}
configured "$PWD/nothing" && fail 'a PETSC_DIR without PETSc is taken'
grep -q "no PETSc.pc in lib/pkgconfig of PETSC_DIR=$PWD/nothing" log || fail 'the message does not name the folder'

mkdir -p old/lib/pkgconfig
printf 'prefix=%s\nName: PETSc\nDescription: old\nVersion: 3.12.1\n' "$PWD/old" >old/lib/pkgconfig/PETSc.pc
configured "$PWD/old" && fail 'PETSc 3.12 is taken'
grep -q "PETSc >= 3.18, real (found: 3.12.1 in $PWD/old)" log || fail 'the message does not name the version'

# The same version number in another place is taken from there.
sed -i 's/3.12.1/3.99.0/' old/lib/pkgconfig/PETSc.pc
configured "$PWD/old" || fail 'PETSc 3.99 in PETSC_DIR is refused'
grep -q 'petsc_any_VERSION:INTERNAL=3.99.0' again/CMakeCache.txt && grep -q 'PETSC_VERSION:INTERNAL=3.99.0' \
  again/CMakeCache.txt || fail 'another PETSc than that of PETSC_DIR is taken'

# PETSC_DIR of the environment is remembered: a build later, in another shell, takes the same PETSc.
PETSC_DIR=$PWD/old cmake -S "$source" -B later -D CMAKE_C_COMPILER="${CC:-cc}" -D WRING_TESTS=OFF >log 2>&1 ||
  fail 'PETSC_DIR of the environment'
cmake later >log 2>&1 || fail 'a second configuration'
grep -q 'PETSC_VERSION:INTERNAL=3.99.0' later/CMakeCache.txt || fail 'PETSC_DIR of the environment is forgotten'
