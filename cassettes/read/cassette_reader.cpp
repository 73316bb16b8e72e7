#include "cassettes/read/cassette_reader.h"

#include <algorithm>
#include <set>

#include "base/digest.h"
#include "base/text.h"
#include "cassettes/file/takes.h"
#include "cassettes/read/reader_state.h"

namespace tapedeck::cassettes {

namespace {

/// A person sets each.
constexpr std::int64_t most_marks = 1'000'000;

/// The smallest digest that begins with these hex digits, and the smallest one after all of them.
std::pair<std::string, std::string> digest_range(std::string_view hex) {
  std::pair<std::string, std::string> range;
  for (const bool upper : {false, true}) {
    std::string padded(hex);
    padded.resize(digest_size * 2, upper ? 'f' : '0');
    std::string& bytes = upper ? range.second : range.first;
    for (std::size_t i = 0; i < padded.size(); i += 2) {
      bytes += static_cast<char>(std::stoi(padded.substr(i, 2), nullptr, 16));
    }
  }
  return range;
}

bool is_id_prefix(std::string_view id) { return id.size() >= 4 && id.size() <= digest_size * 2 && base::is_hex(id); }

}  // namespace

const CassetteInfo& CassetteReader::info() const { return impl_->info; }

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

std::vector<Mark> CassetteReader::marks() const {
  return impl_->guarded(long_statement, [&] {
    std::vector<Mark> marks;
    Query query(*impl_->database, "SELECT take, at_us, name FROM mark ORDER BY take, number LIMIT ?");
    query.integer(most_marks);
    while (query.step()) {
      marks.push_back({query.small(0), query.number(1, -largest_time, largest_time), query.string(2)});
    }
    return marks;
  });
}

std::optional<std::string> CassetteReader::first_scope_with(std::string_view key_text) const {
  return impl_->guarded(one_statement, [&]() -> std::optional<std::string> {
    const api::RequestKey key = api::RequestKey::parse(key_text);
    Query& query = impl_->queries.scopes_of_key;
    Rows rows(query);
    query.text(key.api.rest).text(key.method).text(key_text);
    if (!query.step()) return std::nullopt;
    return query.string(0);
  });
}

std::vector<api::RequestKey> CassetteReader::keys_of(std::string_view api_rest, std::string_view method,
                                                     std::size_t limit, bool is_call, std::string_view scope) const {
  return impl_->guarded(one_statement, [&] {
    const std::string folded = is_call ? base::fold(method) : std::string(method);
    std::vector<api::RequestKey> keys;
    const std::optional<std::int64_t> scope_row = impl_->scope_row(scope);
    if (!scope_row) return keys;
    Query& query = impl_->queries.keys_of_operation;
    Rows rows(query);
    query.text(api_rest).text(folded).integer(is_call).integer(*scope_row);
    query.integer(static_cast<std::int64_t>(std::min<std::size_t>(limit, INT32_MAX)));
    while (query.step()) {
      keys.push_back(api::RequestKey::parse(query.bytes(0)));
      keys.back().has_holes = query.flag(1);
    }
    return keys;
  });
}

bool CassetteReader::has_api(std::string_view api_rest) const {
  return impl_->guarded(one_statement, [&] {
    Query& query = impl_->queries.operations_of_api;
    Rows rows(query);
    return query.text(api_rest).step();
  });
}

std::vector<CassetteReader::Operation> CassetteReader::operations() const {
  return impl_->guarded(one_statement, [&] {
    std::vector<Operation> operations;
    Query& query = impl_->queries.operations;
    Rows rows(query);
    while (query.step()) {
      const api::ApiName name{query.string(0), query.string(1)};
      operations.push_back({name.full(), query.string(2), query.string(3)});
    }
    return operations;
  });
}

std::optional<FullInteraction> CassetteReader::get(std::string_view id) const {
  if (!is_id_prefix(id)) return std::nullopt;
  return impl_->guarded(one_statement, [&]() -> std::optional<FullInteraction> {
    const auto [low, high] = digest_range(id);
    std::vector<std::int64_t> found;
    {
      Query& query = impl_->queries.interaction_by_digest;
      Rows rows(query);
      query.blob(low).blob(high);
      while (query.step()) found.push_back(query.number(0));
    }
    if (found.empty()) return std::nullopt;
    if (found.size() > 1) {
      throw CassetteError(CassetteError::Kind::not_found,
                          impl_->path + ": several interactions begin with " + std::string(id) + "; give more digits");
    }
    return impl_->full(found.front());
  });
}

}  // namespace tapedeck::cassettes
