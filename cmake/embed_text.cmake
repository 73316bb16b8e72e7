# tapedeck_embed_text(FOLDER NAME FILE): compiles a file of the sources in, as the text NAME that FOLDER/NAME.h declares.
# Written as a raw string literal into the build folder, anew whenever the file changes.
function(tapedeck_embed_text folder name file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${file})
  file(READ ${PROJECT_SOURCE_DIR}/${file} text)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${folder}/${name}.cpp @ONLY CONTENT [[
#include "@folder@/@name@.h"

namespace tapedeck::@folder@ {

constinit const std::string_view @name@ = R"embedded(@text@)embedded";

}  // namespace tapedeck::@folder@
]])
  target_sources(tapedeck_${folder} PRIVATE ${PROJECT_BINARY_DIR}/${folder}/${name}.cpp)
endfunction()
