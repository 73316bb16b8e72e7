#pragma once
// Defines views of a Material (cassettes/finish/material.h) with changes, to be written by cassettes::Rewriting or
// write_new(). A view refers to its underlying material.
//
//   cassettes::Rewriting rewriting(path);
//   const auto is_selected = [&](const auto& line) { return selection.has(line); };
//   KeptMaterial part(rewriting.content(), rewriting.reader(), is_selected);
//   report = rewriting.write(part, options);

#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "cassettes/finish/material.h"
#include "cassettes/read/cassette_reader.h"

namespace tapedeck::tools {

/// Has the content of another material. Derived classes change `head_` in their constructors, and override functions.
class MaterialView : public cassettes::Material {
 public:
  explicit MaterialView(cassettes::Material& below) : below_(below), head_(below.head()) {}
  [[nodiscard]] cassettes::MaterialHead head() override { return head_; }
  void each(const std::function<void(const cassettes::MaterialItem&)>& visit) override { below_.each(visit); }
  [[nodiscard]] scrubbers::InteractionRecord record(const cassettes::MaterialItem& item) override {
    return below_.record(item);
  }

 protected:
  cassettes::Material& below_;
  cassettes::MaterialHead head_;
};

/// Returns an interaction's ID as a number.
[[nodiscard]] std::uint64_t id_number(const cassettes::Digest& digest);
[[nodiscard]] std::uint64_t id_number(std::string_view sixteen_hex_digits);

/// A material with only some interactions of a cassette. Takes and scopes stay that have one of them, or were empty
/// before. The remaining takes are numbered again.
class KeptMaterial final : public MaterialView {
 public:
  /// `cassette` is a reader of the same cassette.
  KeptMaterial(cassettes::Material& below, const cassettes::CassetteReader& cassette,
               const std::function<bool(const cassettes::ListedInteraction&)>& keeps);
  void each(const std::function<void(const cassettes::MaterialItem&)>& visit) override;

 private:
  std::unordered_set<std::uint64_t> ids_;
  std::map<std::uint32_t, std::uint32_t> numbers_;  ///< new numbers of the remaining takes, by old numbers
};

/// A material with other responses for some interactions. Requests, keys, and IDs stay the same.
class Edited final : public MaterialView {
 public:
  using Change = std::function<void(scrubbers::InteractionRecord&)>;
  /// Receives changes by ID. A change is applied each time that its interaction is read.
  Edited(cassettes::Material& below, std::map<std::uint64_t, Change> changes)
      : MaterialView(below), changes_(std::move(changes)) {}
  void each(const std::function<void(const cassettes::MaterialItem&)>& visit) override;
  [[nodiscard]] scrubbers::InteractionRecord record(const cassettes::MaterialItem& item) override;

 private:
  std::map<std::uint64_t, Change> changes_;
};

}  // namespace tapedeck::tools
