#pragma once
// What export_jsonl() wrote of one cassette, back into a cassette (docs/cassettes.md).

#include <cstdint>
#include <functional>
#include <istream>
#include <memory>
#include <string_view>

#include "cassettes/finish/material.h"

namespace tapedeck::tools {

/// Bytes done and in all; false stops.
using ReadProgress = std::function<bool(std::uint64_t done, std::uint64_t total)>;

/// Returns whether a file that begins like this is one of export_jsonl().
[[nodiscard]] bool is_jsonl(std::string_view beginning);
/// For cassettes::write_new(): every interaction is edited, so that it is scrubbed. All lines are read and checked
/// here; then one interaction at a time is read again, when it is asked for. The stream must outlive the material.
/// Throws ImportError and Stopped.
[[nodiscard]] std::unique_ptr<cassettes::Material> jsonl_material(std::istream& in, const ReadProgress& progress);

}  // namespace tapedeck::tools
