#pragma once

#include "tools/rewrite.h"

namespace tapedeck::tools {

/// Removes what tells when a recording was made: times begin at 2000-01-01T00:00:00Z, with the same intervals, and
/// notes, marks, and reviewed findings are left out.
class WithoutOrigin final : public MaterialView {
 public:
  explicit WithoutOrigin(cassettes::Material& below);
  [[nodiscard]] std::vector<cassettes::TakeRow> takes() override;
  [[nodiscard]] std::vector<cassettes::MaterialSession> sessions() override;
  [[nodiscard]] std::vector<cassettes::Mark> marks() override { return {}; }
  [[nodiscard]] std::set<std::string, std::less<>> allowed() override { return {}; }
  [[nodiscard]] scrubbers::InteractionRecord record(const cassettes::MaterialItem& item) override;

 private:
  std::int64_t shift_us_ = 0;
};

}  // namespace tapedeck::tools
