#include <algorithm>

#include "cassettes/finish/survey.h"

namespace tapedeck::cassettes {
namespace {

constexpr int kind_session = 0, kind_account = 1, kind_value = 2;

bool belongs_to_no_session(const scrubbers::Redaction& redaction) { return redaction.whose == scrubbers::Whose::none; }

int kind_of(const scrubbers::Redaction& redaction) { return kind_value + static_cast<int>(redaction.secret_class); }

}  // namespace

void Numbering::note_one(const Row& row, int kind, std::uint32_t old, const Moment& moment) {
  const auto [found, is_new] = first_.try_emplace({row.take, row.scope, kind, old}, moment);
  if (!is_new) found->second = std::min(found->second, moment);
}

void Numbering::note(const Row& row, const scrubbers::InteractionRecord& record) {
  if (!row.recorded) return;
  const Moment first{0, record.started_us, record.ended_us, row.arrival, 0};
  if (record.session != 0) note_one(row, kind_session, record.session, first);
  if (record.account != 0) note_one(row, kind_account, record.account, first);
  for (std::size_t i = 0; i < record.redactions.size(); ++i) {
    const scrubbers::Redaction& redaction = record.redactions[i];
    Moment moment{0, record.started_us, record.ended_us, row.arrival, i};
    if (belongs_to_no_session(redaction)) {
      note_one(row, kind_of(redaction), redaction.ordinal, moment);
    } else if (redaction.owner != 0) {
      // Sessions that are only mentioned come after those that made a request.
      std::get<0>(moment) = 1;
      note_one(row, kind_session, redaction.owner, moment);
    }
  }
}

void Numbering::note_begun(const Row& row) {
  note_one(row, kind_session, row.begins, {0, row.step.started_us, row.step.ended_us, row.arrival, 0});
}

void Numbering::assign() {
  using Group = std::tuple<std::uint32_t, std::uint32_t, int>;
  std::vector<std::tuple<Group, Moment, std::uint32_t>> in_order;
  in_order.reserve(first_.size());
  for (const auto& [name, moment] : first_) {
    const auto& [take, scope, kind, old] = name;
    in_order.emplace_back(Group(take, scope, kind), moment, old);
  }
  std::sort(in_order.begin(), in_order.end());
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < in_order.size(); ++i) {
    const auto& [group, moment, old] = in_order[i];
    const auto& [take, scope, kind] = group;
    // Sessions and accounts count from 1, ordinals from 0.
    if (i == 0 || std::get<0>(in_order[i - 1]) != group) next = kind < kind_value ? 1 : 0;
    numbers_[{take, scope, kind, old}] = next++;
  }
  first_.clear();
}

std::uint32_t Numbering::number(const Row& row, int kind, std::uint32_t old) const {
  const auto found = row.recorded ? numbers_.find({row.take, row.scope, kind, old}) : numbers_.end();
  return found == numbers_.end() ? old : found->second;
}

std::uint32_t Numbering::session(const Row& row, std::uint32_t old) const {
  return old == 0 ? 0 : number(row, kind_session, old);
}

std::uint32_t Numbering::account(const Row& row, std::uint32_t old) const {
  return old == 0 ? 0 : number(row, kind_account, old);
}

void Numbering::apply(const Row& row, scrubbers::InteractionRecord& record) const {
  record.session = session(row, record.session);
  record.account = account(row, record.account);
  for (scrubbers::Redaction& redaction : record.redactions) apply(row, redaction);
}

void Numbering::apply(const Row& row, scrubbers::Redaction& redaction) const {
  if (belongs_to_no_session(redaction)) {
    redaction.ordinal = number(row, kind_of(redaction), redaction.ordinal);
  } else {
    redaction.owner = session(row, redaction.owner);
  }
}

}  // namespace tapedeck::cassettes
