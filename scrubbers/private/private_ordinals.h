#pragma once
// Numbers for what was put in the place of private values, so that rows tell equal ones from different ones.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tapedeck::scrubbers {

/// From 0, in the order of the first calls. No locks of its own.
class PrivateOrdinals {
 public:
  [[nodiscard]] std::uint32_t of(const std::string& text) {
    const auto [found, is_new] = ordinals_.try_emplace(text, static_cast<std::uint32_t>(texts_.size()));
    if (is_new) texts_.push_back(&found->first);
    return found->second;
  }
  [[nodiscard]] std::size_t size() const { return texts_.size(); }
  [[nodiscard]] const std::string& text(std::size_t ordinal) const { return *texts_.at(ordinal); }

 private:
  std::map<std::string, std::uint32_t> ordinals_;
  std::vector<const std::string*> texts_;  ///< by ordinal: a map's keys stay where they are
};

}  // namespace tapedeck::scrubbers
