# Compiles api/catalog.tsv in: writes its text as a raw string literal into the build folder, anew whenever it changes.
set(catalog_file ${PROJECT_SOURCE_DIR}/api/catalog.tsv)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${catalog_file})
file(READ ${catalog_file} catalog_text)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/api/catalog_text.cpp @ONLY CONTENT [[
#include "api/catalog_text.h"

namespace tapedeck::api {

constinit const std::string_view catalog_text = R"catalog(@catalog_text@)catalog";

}  // namespace tapedeck::api
]])
target_sources(tapedeck_api PRIVATE ${PROJECT_BINARY_DIR}/api/catalog_text.cpp)
