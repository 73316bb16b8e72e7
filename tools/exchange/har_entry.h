#pragma once
// One entry of a HAR as an interaction.

#include <stdexcept>
#include <string>
#include <string_view>

#include "api/interaction.h"

namespace tapedeck::tools {

/// What an entry lacks, in words.
class EntryFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct HarEntry {
  std::string origin;            ///< "https://nas.example:5001"; empty for what is no HTTP
  api::Interaction interaction;  ///< its target with the whole path
  bool has_body = true;          ///< false: the archive does not have the answer's body
};

/// `json` is the entry's text, and JSON. Throws EntryFault.
[[nodiscard]] HarEntry read_entry(std::string_view json);

}  // namespace tapedeck::tools
