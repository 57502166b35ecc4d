# shellcheck shell=bash
# Sourced by the scripts that users start (jobs/demo.sh, tests/run.sh): packages and the environment of MPI programs.
# Needs nothing but bash.

# What wring needs to be built, run and tested, by the names of Debian and of Spack. gnuplot draws compare.png; VTK's
# python module and h5py read frames in tests, scipy and mpi4py test the Python package, jobs/scaling.py needs PyYAML.
debian_packages="gcc cmake make pkg-config libopenmpi-dev openmpi-bin libpetsc-real-dev libmetis-dev libhdf5-openmpi-dev
  libyaml-dev zlib1g-dev libssl-dev libjansson-dev libmumps-dev libsuitesparse-dev libopenblas-dev gnuplot-nox
  python3-vtk9 python3-numpy python3-scipy python3-mpi4py python3-h5py python3-yaml"
spack_packages="cmake openmpi petsc~complex+mumps+suite-sparse+metis metis hdf5+mpi libyaml zlib openssl jansson mumps
  suite-sparse openblas gnuplot"

is_installed() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }

# Installs the Debian packages that are missing. Without apt, or without the right to use it, says what is needed and
# goes on: the libraries may be there under another name, and CMake names the ones that are not.
install_packages() {
  local missing=() package
  if ! command -v apt-get >/dev/null; then
    echo "no apt-get here; wring needs (names of Spack): ${spack_packages//$'\n'  / }"
    return
  fi
  for package in $debian_packages; do
    # ParaView's python package has VTK, and Debian does not allow both.
    [ "$package" = python3-vtk9 ] && is_installed python3-paraview && continue
    is_installed "$package" || missing+=("$package")
  done
  ((${#missing[@]} == 0)) && return
  local sudo=''
  if [ "$(id -u)" != 0 ]; then
    sudo=sudo
    if ! command -v sudo >/dev/null; then
      echo "note: not root, and no sudo; going on without these packages, since their libraries may be elsewhere:" \
        "${missing[@]}" >&2
      return
    fi
  fi
  echo "Installing: ${missing[*]}"
  # Only the counts of what apt does are shown, and all of it when it fails.
  local log status
  log=$(mktemp)
  {
    $sudo apt-get update -q &&
      $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
        -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 "${missing[@]}"
  } </dev/null 2>&1 | tee "$log" | awk '
    / newly installed/ { total = $3; print "  " total " packages with all they need"; fflush() }
    /^Setting up/ && ++done % 50 == 0 { print "  " done " of " total; fflush() }'
  status=${PIPESTATUS[0]}
  [ "$status" = 0 ] || tail -n 20 "$log" >&2
  rm -f "$log"
  return "$status"
}

# cores: those this shell may use (a container or a batch job may have fewer than the machine).
cores=$(nproc 2>/dev/null || echo 1)

# use_ranks <n>: the environment for n ranks of one thread, unless OMP_NUM_THREADS is set. More ranks or threads than
# cores must not wait busily; threads need a rank free to use several cores; root in a container may start MPI, without
# ptrace.
use_ranks() {
  export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
  if (($1 * OMP_NUM_THREADS > cores)); then
    export OMP_WAIT_POLICY=passive OMPI_MCA_mpi_yield_when_idle=1
  fi
  export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
  export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl_vader_single_copy_mechanism=none
  if [ "$(id -u)" = 0 ]; then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi
}

# build <folder> [cmake option]...: configures and builds, showing how far it is, and output of the compiler only when
# something is wrong.
build() {
  local folder=$1 log status
  shift
  log=$(mktemp)
  echo "Building in $folder"
  { cmake -S . -B "$folder" "$@" && cmake --build "$folder" -j "$cores"; } 2>&1 | tee "$log" | awk '
    /^\[ *[0-9]+%\]/ { percent = substr($0, 2) + 0 }
    percent >= shown + 25 { shown = percent - percent % 25; print "  " shown " %"; fflush() }'
  status=${PIPESTATUS[0]}
  if [ "$status" != 0 ]; then cat "$log" >&2; else grep -A 5 'warning:' "$log" >&2; fi
  rm -f "$log"
  return "$status"
}
