#include "scrubbers/text/json_scanner.h"

#include <algorithm>
#include <array>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/text.h"
#include "scrubbers/redaction.h"
#include "scrubbers/text/codec.h"

namespace tapedeck::scrubbers {
namespace {

enum CharClass : std::uint8_t { other, quote, apostrophe, open_object, open_array, close, space, word };

constexpr std::array<CharClass, 256> make_classes() {
  std::array<CharClass, 256> classes{};
  for (int c = 0; c < 256; ++c) {
    const bool letter = base::is_alnum(c);
    classes[static_cast<std::size_t>(c)] = letter || c == '_' || c == '$' || c == '-' || c == '.' ? word : other;
  }
  classes['"'] = quote;
  classes['\''] = apostrophe;
  classes['{'] = open_object;
  classes['['] = open_array;
  classes['}'] = classes[']'] = close;
  classes[' '] = classes['\t'] = classes['\n'] = classes['\r'] = space;
  return classes;
}
constexpr std::array<CharClass, 256> classes = make_classes();

CharClass class_of(char c) { return classes[static_cast<std::uint8_t>(c)]; }

bool is_space(char c) { return class_of(c) == space; }

// One bit for each of the 16 bytes at `from` that is `mark` or a backslash, the first one's the lowest.
inline unsigned ends_in_16(const char* from, char mark) {
#ifdef __SSE2__
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  const __m128i ends =
      _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(mark)), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
  return static_cast<unsigned>(_mm_movemask_epi8(ends));
#else
  const char* end = std::find_if(from, from + 16, [mark](char c) { return c == mark || c == '\\'; });
  return end == from + 16 ? 0u : 1u << (end - from);
#endif
}

// What ends a number, true, false or null.
constexpr std::array<bool, 256> make_scalar_ends() {
  std::array<bool, 256> ends{};
  for (std::size_t c = 0; c < 256; ++c) ends[c] = classes[c] == close || classes[c] == space || classes[c] == quote;
  ends[','] = true;
  return ends;
}
constexpr std::array<bool, 256> scalar_ends = make_scalar_ends();

struct Piece {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool escaped = false;
};

// A string's inside, and the place behind its closing quote or the end of the text.
struct QuotedPiece : Piece {
  std::size_t behind = 0;
};

template <class Word>
bool same_head_and_tail(const char* one, const char* other, std::size_t size) {
  const auto same_at = [&](std::size_t at) {
    Word a, b;
    std::memcpy(&a, one + at, sizeof a);
    std::memcpy(&b, other + at, sizeof b);
    return a == b;
  };
  return same_at(0) && same_at(size - sizeof(Word));
}

// Of names: most are compared in less time than a call of memcmp() takes.
bool same_bytes(const char* one, const char* other, std::size_t size) {
  if (size < 2 || size > 16) return std::memcmp(one, other, size) == 0;
  if (size < 4) return same_head_and_tail<std::uint16_t>(one, other, size);
  return size < 8 ? same_head_and_tail<std::uint32_t>(one, other, size)
                  : same_head_and_tail<std::uint64_t>(one, other, size);
}

// The on_… functions take a place in the text and return where to go on. Those for what nearly every body consists of,
// strings as keys and values that no rule wants, are one piece of code after inlining; the rest is kept out of it.
class Scanner {
 public:
  Scanner(std::string_view text, const KeyNames& names, JsonVisitor& visitor, KeyLog* keys)
      : text_(text), data_(text.data()), size_(text.size()), names_(names), visitor_(visitor), keys_(keys) {
    constexpr std::size_t usual_depth = 16;
    stack_.reserve(usual_depth);
  }

  void run() {
    for (std::size_t at = 0; at < size_;) at = data_[at] == '"' ? on_string(at) : on_other(at);
  }

 private:
  struct Frame {
    std::uint32_t key_begin = 0, key_end = 0;  ///< equal when it has no key of its own
    std::uint32_t begin = 0;                   ///< of its bracket
    std::int32_t tag = -1;                     ///< of a wanted array: its elements'
    bool is_object = false;
    bool escaped = false;
  };

