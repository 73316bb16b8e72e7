#pragma once
// Provides the Material of a finished cassette.

#include "cassettes/finish/material.h"
#include "cassettes/read/reader_state.h"

namespace tapedeck::cassettes {

/// Returns the material of an open cassette. Bodies are compared with their SHA-256 when they are read.
[[nodiscard]] std::unique_ptr<Material> open_material(const std::string& path, OpenCassette cassette);

/// Used if there is no cassette yet.
class NoMaterial final : public Material {
 public:
  [[nodiscard]] std::vector<TakeRow> takes() override { return {}; }
  [[nodiscard]] std::vector<MaterialPart> parts() override { return {}; }
  [[nodiscard]] std::vector<MaterialSession> sessions() override { return {}; }
  [[nodiscard]] std::vector<Mark> marks() override { return {}; }
  [[nodiscard]] std::set<std::string, std::less<>> allowed() override { return {}; }
  void each(const std::function<void(const MaterialItem&)>& /*visit*/) override {}
  [[nodiscard]] scrubbers::InteractionRecord record(const MaterialItem& item) override;
  [[nodiscard]] std::uint64_t bytes() override { return 0; }
  [[nodiscard]] Numbers highest() override { return {}; }
};

/// Returns true if it contains a take with this random name.
[[nodiscard]] bool has_take(Material& material, const std::string& name);

}  // namespace tapedeck::cassettes
