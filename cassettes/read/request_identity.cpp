#include "cassettes/read/request_identity.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "cassettes/read/generated_value.h"
#include "scrubbers/redaction/header_identity.h"

namespace tapedeck::cassettes {
namespace {

/// A header with more values is taken for an ID of requests.
constexpr std::size_t most_values = 1'000;
/// The number of interactions that are compared for one header.
constexpr std::size_t most_compared = 20'000;

/// The requests of all cassettes that have one header which may tell them apart.
class Candidate {
 public:
  void note(std::size_t cassette, std::int64_t set, std::string_view value) {
    if (has_too_many_) return;
    ++values_[std::string(value)];
    sets_[cassette].insert(set);
    has_too_many_ = values_.size() > most_values;
    if (has_too_many_) sets_.clear();
  }
  /// Returns true if the header tells requests apart.
  [[nodiscard]] bool is_identity(const std::string& name, const std::vector<const CassetteReader*>& cassettes) const;

 private:
  struct One {
    std::string value, response;
    std::tuple<std::size_t, std::uint32_t, std::uint32_t> session;  ///< with cassette and take
    bool is_generated = false, is_time = false;
  };
  [[nodiscard]] static bool shows_identity(const One& a, const One& b) {
    const bool may_be_drawn = a.is_generated && b.is_generated && a.session != b.session;
    return a.value != b.value && a.response != b.response && !may_be_drawn && !(a.is_time && b.is_time);
  }

  std::map<std::string, std::size_t> values_;
  std::map<std::size_t, std::set<std::int64_t>> sets_;  ///< of each cassette
  bool has_too_many_ = false;
};

bool Candidate::is_identity(const std::string& name, const std::vector<const CassetteReader*>& cassettes) const {
  const bool may_differ = values_.size() > 1 || (values_.size() == 1 && values_.begin()->first.find('<') != base::npos);
  if (has_too_many_ || !may_differ) return false;
  constexpr std::size_t most_kept = 64;
  api::IdentityHeaders names;
  names.add(name);
  std::set<std::string> once;
  std::map<std::string, std::vector<One>> calls;
  bool is_repeated = false, is_shown = false;
  std::size_t compared = 0;
  for (const auto& [cassette, sets] : sets_) {
    const CassetteReader& reader = *cassettes[cassette];
    const RequestIdentities identities(reader, names);
    for (const std::int64_t set : sets) {
      reader.requests_with(set, [&, place = cassette](const RequestWithHeaders& request) {
        const std::string text = identities.of(reader, set, request.interaction);
        const std::string_view value = std::string_view(text).substr(name.size() + 1, text.size() - name.size() - 2);
        const One one{text,
                      request.response,
                      {place, request.take, request.session},
                      value.find('<') != base::npos || looks_generated(value, request.started_us),
                      is_time_near(value, request.started_us)};
        std::vector<One>& others = calls[request.scope + "\n" + request.key];
        is_shown = is_shown || std::any_of(others.begin(), others.end(),
                                           [&](const One& other) { return shows_identity(one, other); });
        if (others.size() < most_kept) others.push_back(one);
        is_repeated = is_repeated || !once.insert(text).second;
        const bool is_decided = (is_shown && is_repeated) || once.size() > most_values;
        return !is_decided && ++compared < most_compared;
      });
      if (once.size() > most_values) return false;
      if (is_shown && is_repeated) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<std::string> learned_identity_headers(const std::vector<const CassetteReader*>& cassettes) {
  const api::IdentityHeaders known = api::IdentityHeaders::known();
  std::map<std::string, Candidate> candidates;
  for (std::size_t i = 0; i < cassettes.size(); ++i) {
    cassettes[i]->request_header_sets([&](std::int64_t set, const http::Headers& headers) {
      for (const http::Header& line : headers) {
        if (known.contains(line.name) || api::is_never_identity(line.name)) continue;
        candidates[base::fold(line.name)].note(i, set, line.value);
      }
    });
  }
  std::vector<std::string> learned;
  for (const auto& [name, candidate] : candidates) {
    if (candidate.is_identity(name, cassettes)) learned.push_back(name);
  }
  return learned;
}

RequestIdentities::RequestIdentities(const CassetteReader& cassette, const api::IdentityHeaders& headers)
    : headers_(headers) {
  if (headers.names().empty()) return;
  cassette.request_header_sets([&](std::int64_t id, const http::Headers& lines) {
    const std::vector<api::HeaderValue> values = headers_.values_of(lines);
    if (values.empty()) return;
    const bool may_have_hole = std::any_of(values.begin(), values.end(), [](const api::HeaderValue& one) {
      return one.value.find('<') != std::string::npos;
    });
    if (may_have_hole) {
      sets_[id].headers = lines;
    } else {
      sets_[id].text = scrubbers::identity_text(lines, headers_, {});
    }
  });
}

std::string RequestIdentities::of(const CassetteReader& reader, std::int64_t header_set,
                                  std::int64_t interaction) const {
  const auto found = sets_.find(header_set);
  if (found == sets_.end()) return {};
  const Set& set = found->second;
  if (!set.text.empty()) return set.text;
  return scrubbers::identity_text(set.headers, headers_, reader.request_redactions(interaction));
}

std::unordered_map<std::int64_t, std::string> RequestIdentities::by_interaction(const CassetteReader& reader) const {
  std::unordered_map<std::int64_t, std::string> texts;
  for (const auto& [id, set] : sets_) {
    reader.requests_with(id, [&, header_set = id](const RequestWithHeaders& request) {
      texts[request.interaction] = of(reader, header_set, request.interaction);
      return true;
    });
  }
  return texts;
}

}  // namespace tapedeck::cassettes
