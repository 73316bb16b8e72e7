# tapedeck_folder(NAME LINK …): the static library tapedeck_NAME from every .cpp of the folder NAME.
# A folder that has no .cpp yet becomes an interface library, so that its dependants need not care.
function(tapedeck_folder name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${name}/*.cpp)
  if(NOT sources)
    add_library(tapedeck_${name} INTERFACE)
    return()
  endif()
  add_library(tapedeck_${name} STATIC ${sources})
  target_include_directories(tapedeck_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(tapedeck_${name} PUBLIC tapedeck_flags ${ARG_LINK})
endfunction()
