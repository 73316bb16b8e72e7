#include "tools/capsule/without_origin.h"

#include <algorithm>

namespace tapedeck::tools {
namespace {

/// 2000-01-01T00:00:00Z.
constexpr std::int64_t new_start_us = 946'684'800'000'000;

}  // namespace

WithoutOrigin::WithoutOrigin(cassettes::Material& below) : MaterialView(below) {
  const std::vector<cassettes::TakeRow> takes = below.takes();
  const auto first = std::min_element(takes.begin(), takes.end(),
                                      [](const auto& a, const auto& b) { return a.started_us < b.started_us; });
  if (first != takes.end()) shift_us_ = new_start_us - first->started_us;
}

std::vector<cassettes::TakeRow> WithoutOrigin::takes() {
  std::vector<cassettes::TakeRow> takes = below_.takes();
  for (cassettes::TakeRow& take : takes) {
    take.started_us += shift_us_;
    take.ended_us += shift_us_;
    take.note.clear();
  }
  return takes;
}

std::vector<cassettes::MaterialSession> WithoutOrigin::sessions() {
  std::vector<cassettes::MaterialSession> sessions = below_.sessions();
  for (cassettes::MaterialSession& session : sessions) {
    session.span.first_us += shift_us_;
    session.span.last_us += shift_us_;
  }
  return sessions;
}

scrubbers::InteractionRecord WithoutOrigin::record(const cassettes::MaterialItem& item) {
  scrubbers::InteractionRecord record = below_.record(item);
  record.started_us += shift_us_;
  record.ended_us += shift_us_;
  if (record.first_byte_us != 0) record.first_byte_us += shift_us_;
  return record;
}

}  // namespace tapedeck::tools