  [[nodiscard]] int array_tag() const { return stack_.empty() || in_object_ ? -1 : stack_.back().tag; }

  // 63 MB of brackets must not become a gigabyte of frames. Beyond the deepest level keys are still keys by their
  // colons; only arrays of wanted values and paths of rules end there.
  static constexpr std::size_t deepest = 100'000;

  void push(std::size_t at, Piece key, bool is_object, int tag) {
    if (stack_.size() == deepest) {
      ++beyond_;
      in_object_ = is_object;
      return;
    }
    stack_.push_back({static_cast<std::uint32_t>(key.begin), static_cast<std::uint32_t>(key.end),
                      static_cast<std::uint32_t>(at), tag, is_object, key.escaped});
    in_object_ = is_object;
  }
  void pop() {
    if (beyond_ > 0) {
      --beyond_;
    } else if (!stack_.empty()) {
      stack_.pop_back();
    }
    in_object_ = !stack_.empty() && stack_.back().is_object;
  }

  // The string whose opening quote is at `open`; one that is never closed reaches to the end of the text.
  [[nodiscard]] QuotedPiece string_at(std::size_t open, char mark) const;
  // Where the next mark or backslash stands, or a place at or behind the end of the text.
  [[nodiscard]] std::size_t next_mark(std::size_t at, char mark) const;
  [[nodiscard, gnu::noinline]] std::size_t next_far_mark(std::size_t at, char mark) const;
  [[nodiscard]] bool closes(std::size_t at, char mark) const { return at < size_ && data_[at] == mark; }
  [[nodiscard]] static QuotedPiece plain_string(std::size_t open, std::size_t end) {
    return {{open + 1, end, false}, end + 1};
  }
  // One whose first backslash is at `at`, or that has no end.
  [[nodiscard, gnu::noinline]] QuotedPiece odd_string_at(std::size_t open, std::size_t at, char mark) const;
  [[nodiscard]] std::size_t skip_space(std::size_t at) const {
    // Few tokens have any before them.
    return static_cast<std::uint8_t>(byte(at)) > ' ' ? at : skip_some_space(at);
  }
  [[nodiscard, gnu::noinline]] std::size_t skip_some_space(std::size_t at) const {
    while (at < size_ && is_space(data_[at])) ++at;
    return at;
  }
  [[nodiscard]] std::size_t behind_comma(std::size_t at) const { return byte(at) == ',' ? at + 1 : at; }
  [[nodiscard]] std::size_t skip_separators(std::size_t at) const;
  [[nodiscard]] char byte(std::size_t at) const { return at < size_ ? data_[at] : '\0'; }

  std::size_t on_string(std::size_t at);
  std::size_t on_whole_string(QuotedPiece string);
  [[gnu::noinline]] std::size_t on_odd_string(std::size_t at, std::size_t end) {
    return on_whole_string(odd_string_at(at, end, '"'));
  }
  std::size_t on_other(std::size_t at);
  [[gnu::noinline]] std::size_t on_apostrophe(std::size_t at);
  [[gnu::noinline]] std::size_t on_apostrophe_value(int tag, std::size_t at);
  [[gnu::noinline]] std::size_t on_word(std::size_t at);
  [[gnu::noinline]] std::size_t on_bare_key(Piece key, std::size_t next) { return on_key(key, next); }
  [[gnu::noinline]] std::size_t on_wanted_value(int tag, std::size_t at, Piece key) { return on_value(tag, at, key); }
  std::size_t on_key(Piece key, std::size_t next);
  std::size_t on_value(int tag, std::size_t at, Piece key);
  std::size_t on_value_or_key(int tag, QuotedPiece string);
  [[gnu::noinline]] std::size_t on_odd_value(int tag, std::size_t at, std::size_t end) {
    return on_value_or_key(tag, odd_string_at(at, end, '"'));
  }
  std::size_t on_scalar(int tag, std::size_t at);
  std::size_t on_string_value(int tag, QuotedPiece string);
  [[gnu::noinline]] std::size_t on_wanted_string(int tag, QuotedPiece string) { return on_string_value(tag, string); }
  [[nodiscard, gnu::noinline]] std::size_t end_of_broken_string(Piece string) const;
  [[nodiscard]] int tag_of(Piece key);
  [[nodiscard, gnu::noinline]] int tag_of_name(std::string_view name);
  [[nodiscard, gnu::noinline]] int tag_of_odd(std::string_view name);
  [[nodiscard]] int ask(std::string_view name, KeyChance chance);
  [[nodiscard]] JsonPath path_to(std::string key);

