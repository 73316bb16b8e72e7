#include "scrubbers/private/picture_position.h"

#include <algorithm>

namespace tapedeck::scrubbers {

bool holds_position(std::string_view file) {
  // The IFD entry that points to the GPS directory: its tag, its type (LONG or IFD), and a count of one.
  static constexpr std::string_view marks[] = {{"\x25\x88\x04\0\x01\0\0\0", 8},
                                               {"\x25\x88\x0d\0\x01\0\0\0", 8},
                                               {"\x88\x25\0\x04\0\0\0\x01", 8},
                                               {"\x88\x25\0\x0d\0\0\0\x01", 8},
                                               "exif:GPS"};
  if (file.find('\0') == std::string_view::npos) return false;
  return std::any_of(std::begin(marks), std::end(marks),
                     [file](std::string_view mark) { return file.find(mark) != std::string_view::npos; });
}

}  // namespace tapedeck::scrubbers
