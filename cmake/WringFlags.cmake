# Compiler flags of all targets built here, as the target wring_flags; none of them is exported.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, RelWithDebInfo or Debug" FORCE)
endif()
set(WRING_ARCH native CACHE STRING "Value of -march: native, x86-64-v3 for binaries that travel, empty for none")
option(WRING_WERROR "Treat warnings as errors" OFF)
option(WRING_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(WRING_FUZZ "Build the targets of tests/fuzz for libFuzzer (clang, with WRING_SANITIZE)" OFF)
add_feature_info(march WRING_ARCH "-march=${WRING_ARCH} in optimised builds")
add_feature_info(warnings-as-errors WRING_WERROR "-Werror")
add_feature_info(sanitizers WRING_SANITIZE "AddressSanitizer and UndefinedBehaviorSanitizer")

add_library(wring_flags INTERFACE)
target_compile_options(wring_flags INTERFACE -Wall -Wextra -Wshadow $<$<BOOL:${WRING_WERROR}>:-Werror>)

# Never -ffast-math: infinite energies are values here. The local step needs full vectors (512 bits where available).
include(CheckCCompilerFlag)
set(CMAKE_REQUIRED_QUIET ON)
set(optimised "$<NOT:$<CONFIG:Debug>>")
if(WRING_ARCH)
  set(march -march=${WRING_ARCH})
endif()
foreach(flag ${march} -mprefer-vector-width=512 -fno-math-errno -fno-trapping-math -ffp-contract=fast)
  string(MAKE_C_IDENTIFIER "WRING_ACCEPTS${flag}" accepted)
  check_c_compiler_flag(${flag} ${accepted})
  if(${accepted})
    target_compile_options(wring_flags INTERFACE $<${optimised}:${flag}>)
  elseif(flag MATCHES march)
    message(FATAL_ERROR "WRING_ARCH=${WRING_ARCH}: this compiler does not know -march=${WRING_ARCH}")
  endif()
endforeach()
target_compile_options(wring_flags INTERFACE $<${optimised}:-O3>)

# What plugins are compiled with too: the target wring::plugin, which is installed.
get_target_property(WRING_PLUGIN_OPTIONS wring_flags INTERFACE_COMPILE_OPTIONS)
list(FILTER WRING_PLUGIN_OPTIONS INCLUDE REGEX "NOT:.*:-[mfO]")

# clang unrolls loops over the 8 lanes of a block before it can vectorise them; loops of up to 7 are those of vertices.
include(CheckCSourceCompiles)
set(CMAKE_REQUIRED_FLAGS "-mllvm -unroll-full-max-count=7")
check_c_source_compiles("int main(void) { return 0; }" WRING_ACCEPTS_UNROLL_FULL_MAX_COUNT)
unset(CMAKE_REQUIRED_FLAGS)
if(WRING_ACCEPTS_UNROLL_FULL_MAX_COUNT)
  target_compile_options(wring_flags INTERFACE "$<${optimised}:SHELL:-mllvm -unroll-full-max-count=7>")
endif()

# clang reports loops that it cannot vectorise, which depend on its version and on the processor;
# tests/test_vectorised.sh checks the loops that matter.
target_compile_options(wring_flags INTERFACE $<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>)

if(WRING_SANITIZE)
  set(sanitize -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_compile_options(wring_flags INTERFACE -O1 ${sanitize})
  target_link_options(wring_flags INTERFACE ${sanitize})
endif()
if(WRING_FUZZ)
  target_compile_options(wring_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
