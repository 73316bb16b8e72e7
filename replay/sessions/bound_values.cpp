#include "replay/sessions/bound_values.h"

#include <algorithm>
#include <span>

#include "api/json_spans.h"
#include "api/key_text.h"
#include "base/text.h"
#include "http/message/urlencoded.h"
#include "scrubbers/search/credential.h"

namespace tapedeck::replay {
namespace {

struct Exchange {
  std::string from, to;
  const Tie* tie;
};

/// Returns true if a letter or digit is directly before `at`. In JSON, the `n`
/// of `\n` is not a letter.
bool adjoins_before(std::string_view text, std::size_t at) {
  if (at == 0 || !base::is_alnum(text[at - 1])) return false;
  std::size_t slashes = 0;
  while (slashes + 1 < at && text[at - 2 - slashes] == '\\') ++slashes;
  return slashes % 2 == 0;
}

bool stands_alone(std::string_view text, std::size_t at, std::size_t length) {
  const std::size_t end = at + length;
  return !adjoins_before(text, at) && (end == text.size() || !base::is_alnum(text[end]));
}

/// Appends `text` with all replacements made in one pass. If several match at one place, the longest is used.
void append_exchanged(std::string& out, std::string_view text, std::span<const Exchange> all,
                      std::vector<const Tie*>& used) {
  for (std::size_t done = 0;;) {
    const Exchange* best = nullptr;
    std::size_t place = text.size();
    for (const Exchange& one : all) {
      std::size_t at = text.find(one.from, done);
      while (at != std::string_view::npos && !stands_alone(text, at, one.from.size())) at = text.find(one.from, at + 1);
      if (at == std::string_view::npos || at > place) continue;
      if (at < place || one.from.size() > best->from.size()) best = &one;
      place = at;
    }
    out.append(text.substr(done, place - done));
    if (best == nullptr) return;
    out += best->to;
    used.push_back(best->tie);
    done = place + best->from.size();
  }
}

/// Returns the end of the JSON string that begins at `at`.
std::size_t end_of_string(std::string_view json, std::size_t at) {
  for (++at; at < json.size() && json[at] != '"'; ++at) at += json[at] == '\\' ? 1 : 0;
  return std::min(at + 1, json.size());
}

bool is_object_key(std::string_view json, std::size_t end) {
  const std::size_t next = json.find_first_not_of(" \t\r\n", end);
  return next != std::string_view::npos && json[next] == ':';
}

/// Replaces live values by recorded ones in a part of a key's text. Holes stay.
class KeyExchange {
 public:
  explicit KeyExchange(const std::vector<Tie>& ties) : ties_(ties) {
    for (const Tie& tie : ties) {
      if (tie.is_searched) searched_.push_back({tie.live, tie.recorded, &tie});
    }
  }

  void append(std::string& out, std::string_view escaped, api::KeyTextPart part) {
    while (!escaped.empty()) {
      const std::size_t hole = std::min(escaped.find('<'), escaped.size());
      std::string piece;
      append_exchanged(piece, http::percent_decode(escaped.substr(0, hole), false), searched_, used_);
      api::append_escaped(out, piece, part);
      const std::size_t end = hole == escaped.size() ? hole : std::min(escaped.find('>', hole) + 1, escaped.size());
      out.append(escaped.substr(hole, end - hole));
      escaped.remove_prefix(end);
    }
  }

  void append_item(std::string& out, const api::RequestKey::Item& item) {
    out.append(item.name).append("=");
    const std::string name = http::percent_decode(item.name, false), value = http::percent_decode(item.value, false);
    const auto whole = std::find_if(ties_.begin(), ties_.end(), [&](const Tie& tie) {
      return !item.has_hole && tie.param == name && tie.live == value;
    });
    if (whole == ties_.end()) return append(out, item.value, api::KeyTextPart::value);
    api::append_escaped(out, whole->recorded);
    used_.push_back(&*whole);
  }

  [[nodiscard]] const std::vector<const Tie*>& used() const { return used_; }

