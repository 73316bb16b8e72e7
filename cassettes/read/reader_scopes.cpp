// Reads the scopes of a cassette (docs/cassette-format.md, scope, scope_take, session).

#include <algorithm>

#include "base/text.h"
#include "cassettes/file/rows.h"
#include "cassettes/read/reader_state.h"
#include "scrubbers/redaction/handshake_rule.h"

namespace tapedeck::cassettes {

std::optional<std::int64_t> CassetteReader::Impl::scope_row(std::string_view name) {
  if (name.empty()) return 0;
  Query& query = queries.scope_id;
  const Rows ready(query);
  if (!query.text(name).step()) return std::nullopt;
  return query.small(0);
}

std::vector<ScopeTake> CassetteReader::scope(std::string_view name) const {
  return impl_->guarded(one_statement, [&] {
    std::vector<ScopeTake> takes;
    const std::optional<std::int64_t> scope = impl_->scope_row(name);
    if (!scope) return takes;
    Query& query = impl_->queries.scope_takes;
    Rows rows(query);
    query.integer(*scope);
    while (query.step()) {
      takes.push_back({std::string(name), query.small(0), query.small(1), query.flag(2), query.small(3)});
    }
    return takes;
  });
}

std::optional<std::int64_t> CassetteReader::first_us(std::string_view scope_name) const {
  return impl_->guarded(long_statement, [&]() -> std::optional<std::int64_t> {
    const std::optional<std::int64_t> scope = impl_->scope_row(scope_name);
    if (!scope) return std::nullopt;
    Query query(*impl_->database,
                "SELECT min(i.started_us) FROM interaction i CROSS JOIN key k WHERE k.id = i.key AND k.scope = ?1"
                " GROUP BY i.take ORDER BY i.take DESC LIMIT 1");
    if (!query.integer(*scope).step()) return std::nullopt;
    return query.number(0, -largest_time, largest_time);
  });
}

std::uint32_t CassetteReader::lanes(std::uint32_t take, std::string_view scope_name) const {
  for (const ScopeTake& scope_take : scope(scope_name)) {
    if (scope_take.take == take) return scope_take.lanes;
  }
  return 0;
}

void CassetteReader::scopes(const std::function<bool(const ScopeTake&)>& visit) const {
  impl_->guarded(long_statement, [&] {
    Query query(*impl_->database,
                "SELECT s.name, t.take, t.run, t.complete, t.lanes FROM scope s CROSS JOIN scope_take t"
                " WHERE t.scope = s.id ORDER BY s.id, t.take");
    while (query.step()) {
      const ScopeTake scope{query.string(0), query.small(1), query.small(2), query.flag(3), query.small(4)};
      if (!visit(scope)) return;
      impl_->deadline.arm(long_statement);
    }
  });
}

std::vector<RecordedAccount> CassetteReader::accounts(std::string_view scope_name) const {
  return impl_->guarded(one_statement, [&] {
    std::vector<RecordedAccount> accounts;
    const std::optional<std::int64_t> scope = impl_->scope_row(scope_name);
    if (!scope) return accounts;
    Query query(*impl_->database,
                "SELECT take, number, check_value FROM account WHERE scope = ? ORDER BY take, number");
    query.integer(*scope);
    while (query.step()) accounts.push_back({query.small(0), query.small(1), check_in(query, 2)});
    return accounts;
  });
}

std::vector<RecordedSession> CassetteReader::sessions(std::uint32_t take, std::string_view scope_name) const {
  return impl_->guarded(one_statement, [&] {
    std::vector<RecordedSession> sessions;
    const std::optional<std::int64_t> scope = impl_->scope_row(scope_name);
    if (!scope) return sessions;
    Query& query = impl_->queries.sessions;
    const Rows rows(query);
    query.integer(take).integer(*scope).text(scrubbers::handshake_rule);
    while (query.step()) sessions.push_back({query.small(0), query.small(1), query.small(2), query.flag(3)});
    return sessions;
  });
}

bool CassetteReader::has_unknown_account(std::uint32_t take, std::string_view scope_name) const {
  return impl_->guarded(one_statement, [&] {
    const std::optional<std::int64_t> scope = impl_->scope_row(scope_name);
    if (!scope) return false;
    Query query(*impl_->database, "SELECT 1 FROM session WHERE take = ? AND scope = ? AND account = 0 LIMIT 1");
    return query.integer(take).integer(*scope).step();
  });
}

std::vector<std::string> CassetteReader::scopes_with(std::string_view key_text, std::size_t limit) const {
  return impl_->guarded(one_statement, [&] {
    std::vector<std::string> names;
    Query& query = impl_->queries.scopes_of_key;
    const Rows rows(query);
    query.text(key_text);
    query.integer(static_cast<std::int64_t>(std::min<std::size_t>(limit, INT32_MAX)));
    while (query.step()) names.push_back(query.string(0));
    return names;
  });
}

std::vector<ScopedKey> CassetteReader::scoped_keys_of(std::string_view api_rest, std::string_view method,
                                                      std::size_t limit, bool is_call) const {
  return impl_->guarded(one_statement, [&] {
    const std::string folded = is_call ? base::fold(method) : std::string(method);
    std::vector<ScopedKey> keys;
    Query& query = impl_->queries.scoped_keys;
    const Rows rows(query);
    query.integer(is_call).text(api_rest).text(folded);
    query.integer(static_cast<std::int64_t>(std::min<std::size_t>(limit, INT32_MAX)));
    while (query.step()) {
      keys.push_back({query.string(2), api::RequestKey::parse(query.bytes(0))});
      keys.back().key.has_holes = query.flag(1);
    }
    return keys;
  });
}

}  // namespace tapedeck::cassettes
