# Embeds inspector/page/: writes its files as raw string literals into the build folder whenever one changes.
file(GLOB page_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/inspector/page/*)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page_files})
set(page_entries "")
list(LENGTH page_files page_count)
foreach(page_file ${page_files})
  get_filename_component(page_name ${page_file} NAME)
  file(READ ${page_file} page_text)
  string(APPEND page_entries "    {\"${page_name}\", R\"page(${page_text})page\"},\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/inspector/page_bytes.cpp @ONLY CONTENT [[
#include "inspector/page_bytes.h"

#include <array>

namespace tapedeck::inspector {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, @page_count@> files{{
@page_entries@}};

}  // namespace

std::span<const std::pair<std::string_view, std::string_view>> page_bytes() { return files; }

}  // namespace tapedeck::inspector
]])
target_sources(tapedeck_inspector PRIVATE ${PROJECT_BINARY_DIR}/inspector/page_bytes.cpp)
