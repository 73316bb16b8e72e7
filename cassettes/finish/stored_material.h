#pragma once
// Provides the Material of a finished cassette.

#include "cassettes/finish/material.h"
#include "cassettes/read/reader_state.h"

namespace tapedeck::cassettes {

/// Returns the material of an open cassette. Bodies are compared with their SHA-256 when they are read.
[[nodiscard]] std::unique_ptr<Material> open_material(const std::string& path, OpenCassette cassette);

/// Returns true if it contains a take with this random name.
[[nodiscard]] bool has_take(Material& material, const std::string& name);

}  // namespace tapedeck::cassettes
