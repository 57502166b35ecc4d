# cmake -D VERSION=... -D SOURCE=... -D HEADER=... -P: writes HEADER, and touches it only when its text changes.
# The commit is empty outside a git checkout of wring itself (a release archive, or a folder of another repository).
set(commit "")
find_program(GIT git)
if(GIT AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND ${GIT} -C ${SOURCE} describe --always --dirty --abbrev=12
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define WRING_VERSION \"${VERSION}\"\n#define WRING_COMMIT \"${commit}\"\n")
