#pragma once
// The simulated NAS of `tapedeck demo`, which `tapedeck replay` also serves without a cassette (examples/nas).

#include <string>

#include <nlohmann/json.hpp>

namespace tapedeck::cli {

/// Returns the content of examples/nas/device.json.
[[nodiscard]] nlohmann::ordered_json simulated_nas();
/// Returns a string as it is, and other JSON as text.
[[nodiscard]] std::string text_of(const nlohmann::ordered_json& value);
/// Returns an overlay file that responds as device.json describes. Operations with more conditions come first.
[[nodiscard]] std::string recorded_nas_overlays(const nlohmann::ordered_json& device);
/// Returns an overlay file for any version of the calls, in which effects change what reads return, also those of
/// examples/nas/writes.toml.
[[nodiscard]] std::string simulated_nas_overlays();

}  // namespace tapedeck::cli
