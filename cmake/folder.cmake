# tapedeck_folder(NAME LINK … EXCEPT FILE…): the static library tapedeck_NAME from every .cpp of the folder NAME and
# its rooms, but for the files that are named.
# A folder that has no .cpp yet becomes an interface library, so that its dependants need not care.
function(tapedeck_folder name)
  set_property(GLOBAL APPEND PROPERTY tapedeck_folders tapedeck_${name})
  cmake_parse_arguments(ARG "" "" "LINK;EXCEPT" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${name}/*.cpp)
  foreach(file ${ARG_EXCEPT})
    list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/${name}/${file})
  endforeach()
  if(NOT sources)
    add_library(tapedeck_${name} INTERFACE)
    return()
  endif()
  add_library(tapedeck_${name} STATIC ${sources})
  target_include_directories(tapedeck_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(tapedeck_${name} PUBLIC tapedeck_flags ${ARG_LINK})
endfunction()
