# Finds the Debian 12 packages, which script/bootstrap installs by name.
find_package(PkgConfig REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(ZLIB REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(SQLiteCpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(Boost 1.81 REQUIRED)
# Debian's cpp-httplib is a compiled library without a CMake config. Its .pc file contains the OpenSSL define on which
# its class layouts depend.
pkg_check_modules(httplib REQUIRED IMPORTED_TARGET cpp-httplib)
pkg_check_modules(brotli REQUIRED IMPORTED_TARGET libbrotlidec libbrotlienc)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(re2 REQUIRED IMPORTED_TARGET re2)

add_library(tapedeck_asio INTERFACE)
target_link_libraries(tapedeck_asio INTERFACE Boost::headers)
target_compile_definitions(tapedeck_asio INTERFACE
  BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_DISABLE_BOOST_COROUTINE)