 private:
  const std::vector<Tie>& ties_;
  std::vector<Exchange> searched_;
  std::vector<const Tie*> used_;
};

std::string note_of(const std::vector<const Tie*>& used) {
  std::string note;
  for (const Tie* tie : used) {
    const std::string one = bound_note(*tie);
    if (note.find(one) == std::string::npos) note += (note.empty() ? "" : ", ") + one;
  }
  return note;
}

}  // namespace

Tie tie_of(std::uint32_t cassette_id, std::string_view param, std::string_view recorded, std::string_view live) {
  const bool is_searched = scrubbers::looks_like_credential(recorded) && scrubbers::looks_like_credential(live);
  return {cassette_id, std::string(param), std::string(recorded), std::string(live), is_searched};
}

std::string bound_note(const Tie& tie) {
  std::string note = "bound=";
  api::append_escaped(note, tie.param);
  return note;
}

std::vector<Tie> BoundValues::of(std::uint32_t cassette_id) const {
  if (count_.load(std::memory_order_relaxed) == 0) return {};
  const std::lock_guard lock(mutex_);
  std::vector<Tie> found;
  std::copy_if(ties_.begin(), ties_.end(), std::back_inserter(found),
               [cassette_id](const Tie& tie) { return tie.cassette_id == cassette_id; });
  return found;
}

bool BoundValues::add(const std::vector<Tie>& ties) {
  const std::lock_guard lock(mutex_);
  const auto is_taken = [this](const Tie& tie) {
    return std::any_of(ties_.begin(), ties_.end(), [&tie](const Tie& known) {
      return known.cassette_id == tie.cassette_id && (known.recorded == tie.recorded || known.live == tie.live);
    });
  };
  if (ties_.size() + ties.size() > most || std::any_of(ties.begin(), ties.end(), is_taken)) return false;
  ties_.insert(ties_.end(), ties.begin(), ties.end());
  count_.store(ties_.size(), std::memory_order_relaxed);
  return true;
}

void BoundValues::clear() {
  const std::lock_guard lock(mutex_);
  ties_.clear();
  count_.store(0, std::memory_order_relaxed);
}

std::optional<BoundKey> recorded_key(const api::RequestKey& key, const std::vector<Tie>& ties) {
  const std::string_view text = key.text, items = key.item_text();
  KeyExchange exchange(ties);
  std::string made;
  if (key.is_call) {
    made = text.substr(0, text.find_first_of("?#"));
  } else {
    const std::size_t path = text.find(' ') + 1;
    made = text.substr(0, path);
    exchange.append(made, text.substr(path, text.find_first_of("? ", path) - path), api::KeyTextPart::path);
  }
  char mark = '?';
  for (std::string_view rest = items; const auto item = api::RequestKey::next_item(rest); mark = '&') {
    made += mark;
    exchange.append_item(made, *item);
  }
  if (exchange.used().empty()) return std::nullopt;
  if (!key.body().empty()) made.append(key.is_call ? "#" : " #").append(key.body());
  return BoundKey{api::RequestKey::parse(made), note_of(exchange.used())};
}

std::optional<std::string> live_text(std::string_view json, const std::vector<Tie>& ties) {
  const std::size_t first = json.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || (json[first] != '{' && json[first] != '[')) return std::nullopt;
  std::vector<Exchange> all;
  for (const Tie& tie : ties) {
    const std::string from = api::json_quoted(tie.recorded), to = api::json_quoted(tie.live);
    const bool is_there = tie.is_searched && json.find(from.substr(1, from.size() - 2)) != std::string_view::npos;
    if (is_there) all.push_back({from.substr(1, from.size() - 2), to.substr(1, to.size() - 2), &tie});
  }
  if (all.empty()) return std::nullopt;
  std::string text;
  std::vector<const Tie*> used;
  for (std::size_t done = 0; done < json.size();) {
    const std::size_t begin = std::min(json.find('"', done), json.size());
    const std::size_t end = begin == json.size() ? begin : end_of_string(json, begin);
    text.append(json.substr(done, begin - done));
    if (begin < end && !is_object_key(json, end)) {
      append_exchanged(text, json.substr(begin, end - begin), all, used);
    } else {
      text.append(json.substr(begin, end - begin));
    }
    done = end;
  }
  return used.empty() ? std::nullopt : std::optional(std::move(text));
}

}  // namespace tapedeck::replay