  // The last name of each place: a body has few different keys, and each of them many times.
  struct KnownName {
    const char* data = nullptr;  ///< in the text
    std::uint32_t size = 0;
    KeyChance chance = KeyChance::none;
  };
  static constexpr std::size_t places = 64;
  static std::size_t place_of(std::string_view name) {
    const auto byte = [name](std::size_t at) { return static_cast<std::size_t>(static_cast<std::uint8_t>(name[at])); };
    return (byte(0) * 5 + byte(name.size() / 2) * 3 + byte(name.size() - 1) + name.size() * 11) % places;
  }

  std::array<KnownName, places> known_names_{};
  std::string_view text_;
  const char* const data_;  // the same bytes, for the loops that have checked their bounds
  const std::size_t size_;
  const KeyNames& names_;
  JsonVisitor& visitor_;
  KeyLog* keys_;
  bool in_object_ = false;  // the innermost open bracket is `{`
  std::size_t beyond_ = 0;  // levels that are open below the deepest one that is kept
  std::vector<Frame> stack_;
  std::vector<std::string> path_;
};

[[gnu::always_inline]] inline std::size_t Scanner::next_mark(std::size_t at, char mark) const {
  if (at + 16 <= size_) {
    const unsigned ends = ends_in_16(data_ + at, mark);
    if (ends != 0) return at + static_cast<unsigned>(__builtin_ctz(ends));
  }
  return next_far_mark(at, mark);
}

std::size_t Scanner::next_far_mark(std::size_t at, char mark) const {
  for (; at + 16 <= size_; at += 16) {
    const unsigned ends = ends_in_16(data_ + at, mark);
    if (ends != 0) return at + static_cast<unsigned>(__builtin_ctz(ends));
  }
  while (at < size_ && data_[at] != mark && data_[at] != '\\') ++at;
  return at;
}

[[gnu::always_inline]] inline QuotedPiece Scanner::string_at(std::size_t open, char mark) const {
  const std::size_t end = next_mark(open + 1, mark);
  return closes(end, mark) ? plain_string(open, end) : odd_string_at(open, end, mark);
}

QuotedPiece Scanner::odd_string_at(std::size_t open, std::size_t at, char mark) const {
  QuotedPiece piece{{open + 1, at, false}, 0};
  while (at < size_ && data_[at] == '\\') {
    piece.escaped = true;
    at = next_mark(at + 2, mark);
  }
  piece.end = std::min(at, size_);
  piece.behind = std::min(at + 1, size_);
  return piece;
}

[[gnu::always_inline]] inline std::size_t Scanner::on_string(std::size_t at) {
  const std::size_t end = next_mark(at + 1, '"');
  return closes(end, '"') ? on_whole_string(plain_string(at, end)) : on_odd_string(at, end);
}

[[gnu::always_inline]] inline std::size_t Scanner::on_whole_string(QuotedPiece string) {
  const std::size_t next = skip_space(string.behind);
  if (in_object_ || byte(next) == ':' || byte(next) == '=') return on_key(string, next);
  const int tag = array_tag();
  return tag < 0 ? on_string_value(-1, string) : on_wanted_string(tag, string);
}

inline std::size_t Scanner::on_other(std::size_t at) {
  switch (class_of(data_[at])) {
    case apostrophe:
      return on_apostrophe(at);
    case open_object:
      push(at, {}, true, -1);
      break;
    case open_array:
      push(at, {}, false, -1);
      break;
    case close:
      pop();
      break;
    case word:
      return on_word(at);
    default:
      break;
  }
  return at + 1;
}

std::size_t Scanner::on_apostrophe(std::size_t at) {
  if (!in_object_ && array_tag() < 0) return at + 1;
  if (!in_object_) return on_apostrophe_value(array_tag(), at);
  const QuotedPiece string = string_at(at, '\'');
  return on_bare_key(string, skip_space(string.behind));
}

std::size_t Scanner::on_apostrophe_value(int tag, std::size_t at) { return on_string_value(tag, string_at(at, '\'')); }

// A bare word: a key without quotes in an object, a number in an array.
std::size_t Scanner::on_word(std::size_t at) {
  std::size_t end = at;
  while (end < size_ && class_of(data_[end]) == word) ++end;
  std::size_t next = skip_space(end);
  if (byte(next) == '"' && byte(skip_space(next + 1)) == ':') next = skip_space(next + 1);
  if (in_object_ || byte(next) == ':') return on_bare_key({at, end, false}, next);
  const int tag = array_tag();
  return tag < 0 ? end : on_wanted_value(tag, at, {});
}

[[gnu::always_inline]] inline std::size_t Scanner::on_key(Piece key, std::size_t next) {
  if (keys_ != nullptr && key.end - key.begin >= 8) keys_->note({data_ + key.begin, key.end - key.begin});
  const int tag = tag_of(key);
  if (tag >= 0) return on_wanted_value(tag, skip_separators(next), key);
  if (byte(next) != ':' && byte(next) != '=') return next;
  return on_value(-1, skip_space(next + 1), key);
}

std::size_t Scanner::skip_separators(std::size_t at) const {
  const auto is_separator = [](char c) { return c == ':' || c == '=' || c == ',' || c == '>'; };
  while (at < size_ && (is_separator(data_[at]) || is_space(data_[at]))) ++at;
  return at;
}

[[gnu::always_inline]] inline std::size_t Scanner::on_value(int tag, std::size_t at, Piece key) {
  if (at >= size_) return at;
  if (data_[at] == '"') {
    const std::size_t end = next_mark(at + 1, '"');
    return closes(end, '"') ? on_value_or_key(tag, plain_string(at, end)) : on_odd_value(tag, at, end);
  }
  switch (class_of(data_[at])) {
    case apostrophe:
      return on_apostrophe_value(tag, at);
    case open_object:
      push(at, key, true, -1);
      return at + 1;
    case open_array:
      push(at, key, false, tag);
      return at + 1;
    case close:
      return at;
    default:
      return on_scalar(tag, at);
  }
}

// `"a":"b":"c"`: what looks like a value is the next key.
[[gnu::always_inline]] inline std::size_t Scanner::on_value_or_key(int tag, QuotedPiece string) {
  return byte(string.behind) == ':' ? string.begin - 1 : on_string_value(tag, string);
}

[[gnu::always_inline]] inline std::size_t Scanner::on_scalar(int tag, std::size_t at) {
  std::size_t end = at;
  while (end < size_ && !scalar_ends[static_cast<std::uint8_t>(data_[end])]) ++end;
  if (tag < 0) return behind_comma(end);
  const std::string_view scalar = text_.substr(at, end - at);
  const bool plain = scalar.empty() || scalar == "null" || scalar == "true" || scalar == "false";
  if (!plain) visitor_.value(tag, at, end, false);
  return behind_comma(end);
}

[[gnu::always_inline]] inline std::size_t Scanner::on_string_value(int tag, QuotedPiece string) {
  if (tag >= 0) string.end = end_of_broken_string(string);
  const std::size_t at = tag >= 0 ? std::min(string.end + 1, size_) : string.behind;
  if (string.begin < string.end && tag >= 0) {
    visitor_.value(tag, string.begin, string.end, true);
  } else if (string.escaped && (data_[string.begin] == '{' || data_[string.begin] == '[')) {
    visitor_.nested(string.begin, string.end);
  }
  return behind_comma(at);
}

// A wanted value with a bare quote inside goes on until a quote that something can follow.
std::size_t Scanner::end_of_broken_string(Piece string) const {
  std::size_t end = string.end;
  while (end < text_.size()) {
    const std::size_t next = skip_space(end + 1);
    const char c = byte(next);
    if (next >= text_.size() || c == ',' || c == '}' || c == ']' || c == '\0' || c == ')' || c == ';') break;
    if (c == '"' || c == ':') break;  // a missing comma, or a key after all
    end = text_.find(text_[end], end + 1);
    if (end == std::string_view::npos) return text_.size();
  }
  return end;
}

[[gnu::always_inline]] inline int Scanner::tag_of(Piece key) {
  const std::string_view name(data_ + key.begin, key.end - key.begin);
  if (name.empty()) return -1;
  const bool odd = key.escaped || class_of(name.front()) != word || class_of(name.back()) != word;
  if (!odd && !names_.may_have(name)) return -1;
  return odd ? tag_of_odd(name) : tag_of_name(name);
}

int Scanner::tag_of_name(std::string_view name) {
  KnownName& known = known_names_[place_of(name)];
  if (known.size != name.size() || !same_bytes(known.data, name.data(), name.size())) {
    known = {name.data(), static_cast<std::uint32_t>(name.size()), visitor_.chance_of(name)};
  }
  return known.chance == KeyChance::none ? -1 : ask(name, known.chance);
}

int Scanner::ask(std::string_view name, KeyChance chance) {
  const JsonPath path = chance == KeyChance::by_path ? path_to(std::string(name)) : JsonPath();
  return visitor_.wanted(name, path, stack_.empty() ? 0 : stack_.back().begin);
}

int Scanner::tag_of_odd(std::string_view name) {
  const std::string decoded = decode_text(Codec::json, name.substr(0, 512));
  if (is_placeholder(decoded)) return -1;
  name = decoded;
  while (!name.empty() && class_of(name.front()) != word) name.remove_prefix(1);
  while (!name.empty() && class_of(name.back()) != word) name.remove_suffix(1);
  const KeyChance chance = names_.may_have(name) ? visitor_.chance_of(name) : KeyChance::none;
  return chance == KeyChance::none ? -1 : ask(name, chance);
}

JsonPath Scanner::path_to(std::string key) {
  constexpr std::size_t most_levels = 64;  // of the nearest levels; a path of a rule is shorter
  path_.clear();
  path_.push_back(std::move(key));
  for (auto frame = stack_.rbegin(); frame != stack_.rend() && path_.size() < most_levels; ++frame) {
    if (frame->key_begin == frame->key_end) continue;
    const std::string_view raw = text_.substr(frame->key_begin, frame->key_end - frame->key_begin);
    path_.push_back(frame->escaped ? decode_text(Codec::json, raw) : std::string(raw));
  }
  std::reverse(path_.begin(), path_.end());
  return path_;
}

}  // namespace

void scan_json(std::string_view text, const KeyNames& names, JsonVisitor& visitor, KeyLog* keys) {
  Scanner(text, names, visitor, keys).run();
}

bool looks_like_json(std::string_view text) {
  const std::string_view head = text.substr(0, 256);
  std::size_t at = head.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  if (head.substr(at).starts_with(")]}'")) return true;
  const auto skip = [&](CharClass skipped) {
    while (at < head.size() && class_of(head[at]) == skipped) ++at;
  };
  skip(space);
  const std::size_t name = at;
  skip(word);
  if (at > name) {
    if (at == head.size() || head[at] != '(') return false;
    ++at;
    skip(space);
  }
  return at < head.size() && (head[at] == '{' || head[at] == '[' || (at == name && head[at] == '"'));
}

}  // namespace tapedeck::scrubbers
