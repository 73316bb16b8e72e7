# Sets warnings, hardening, and sanitizers on one interface library that every target links.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${PROJECT_SOURCE_DIR}/cmake/compile.sh)
endif()

include(CheckPIESupported)
check_pie_supported()

find_package(Threads REQUIRED)
add_library(tapedeck_flags INTERFACE)
target_link_libraries(tapedeck_flags INTERFACE Threads::Threads)
target_compile_options(tapedeck_flags INTERFACE -pthread)  # some packages ask for it, and precompiled headers need it everywhere
target_compile_features(tapedeck_flags INTERFACE cxx_std_20)
target_compile_definitions(tapedeck_flags INTERFACE
  JSON_USE_GLOBAL_UDLS=0 JSON_USE_IMPLICIT_CONVERSIONS=0 _GLIBCXX_ASSERTIONS TAPEDECK_VERSION="${PROJECT_VERSION}")
target_compile_options(tapedeck_flags INTERFACE
  -Wall -Wextra -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual
  -fstack-protector-strong $<$<NOT:$<PLATFORM_ID:Darwin>>:-fstack-clash-protection>)
# A unit of tests contains the names of several files, which may use the same name for different things.
target_compile_options(tapedeck_flags INTERFACE $<$<NOT:$<BOOL:$<TARGET_PROPERTY:TAPEDECK_UNOPTIMIZED>>>:-Wshadow>)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64 AND NOT APPLE)
  target_compile_options(tapedeck_flags INTERFACE -fcf-protection=full)
endif()
if(NOT APPLE)
  target_link_options(tapedeck_flags INTERFACE LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
endif()
# Stores the relocations for the loader in a twentieth of the space.
include(CheckLinkerFlag)
check_linker_flag(CXX LINKER:-z,pack-relative-relocs TAPEDECK_PACKS_RELOCATIONS)
if(TAPEDECK_PACKS_RELOCATIONS)
  target_link_options(tapedeck_flags INTERFACE LINKER:-z,pack-relative-relocs)
endif()

# Object files do not depend on the folder in which they were compiled, so script/demo, script/test, and script/package
# share them.
target_compile_options(tapedeck_flags INTERFACE -ffile-prefix-map=${PROJECT_SOURCE_DIR}=. -ffile-prefix-map=${PROJECT_BINARY_DIR}=build)
if(TAPEDECK_STATIC)
  target_link_options(tapedeck_flags INTERFACE LINKER:--as-needed LINKER:--build-id=none)
endif()

if(TAPEDECK_SANITIZE)
  target_compile_options(tapedeck_flags INTERFACE
    -fsanitize=${TAPEDECK_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(tapedeck_flags INTERFACE -fsanitize=${TAPEDECK_SANITIZE})
  if(TAPEDECK_SANITIZE MATCHES undefined)
    # These four make Boost much slower to compile and found nothing in it.
    target_compile_options(tapedeck_flags INTERFACE -fno-sanitize=null,alignment,vptr,object-size)
  endif()
  if(TAPEDECK_SANITIZE MATCHES thread AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(tapedeck_flags INTERFACE -Wno-tsan)
  endif()
else()
  # Fortified functions need optimization, with which the tests' own files are not compiled.
  target_compile_options(tapedeck_flags INTERFACE
    $<$<NOT:$<OR:$<CONFIG:Debug>,$<BOOL:$<TARGET_PROPERTY:TAPEDECK_UNOPTIMIZED>>>>:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3>)
endif()
