#include "cassettes/finish/begun_sessions.h"

#include <algorithm>
#include <set>

namespace tapedeck::cassettes {
namespace {

using scrubbers::InteractionRecord;
using scrubbers::Part;
using scrubbers::Redaction;
using scrubbers::Whose;

bool is_of_response(const Redaction& row) { return row.part >= Part::response_reason; }

/// Returns the session that has this ID, or 0.
std::uint32_t owner_of(const InteractionRecord& record, const Redaction& row) {
  if (!scrubbers::is_session_id(row)) return 0;
  return row.whose == Whose::own ? record.session : row.owner;
}

}  // namespace

void BegunSessions::note(std::uint32_t scope, std::int64_t row, const InteractionRecord& record) {
  std::set<std::uint32_t> carried, contained;
  for (const Redaction& one : record.redactions) {
    const std::uint32_t owner = owner_of(record, one);
    if (owner != 0) (is_of_response(one) ? contained : carried).insert(owner);
  }
  if (record.session != 0) {
    Ids& own = sessions_[{scope, record.session}];
    const bool is_login = contained.contains(record.session) && !carried.contains(record.session);
    own.has_login = own.has_login || is_login;
    if (!is_login) own.first_use = std::min(own.first_use, record.started_us);
  }
  for (const std::uint32_t session : contained) {
    if (session == record.session || carried.contains(session)) continue;
    Ids& ids = sessions_[{scope, session}];
    ids.handed_out = std::min(ids.handed_out, {record.started_us, row});
  }
}

std::map<std::int64_t, std::uint32_t> BegunSessions::find() const {
  std::map<std::int64_t, std::uint32_t> begun;
  std::map<std::int64_t, std::int64_t> first_uses;
  for (const auto& [name, ids] : sessions_) {
    const auto& [at, row] = ids.handed_out;
    if (ids.has_login || row == 0 || ids.first_use == INT64_MAX || ids.first_use < at) continue;
    // A response may contain several IDs. The one that is used first counts.
    const auto [use, is_new] = first_uses.try_emplace(row, ids.first_use);
    if (!is_new && use->second <= ids.first_use) continue;
    use->second = ids.first_use;
    begun[row] = name.second;
  }
  return begun;
}

void begin_session(InteractionRecord& record, std::uint32_t session) {
  for (Redaction& row : record.redactions) {
    if (row.whose == Whose::own) {
      row.whose = Whose::another;
      row.owner = record.session;
    } else if (row.whose == Whose::another && row.owner == session) {
      row.whose = Whose::own;
      row.owner = 0;
    }
  }
  record.session = session;
}

}  // namespace tapedeck::cassettes
