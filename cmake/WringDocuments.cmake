# cmake -D PROGRAM=... -D FOLDER=... -P: writes the man page wring.1 and the completions of bash (wring) and
# zsh (_wring) to FOLDER, from the program's own tables of keys.
# Where the build machine cannot start an MPI program there is a warning, and they are not made.
file(MAKE_DIRECTORY ${FOLDER})
set(ENV{ASAN_OPTIONS} detect_leaks=0) # of a program with sanitizers: MPI leaks
foreach(document man bash)
  execute_process(COMMAND ${PROGRAM} help ${document} OUTPUT_VARIABLE ${document} RESULT_VARIABLE status
                  ERROR_VARIABLE message TIMEOUT 60)
  if(NOT status EQUAL 0)
    message(WARNING "no man page and no completion: ${PROGRAM} does not start here (${status}): ${message}")
    return()
  endif()
endforeach()
file(WRITE ${FOLDER}/wring.1 "${man}")
file(WRITE ${FOLDER}/wring "${bash}")
file(WRITE ${FOLDER}/_wring "#compdef wring\nautoload -U +X bashcompinit && bashcompinit\n"
                            "source \${\${(%):-%x}:A:h}/../../bash-completion/completions/wring\n"
                            "_bash_complete -F _wring\n")
