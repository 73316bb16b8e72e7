#pragma once
// The text form back into a cassette (docs/text-form.md).

#include <cstdint>
#include <functional>
#include <istream>
#include <memory>

#include "cassettes/finish/material.h"

namespace tapedeck::tools {

/// Bytes done and in all; false stops.
using ReadProgress = std::function<bool(std::uint64_t done, std::uint64_t total)>;

/// What export_all() wrote, for cassettes::write_new(): every interaction is edited, so that it is scrubbed. The whole
/// text is read and checked here; then one interaction at a time is read again, when it is asked for. The stream must
/// outlive the material. Throws ImportError and Stopped, a text that changed meanwhile from any call.
[[nodiscard]] std::unique_ptr<cassettes::Material> text_material(std::istream& in, const ReadProgress& progress);

}  // namespace tapedeck::tools
