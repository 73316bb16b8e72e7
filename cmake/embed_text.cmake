# tapedeck_embed_text(FOLDER NAME FILE): embeds a file of the sources as the text NAME that FOLDER/NAME.h declares, in
# the library of the folder or of its parent. Writes it as a raw string literal into the build folder whenever the file
# changes.
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
