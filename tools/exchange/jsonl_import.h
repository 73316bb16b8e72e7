#pragma once
// Imports the output of export_jsonl() for one cassette (docs/cassettes.md).

#include <cstdint>
#include <functional>
#include <istream>
#include <memory>
#include <string_view>

#include "cassettes/finish/material.h"

namespace tapedeck::tools {

/// Called with the number of bytes read and the total. If it returns false, the import stops.
using ReadProgress = std::function<bool(std::uint64_t done, std::uint64_t total)>;

/// Returns true if a file that begins with this text looks like the output of export_jsonl().
[[nodiscard]] bool is_jsonl(std::string_view beginning);
/// Returns the material for cassettes::write_new(). It marks every interaction as edited, so that all are scrubbed.
/// Reads and checks all lines now, and reads each interaction again when it is requested. The stream must outlive the
/// material. Throws ImportError or Stopped.
[[nodiscard]] std::unique_ptr<cassettes::Material> jsonl_material(std::istream& in, const ReadProgress& progress);

}  // namespace tapedeck::tools
