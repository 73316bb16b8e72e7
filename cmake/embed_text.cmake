# tapedeck_embed_text(FOLDER NAME FILE): compiles a file of the sources in, as the text NAME that FOLDER/NAME.h declares,
# for the library of the folder or of the one that it is in.
# Written as a raw string literal into the build folder, anew whenever the file changes.
function(tapedeck_embed_text folder name file)
  string(REGEX REPLACE "/.*" "" top ${folder})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${file})
  file(READ ${PROJECT_SOURCE_DIR}/${file} text)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${folder}/${name}.cpp @ONLY CONTENT [[
#include "@folder@/@name@.h"

namespace tapedeck::@top@ {

constinit const std::string_view @name@ = R"embedded(@text@)embedded";

}  // namespace tapedeck::@top@
]])
  target_sources(tapedeck_${top} PRIVATE ${PROJECT_BINARY_DIR}/${folder}/${name}.cpp)
endfunction()
