#pragma once
// A finished cassette as Material.

#include "cassettes/finish/material.h"
#include "cassettes/read/reader_state.h"

namespace tapedeck::cassettes {

/// Of a cassette that is open already; bodies are compared with their SHA-256 as they are read.
[[nodiscard]] std::unique_ptr<Material> open_material(const std::string& path, OpenCassette cassette);

/// Where there is no cassette yet.
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

/// Whether a take with that random name is in it.
[[nodiscard]] bool has_take(Material& material, const std::string& name);

}  // namespace tapedeck::cassettes
