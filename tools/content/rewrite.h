#pragma once
// Defines views of a Material (cassettes/finish/material.h) with changes, to be written by cassettes::Rewriting or
// write_new(). A view refers to its underlying material.
//
//   cassettes::Rewriting rewriting(path);
//   const auto is_selected = [&](const auto& line) { return selection.has(line); };
//   KeptMaterial part(rewriting.content(), kept_of(rewriting.reader(), is_selected));
//   report = rewriting.write(part, options);

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>

#include "cassettes/finish/material.h"
#include "cassettes/read/cassette_reader.h"

namespace tapedeck::tools {

/// Forwards all functions of another material. Derived classes override some of them.
class MaterialView : public cassettes::Material {
 public:
  explicit MaterialView(cassettes::Material& below) : below_(below) {}
  [[nodiscard]] std::vector<cassettes::TakeRow> takes() override { return below_.takes(); }
  [[nodiscard]] std::vector<cassettes::MaterialPart> parts() override { return below_.parts(); }
  [[nodiscard]] std::vector<cassettes::MaterialSession> sessions() override { return below_.sessions(); }
  [[nodiscard]] std::vector<cassettes::Mark> marks() override { return below_.marks(); }
  [[nodiscard]] std::set<std::string, std::less<>> allowed() override { return below_.allowed(); }
  void each(const std::function<void(const cassettes::MaterialItem&)>& visit) override { below_.each(visit); }
  [[nodiscard]] scrubbers::InteractionRecord record(const cassettes::MaterialItem& item) override {
    return below_.record(item);
  }
  [[nodiscard]] std::uint64_t bytes() override { return below_.bytes(); }
  [[nodiscard]] Numbers highest() override { return below_.highest(); }

 protected:
  cassettes::Material& below_;
};

/// Returns an interaction's ID as a number.
[[nodiscard]] std::uint64_t id_number(const cassettes::Digest& digest);
[[nodiscard]] std::uint64_t id_number(std::string_view sixteen_hex_digits);

/// The remaining parts of a cassette.
struct Kept {
  std::unordered_set<std::uint64_t> ids;
  std::set<std::uint32_t> takes;
  std::set<std::pair<std::uint32_t, std::string>> parts;  ///< take and scope
};
/// Returns the interactions for which `keeps` returns true, the takes that have one of them or were empty, and the
/// scopes that have one of them or were empty.
[[nodiscard]] Kept kept_of(const cassettes::CassetteReader& cassette,
                           const std::function<bool(const cassettes::ListedInteraction&)>& keeps);

/// A material with only the kept parts. The remaining takes are numbered again.
class KeptMaterial final : public MaterialView {
 public:
  KeptMaterial(cassettes::Material& below, Kept kept);
  [[nodiscard]] std::vector<cassettes::TakeRow> takes() override;
  [[nodiscard]] std::vector<cassettes::MaterialPart> parts() override;
  [[nodiscard]] std::vector<cassettes::MaterialSession> sessions() override;
  [[nodiscard]] std::vector<cassettes::Mark> marks() override;
  void each(const std::function<void(const cassettes::MaterialItem&)>& visit) override;

 private:
  Kept kept_;
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
