#include "scrubbers/json_scanner.h"

#include <algorithm>
#include <array>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "scrubbers/codec.h"

namespace tapedeck::scrubbers {
namespace {

enum CharClass : std::uint8_t { other, quote, apostrophe, open_object, open_array, close, space, word };

constexpr std::array<CharClass, 256> make_classes() {
  std::array<CharClass, 256> classes{};
  for (int c = 0; c < 256; ++c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
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

// How many of the 16 bytes at `from` stand before the first `mark` or backslash: 16 when there is none.
inline std::size_t before_end(const char* from, char mark) {
#ifdef __SSE2__
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  const __m128i ends = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(mark)),
                                    _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
  const int hits = _mm_movemask_epi8(ends);
  return hits == 0 ? 16 : static_cast<std::size_t>(__builtin_ctz(static_cast<unsigned>(hits)));
#else
  return static_cast<std::size_t>(
      std::find_if(from, from + 16, [mark](char c) { return c == mark || c == '\\'; }) - from);
#endif
}

struct Piece {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool escaped = false;
};

class Scanner {
 public:
  Scanner(std::string_view text, const NameTable& names, JsonVisitor& visitor, KeyLog* keys)
      : text_(text), data_(text.data()), size_(text.size()), names_(names), visitor_(visitor), keys_(keys) {}

  void run() {
    while (at_ < size_) {
      switch (class_of(data_[at_])) {
        case quote:
          on_string();
          break;
        case apostrophe:
          on_apostrophe();
          break;
        case open_object:
          push({}, true, -1);
          break;
        case open_array:
          push({}, false, -1);
          break;
        case close:
          pop();
          break;
        case word:
          on_word();
          break;
        default:
          ++at_;
      }
    }
  }

 private:
  struct Frame {
    std::uint32_t key_begin = 0, key_end = 0;  ///< equal when it has no key of its own
    std::int32_t tag = -1;                     ///< of a wanted array: its elements'
    bool is_object = false;
    bool escaped = false;
  };

  [[nodiscard]] bool in_object() const { return in_object_; }
  [[nodiscard]] int array_tag() const { return stack_.empty() || in_object() ? -1 : stack_.back().tag; }

  void push(const Piece& key, bool is_object, int tag) {
    stack_.push_back(
        {static_cast<std::uint32_t>(key.begin), static_cast<std::uint32_t>(key.end), tag, is_object, key.escaped});
    in_object_ = is_object;
    ++at_;
  }
  void pop() {
    if (!stack_.empty()) stack_.pop_back();
    in_object_ = !stack_.empty() && stack_.back().is_object;
    ++at_;
  }

  // The string whose opening quote is at `open`; one that is never closed reaches to the end of the text.
  [[nodiscard]] Piece string_at(std::size_t open, char mark) const;
  // Where the next mark or backslash stands, or a place at or behind the end of the text.
  [[nodiscard]] std::size_t next_mark(std::size_t at, char mark) const;
  [[nodiscard]] std::size_t behind(const Piece& string) const { return std::min(string.end + 1, text_.size()); }
  [[nodiscard]] std::size_t skip_space(std::size_t at) const {
    while (at < size_ && class_of(data_[at]) == space) ++at;
    return at;
  }
  [[nodiscard]] char byte(std::size_t at) const { return at < size_ ? data_[at] : '\0'; }

  void on_string();
  void on_apostrophe();
  void on_word();
  void on_key(const Piece& key, std::size_t next);
  void on_value(int tag, std::size_t at, const Piece& key);
  void on_string_value(int tag, Piece string);
  [[nodiscard]] std::size_t scalar_end(std::size_t at) const;
  [[nodiscard]] std::size_t end_of_broken_string(const Piece& string) const;
  [[nodiscard]] int tag_of(const Piece& key);
  // Apart from it, since hardly any key comes so far.
  [[nodiscard, gnu::noinline]] int tag_of_name(std::string_view name);
  [[nodiscard, gnu::noinline]] int tag_of_odd(std::string_view name);
  [[nodiscard]] JsonPath path_to(std::string key);

  std::string_view text_;
  const char* const data_;  // the same bytes, for the loops that have checked their bounds
  const std::size_t size_;
  const NameTable& names_;
  JsonVisitor& visitor_;
  KeyLog* keys_;
  std::size_t at_ = 0;
  bool in_object_ = false;  // the innermost open bracket is `{`
  std::vector<Frame> stack_;
  std::vector<std::string> path_;
};

std::size_t Scanner::next_mark(std::size_t at, char mark) const {
  while (at + 16 <= size_) {
    const std::size_t step = before_end(data_ + at, mark);
    at += step;
    if (step < 16) return at;
  }
  while (at < size_ && data_[at] != mark && data_[at] != '\\') ++at;
  return at;
}

inline Piece Scanner::string_at(std::size_t open, char mark) const {
  Piece piece{open + 1, next_mark(open + 1, mark), false};
  while (piece.end < size_ && data_[piece.end] == '\\') {
    piece.escaped = true;
    piece.end = next_mark(piece.end + 2, mark);
  }
  piece.end = std::min(piece.end, size_);
  return piece;
}

void Scanner::on_string() {
  const Piece string = string_at(at_, '"');
  const std::size_t after = behind(string);
  const std::size_t next = skip_space(after);
  if (byte(next) == ':' || in_object() || byte(next) == '=') {
    on_key(string, next);
    return;
  }
  on_string_value(array_tag(), string);
}

void Scanner::on_apostrophe() {
  if (!in_object() && array_tag() < 0) {
    ++at_;
    return;
  }
  const Piece string = string_at(at_, '\'');
  if (in_object()) {
    on_key(string, skip_space(behind(string)));
  } else {
    on_string_value(array_tag(), string);
  }
}

// A bare word: a key without quotes in an object, a number in an array.
void Scanner::on_word() {
  std::size_t end = at_;
  while (end < text_.size() && class_of(text_[end]) == word) ++end;
  const Piece piece{at_, end, false};
  std::size_t next = skip_space(end);
  if (byte(next) == '"' && byte(skip_space(next + 1)) == ':') next = skip_space(next + 1);
  if (in_object() || byte(next) == ':') {
    on_key(piece, next);
    return;
  }
  at_ = end;
  if (const int tag = array_tag(); tag >= 0) on_value(tag, piece.begin, {});
}

void Scanner::on_key(const Piece& key, std::size_t next) {
  if (keys_ != nullptr && key.end - key.begin >= 8) keys_->note(text_.substr(key.begin, key.end - key.begin));
  const int tag = tag_of(key);
  const bool separated = byte(next) == ':' || byte(next) == '=';
  if (!separated && tag < 0) {
    at_ = next;
    return;
  }
  const auto is_separator = [](char c) { return c == ':' || c == '=' || c == ',' || c == '>'; };
  if (tag >= 0) {
    while (next < text_.size() && (is_separator(text_[next]) || class_of(text_[next]) == space)) ++next;
  } else {
    next = skip_space(next + 1);
  }
  on_value(tag, next, key);
}

void Scanner::on_value(int tag, std::size_t at, const Piece& key) {
  at_ = at;
  if (at >= size_) return;
  switch (class_of(data_[at])) {
    case quote: {
      const Piece string = string_at(at, '"');
      // `"a":"b":"c"`: what looks like a value is the next key.
      if (byte(behind(string)) == ':') return;
      on_string_value(tag, string);
      return;
    }
    case apostrophe:
      on_string_value(tag, string_at(at, '\''));
      return;
    case open_object:
      push(key, true, -1);
      return;
    case open_array:
      push(key, false, tag);
      return;
    case close:
      return;
    default:
      break;
  }
  at_ = scalar_end(at);
  if (tag < 0) return;
  const std::string_view scalar = text_.substr(at, at_ - at);
  const bool plain = scalar.empty() || scalar == "null" || scalar == "true" || scalar == "false";
  if (!plain) visitor_.value(tag, at, at_, false);
}

std::size_t Scanner::scalar_end(std::size_t at) const {
  while (at < size_) {
    const CharClass c = class_of(data_[at]);
    if (c == close || c == space || c == quote || data_[at] == ',') break;
    ++at;
  }
  return at;
}

void Scanner::on_string_value(int tag, Piece string) {
  if (tag >= 0) string.end = end_of_broken_string(string);
  at_ = behind(string);
  if (byte(at_) == ',') ++at_;
  if (string.begin == string.end) return;
  if (tag >= 0) {
    visitor_.value(tag, string.begin, string.end, true);
  } else if (string.escaped && (text_[string.begin] == '{' || text_[string.begin] == '[')) {
    visitor_.nested(string.begin, string.end);
  }
}

// A wanted value with a bare quote inside goes on until a quote that something can follow.
std::size_t Scanner::end_of_broken_string(const Piece& string) const {
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

inline int Scanner::tag_of(const Piece& key) {
  const std::string_view name(data_ + key.begin, key.end - key.begin);
  if (name.empty()) return -1;
  const bool odd = key.escaped || class_of(name.front()) != word || class_of(name.back()) != word;
  if (!odd && !names_.may_have(name)) return -1;
  return odd ? tag_of_odd(name) : tag_of_name(name);
}

int Scanner::tag_of_name(std::string_view name) {
  return names_.find(name).empty() ? -1 : visitor_.wanted(name, path_to(std::string(name)));
}

int Scanner::tag_of_odd(std::string_view name) {
  const std::string decoded = decode_text(Codec::json, name.substr(0, 512));
  name = decoded;
  while (!name.empty() && class_of(name.front()) != word) name.remove_prefix(1);
  while (!name.empty() && class_of(name.back()) != word) name.remove_suffix(1);
  return tag_of_name(name);
}

JsonPath Scanner::path_to(std::string key) {
  constexpr std::size_t deepest = 64;  // of the nearest levels; a path of a rule is shorter
  path_.clear();
  path_.push_back(std::move(key));
  for (auto frame = stack_.rbegin(); frame != stack_.rend() && path_.size() < deepest; ++frame) {
    if (frame->key_begin == frame->key_end) continue;
    const std::string_view raw = text_.substr(frame->key_begin, frame->key_end - frame->key_begin);
    path_.push_back(frame->escaped ? decode_text(Codec::json, raw) : std::string(raw));
  }
  std::reverse(path_.begin(), path_.end());
  return path_;
}

}  // namespace

std::uint64_t KeyLog::hash(std::string_view key) {
  std::uint64_t head = 0;
  std::uint64_t tail = 0;
  if (key.size() >= 8) {
    std::memcpy(&head, key.data(), 8);
    std::memcpy(&tail, key.data() + key.size() - 8, 8);
  }
  std::uint64_t mixed = (head ^ (tail * 0x9E3779B97F4A7C15u) ^ key.size()) * 0xD6E8FEB86659FD93u;
  return mixed ^ (mixed >> 32);
}

void KeyLog::note(std::string_view key) {
  const std::uint64_t value = hash(key);
  if (hashes_.size() >= recent_.size() && recent_.size() < most_slots) {
    recent_.assign(recent_.empty() ? first_slots : 4 * recent_.size(), 0);
    hashes_.reserve(recent_.size());
  }
  std::uint64_t& slot = recent_.data()[value & (recent_.size() - 1)];
  if (slot == value) return;
  slot = value;
  if (hashes_.size() < most) hashes_.push_back(value);
}

void scan_json(std::string_view text, const NameTable& names, JsonVisitor& visitor, KeyLog* keys) {
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
