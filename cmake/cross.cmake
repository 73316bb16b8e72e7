# Toolchain for another architecture of Debian 12. Needs -DTAPEDECK_MACHINE=aarch64 and -DTAPEDECK_SYSROOT=FOLDER, a folder with
# Debian's packages of that architecture, which script/package creates. All libraries come from there, even if the cross
# compiler has older copies.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TAPEDECK_MACHINE TAPEDECK_SYSROOT)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${TAPEDECK_MACHINE})
set(CMAKE_SYSROOT ${TAPEDECK_SYSROOT})
set(triplet ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu)
set(CMAKE_CXX_COMPILER ${triplet}-g++)
set(CMAKE_CXX_FLAGS_INIT "-ffile-prefix-map=${CMAKE_SYSROOT}=")
set(CMAKE_EXE_LINKER_FLAGS_INIT
  "-B${CMAKE_SYSROOT}/usr/lib/${triplet} -L${CMAKE_SYSROOT}/usr/lib/${triplet} -L${CMAKE_SYSROOT}/usr/lib/gcc/${triplet}/12")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_SYSROOT}/usr/lib/${triplet}/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${CMAKE_SYSTEM_PROCESSOR}-static -L ${CMAKE_SYSROOT})
