set(TAPEDECK_UNITS 8 CACHE STRING "source files that are compiled as one unit, which is two to three times faster; 0 for none")

# tapedeck_units(RESULT NAME FILE…): sets RESULT to a list of generated sources that include the given ones, up to
# TAPEDECK_UNITS files of a folder in each. They include by paths relative to the source folder, so that ccache finds them
# in any clone. Names in anonymous namespaces must therefore differ within a folder. With TAPEDECK_UNITS=0, the list has
# the files themselves.
function(tapedeck_units result name)
  if(NOT TAPEDECK_UNITS)
    set(${result} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(units "")
  set(text "")
  set(count 0)
  foreach(file ${ARGN} END)
    if(text AND (file STREQUAL END OR count EQUAL TAPEDECK_UNITS))
      list(LENGTH units number)
      set(unit ${PROJECT_BINARY_DIR}/units/${name}_${number}.cpp)
      file(CONFIGURE OUTPUT ${unit} CONTENT "${text}" @ONLY)
      list(APPEND units ${unit})
      set(text "")
      set(count 0)
    endif()
    if(NOT file STREQUAL END)
      file(RELATIVE_PATH relative ${PROJECT_SOURCE_DIR} ${file})
      string(APPEND text "#include \"${relative}\"\n")
      math(EXPR count "${count} + 1")
    endif()
  endforeach()
  set(${result} ${units} PARENT_SCOPE)
endfunction()

# tapedeck_folder(NAME [SINGLE] LINK … EXCEPT FILE…): creates the static library tapedeck_NAME from every .cpp of the folder
# NAME and its subfolders, except the named files. With SINGLE, each file is compiled alone, so that programs link only the
# files that they use.
function(tapedeck_folder name)
  set_property(GLOBAL APPEND PROPERTY tapedeck_folders tapedeck_${name})
  cmake_parse_arguments(ARG SINGLE "" "LINK;EXCEPT" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${name}/*.cpp)
  foreach(file ${ARG_EXCEPT})
    list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/${name}/${file})
  endforeach()
  if(NOT ARG_SINGLE)
    tapedeck_units(sources ${name} ${sources})
  endif()
  add_library(tapedeck_${name} STATIC ${sources})
  target_include_directories(tapedeck_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(tapedeck_${name} PUBLIC tapedeck_flags ${ARG_LINK})
endfunction()

# Folders of one kind are compiled with the same flags and with a precompiled header of the headers that most of their
# files include. The fuzz targets do not use it, and so detect a missing include.
function(tapedeck_precompile first)
  target_precompile_headers(tapedeck_${first} PRIVATE <cmake/precompiled.h>)
  foreach(folder ${ARGN})
    target_precompile_headers(tapedeck_${folder} REUSE_FROM tapedeck_${first})
  endforeach()
endfunction()

# tapedeck_compile_for_speed(FOLDER…): for code that runs once per request.
function(tapedeck_compile_for_speed)
  tapedeck_precompile(${ARGN})
endfunction()

# tapedeck_compile_for_size(FOLDER…): for code that runs once per command. It becomes half as large, and a server maps
# less at its start.
function(tapedeck_compile_for_size)
  foreach(folder ${ARGN})
    target_compile_options(tapedeck_${folder} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-Os>)
  endforeach()
  tapedeck_precompile(${ARGN})
endfunction()
