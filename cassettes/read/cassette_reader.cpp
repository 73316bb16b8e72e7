#include "cassettes/read/cassette_reader.h"

#include <algorithm>

#include "base/text.h"
#include "cassettes/read/reader_state.h"

namespace tapedeck::cassettes {

namespace {

/// The limit for marks, each of which a person sets.
constexpr std::int64_t most_marks = 1'000'000;

/// Returns the smallest and the largest digest that begin with these hex digits.
std::pair<std::string, std::string> digest_range(std::string_view hex) {
  std::pair<std::string, std::string> range;
  for (const bool upper : {false, true}) {
    std::string padded(hex);
    padded.resize(interaction_name_size * 2, upper ? 'f' : '0');
    std::string& bytes = upper ? range.second : range.first;
    for (std::size_t i = 0; i < padded.size(); i += 2) {
      bytes += static_cast<char>(std::stoi(padded.substr(i, 2), nullptr, 16));
    }
  }
  return range;
}

bool is_id_prefix(std::string_view id) {
  return id.size() >= 4 && id.size() <= interaction_name_size * 2 && base::is_hex(id);
}

}  // namespace

const CassetteInfo& CassetteReader::info() const { return impl_->info; }

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

std::vector<api::RequestKey> CassetteReader::keys_of(std::string_view api_rest, std::string_view method,
                                                     std::size_t limit, bool is_call, std::string_view scope) const {
  return impl_->guarded(one_statement, [&] {
    const std::string folded = is_call ? base::fold(method) : std::string(method);
    std::vector<api::RequestKey> keys;
    const std::optional<std::int64_t> scope_row = impl_->scope_row(scope);
    if (!scope_row) return keys;
    Query& query = impl_->queries.keys_of;
    Rows rows(query);
    query.integer(is_call).text(api_rest).text(folded).integer(*scope_row);
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
    Query& query = impl_->queries.has_api;
    Rows rows(query);
    return query.text(api_rest).step();
  });
}

std::vector<CassetteReader::Operation> CassetteReader::operations() const {
  return impl_->guarded(long_statement, [&] { return impl_->load_operations(); });
}

std::optional<FullInteraction> CassetteReader::get(std::string_view id) const {
  if (!is_id_prefix(id)) return std::nullopt;
  return impl_->guarded(one_statement, [&]() -> std::optional<FullInteraction> {
    const auto [low, high] = digest_range(id);
    std::vector<std::int64_t> found;
    {
      Query& query = impl_->queries.interaction_by_name;
      Rows rows(query);
      query.blob(low).blob(high);
      while (query.step()) found.push_back(query.number(0));
    }
    if (found.empty()) return std::nullopt;
    if (found.size() > 1) {
      throw CassetteError(CassetteError::Kind::not_found, impl_->path + ": several interaction IDs begin with " +
                                                              std::string(id) + "\nhint: give more digits");
    }
    return impl_->full(found.front());
  });
}

}  // namespace tapedeck::cassettes
