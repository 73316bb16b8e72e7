#include "scrubbers/private/private_search.h"

#include <algorithm>
#include <unordered_set>

#include "api/catalog.h"
#include "base/escapes.h"
#include "base/text.h"
#include "scrubbers/private/private_names.h"
#include "scrubbers/text/codec.h"

namespace tapedeck::scrubbers {
namespace {

/// Returns true for components of API names and for methods. "Storage", for example, is also a likely name of a share.
bool is_catalog_word(std::string_view folded) {
  static const std::unordered_set<std::string> words = [] {
    std::unordered_set<std::string> all;
    for (const api::CatalogOperation& operation : api::catalog()) {
      all.insert(base::fold(operation.method));
      std::string rest = base::fold(operation.api);
      for (std::size_t dot = rest.find('.'); dot != std::string::npos; dot = rest.find('.')) {
        all.insert(rest.substr(0, dot));
        rest.erase(0, dot + 1);
      }
      all.insert(rest);
    }
    return all;
  }();
  return words.contains(std::string(folded));
}

/// Returns true for words and numbers, which often occur inside of other words and numbers by chance.
bool needs_edges(std::string_view text) {
  constexpr std::size_t telling = 16, telling_number = 12, telling_mix = 8;
  const bool letters = std::none_of(text.begin(), text.end(), base::is_digit);
  const bool digits = std::all_of(text.begin(), text.end(), base::is_digit);
  return text.size() < (letters ? telling : digits ? telling_number : telling_mix);
}

/// Returns true if no word continues across `at`, whether in the text itself or in its decoded form.
bool begins_word(std::string_view text, std::size_t at) {
  if (at == 0 || !base::is_alnum(text[at - 1])) return true;
  if (at >= 3 && base::percent_escape(text.substr(at - 3)).length > 0) return true;
  if (at >= 2 && text[at - 2] == '\\') return true;
  return at >= 6 && text[at - 6] == '\\' && text[at - 5] == 'u';
}

bool ends_word(std::string_view text, std::size_t end) { return end >= text.size() || !base::is_alnum(text[end]); }

constexpr std::size_t far = 512;

/// Returns true if the text at `begin` is the value of `"api":`, `method=`, or a similar name of a request parameter.
bool is_of_interface(std::string_view text, std::size_t begin) {
  const std::size_t floor = begin > far ? begin - far : 0;
  std::size_t at = begin;
  while (at > floor && (base::is_alnum(text[at - 1]) || text[at - 1] == '.' || text[at - 1] == '_')) --at;
  std::size_t end = at;
  while (end > floor && std::string_view("\"':= \\").find(text[end - 1]) != std::string_view::npos) --end;
  if (end == at || text.substr(end, at - end).find_first_of(":=") == std::string_view::npos) return false;
  std::size_t name = end;
  while (name > floor && base::is_alnum(text[name - 1])) --name;
  const std::string said = base::fold(text.substr(name, end - name));
  return said == "api" || said == "method" || said == "version" || said == "success";
}

}  // namespace

bool is_json_key(std::string_view text, std::size_t end) {
  const std::size_t quote = text.substr(0, std::min(text.size(), end + far)).find_first_of("\"\n,{}", end);
  if (quote == std::string_view::npos || text[quote] != '"') return false;
  const std::size_t next = text.find_first_not_of(" \t\r\n\\", quote + 1);
  return next != std::string_view::npos && text[next] == ':';
}

void PrivateSearch::add(std::string_view text) {
  if (text.size() < shortest || is_common(text) || is_catalog_word(base::fold(text))) return;
  std::string capital = base::fold(text);
  capital.front() = base::upper(capital.front());
  std::string loud(text);
  std::transform(loud.begin(), loud.end(), loud.begin(), base::upper);
  std::vector<std::string> all = {std::string(text), base::fold(text), std::move(capital), std::move(loud)};
  for (std::string& spelling : all) {
    if (!known_.insert(spelling).second) continue;
    const auto place = static_cast<std::uint32_t>(spellings_.size());
    if (spelling.size() < SecretSearch::shortest) {
      short_.at(spelling.size() - shortest).emplace(spelling, place);
    } else {
      long_.add(place, arena_.keep(spelling));
    }
    spellings_.push_back(std::move(spelling));
  }
}

bool PrivateSearch::is_wanted(std::string_view text, const SearchHit& hit) const {
  const bool as_text = std::all_of(hit.encoding.begin(), hit.encoding.end(),
                                   [](const EncodingStep& step) { return codec_of(step.form).has_value(); });
  if (as_text && needs_edges(spellings_[hit.value]) && (!begins_word(text, hit.begin) || !ends_word(text, hit.end))) {
    return false;
  }
  return !is_json_key(text, hit.end) && !is_of_interface(text, hit.begin);
}

std::vector<SearchHit> PrivateSearch::search(std::string_view text) const {
  std::vector<SearchHit> hits = long_.search(text);
  for (std::size_t length = shortest; const auto& spellings : short_) {
    for (std::size_t at = 0; !spellings.empty() && at + length <= text.size(); ++at) {
      const auto found = spellings.find(text.substr(at, length));
      if (found != spellings.end()) hits.push_back({at, at + length, found->second, {}});
    }
    ++length;
  }
  std::erase_if(hits, [&](const SearchHit& hit) { return !is_wanted(text, hit); });
  return hits;
}

}  // namespace tapedeck::scrubbers
