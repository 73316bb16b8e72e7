# Compiles examples/nas/device.json in, for `tapedeck demo`: its text as a raw string literal, anew whenever it changes.
set(demo_file ${PROJECT_SOURCE_DIR}/examples/nas/device.json)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${demo_file})
file(READ ${demo_file} demo_text)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/demo/device_text.cpp @ONLY CONTENT [[
#include "demo/device_text.h"

namespace tapedeck::demo {

constinit const std::string_view device_text = R"device(@demo_text@)device";

}  // namespace tapedeck::demo
]])
target_sources(tapedeck_demo PRIVATE ${PROJECT_BINARY_DIR}/demo/device_text.cpp)
