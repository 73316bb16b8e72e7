# Toolchain for the portable build: clang 16 with libc++ 16, on Linux. script/test --portable compiles the C++ libraries, because
# Debian's use libstdc++.
set(CMAKE_C_COMPILER clang-16)
set(CMAKE_CXX_COMPILER clang++-16)
set(CMAKE_CXX_FLAGS_INIT -stdlib=libc++)
set(ENV{PKG_CONFIG_PATH} ${CMAKE_CURRENT_LIST_DIR}/../build/portable-libraries/lib/pkgconfig)
