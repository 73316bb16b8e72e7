#include "api/plain_success.h"

#include <array>
#include <optional>

#include "base/text.h"

namespace tapedeck::api {
namespace {

/// Bytes of a string that are neither its end nor an escape nor forbidden there.
constexpr std::array<bool, 256> plain_bytes = [] {
  std::array<bool, 256> plain{};
  for (std::size_t byte = 0x20; byte < plain.size(); ++byte) plain[byte] = byte != '"' && byte != '\\';
  return plain;
}();

/// Walks over JSON. Every member returns false where the text is no JSON, or a closer look is needed; it must not be
/// asked for more then.
class Checker {
 public:
  explicit Checker(std::string_view text) : text_(text) {}

  bool is_plain_success() {
    std::optional<bool> success;
    skip_space();
    if (!take('{')) return false;
    do {
      const std::size_t begin = at_;
      if (!string()) return false;
      const std::string_view key = text_.substr(begin, at_ - begin);
      if (key == "\"error\"" || key.find('\\') != std::string_view::npos || !colon()) return false;
      if (key == "\"success\"") {
        if (success || !word("true")) return false;
        success = true;
      } else if (!value(0)) {
        return false;
      }
      skip_space();
    } while (take(','));
    return take('}') && at_ == text_.size() && success;
  }

 private:
  static constexpr int deepest = 64;
  static constexpr std::size_t longest_number = 40;

  [[nodiscard]] char now() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  /// Takes `c` and the white space behind it.
  bool take(char c) {
    if (now() != c || at_ >= text_.size()) return false;
    ++at_;
    skip_space();
    return true;
  }

  void skip_space() {
    while (now() == ' ' || now() == '\t' || now() == '\n' || now() == '\r') ++at_;
  }

  bool colon() {
    skip_space();
    return take(':');
  }

  bool word(std::string_view expected) {
    if (text_.substr(at_, expected.size()) != expected) return false;
    at_ += expected.size();
    return true;
  }

  bool string() {
    if (now() != '"') return false;
    for (++at_; at_ < text_.size(); ++at_) {
      while (at_ < text_.size() && plain_bytes[static_cast<unsigned char>(text_[at_])]) ++at_;
      if (now() == '"') {
        ++at_;
        return true;
      }
      if (now() != '\\' || !escape()) return false;
    }
    return false;
  }

  /// From the backslash to its last byte. Surrogates come in pairs, which is for a parser.
  bool escape() {
    ++at_;
    if (now() != 'u') return at_ < text_.size() && std::string_view("\"\\/bfnrt").find(now()) != std::string_view::npos;
    const std::string_view hex = text_.substr(at_ + 1, 4);
    at_ += 4;
    return hex.size() == 4 && base::is_hex(hex) && base::fold(hex.front()) != 'd';
  }

  bool digits() {
    const std::size_t begin = at_;
    while (base::is_digit(now())) ++at_;
    return at_ > begin;
  }

  bool number() {
    const std::size_t begin = at_;
    if (now() == '-') ++at_;
    if (now() == '0') {
      ++at_;
    } else if (!digits()) {
      return false;
    }
    if (now() == '.') {
      ++at_;
      if (!digits()) return false;
    }
    return now() != 'e' && now() != 'E' && !base::is_digit(now()) && at_ - begin <= longest_number;
  }

  bool value(int depth) {
    if (depth > deepest) return false;
    switch (now()) {
      case '"':
        return string();
      case '{':
        return object(depth);
      case '[':
        return array(depth);
      case 't':
        return word("true");
      case 'f':
        return word("false");
      case 'n':
        return word("null");
      default:
        return number();
    }
  }

  bool object(int depth) {
    take('{');
    if (now() == '}') return take_last();
    do {
      if (!string() || !colon() || !value(depth + 1)) return false;
      skip_space();
    } while (take(','));
    return now() == '}' && take_last();
  }

  bool array(int depth) {
    take('[');
    if (now() == ']') return take_last();
    do {
      if (!value(depth + 1)) return false;
      skip_space();
    } while (take(','));
    return now() == ']' && take_last();
  }

  bool take_last() {
    ++at_;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

bool is_plain_success(std::string_view body) { return Checker(body).is_plain_success(); }

}  // namespace tapedeck::api
