# tapedeck_static: links the program again from the same object files, with every library inside, even glibc, so that it runs
# on any Linux. TAPEDECK_ARCHIVES is a folder with static libraries that Debian does not have: cpp-httplib, fmt, toml++
# (script/package creates them).
set(TAPEDECK_ARCHIVES "" CACHE PATH "folder of libcpp-httplib.a, libfmt.a and libtomlplusplus.a")
set(archives "")
foreach(name cpp-httplib fmt tomlplusplus)
  list(APPEND archives ${TAPEDECK_ARCHIVES}/lib${name}.a)
endforeach()
foreach(name SQLiteCpp sqlite3 ssl crypto z brotlidec brotlienc brotlicommon zstd re2)
  find_library(static_${name} lib${name}.a REQUIRED)
  list(APPEND archives ${static_${name}})
endforeach()
get_property(folders GLOBAL PROPERTY tapedeck_folders)
list(TRANSFORM folders REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE own)

add_executable(tapedeck_static ${PROJECT_SOURCE_DIR}/cli/main.cpp ${PROJECT_SOURCE_DIR}/packaging/static_start.cpp)
target_include_directories(tapedeck_static PRIVATE ${PROJECT_SOURCE_DIR})
add_dependencies(tapedeck_static tapedeck_cli ${folders})
# This is among the libraries, because it has an effect only after the -pie that CMake adds.
target_link_libraries(tapedeck_static PRIVATE tapedeck_flags -static-pie -Wl,--whole-archive ${hot} -Wl,--no-whole-archive
  -Wl,--start-group $<TARGET_FILE:tapedeck_cli> ${own} ${archives} -Wl,--end-group)
set_target_properties(tapedeck_static PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
