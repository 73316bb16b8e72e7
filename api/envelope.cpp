#include "api/envelope.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "api/json_spans.h"
#include "api/plain_json.h"
#include "base/text.h"

namespace tapedeck::api {
namespace {

/// Watches for "success" and "error.code" at their places; everything else passes by. Of duplicate keys the last wins,
/// as it does for clients.
class VerdictReader {
 public:
  [[nodiscard]] std::optional<Verdict> verdict() const {
    if (!is_object_ || !success_) return std::nullopt;
    return Verdict{*success_, error_code_};
  }

  bool null() { return other_value(); }
  bool boolean(bool value) {
    if (depth_ == 1 && key_ == Key::success) {
      success_ = value;
      return true;
    }
    return other_value();
  }
  bool number_integer(std::int64_t value) { return number(value); }
  bool number_unsigned(std::uint64_t value) {
    return number(value > std::numeric_limits<std::int32_t>::max() ? -1 : static_cast<std::int64_t>(value));
  }
  bool number_float(double, std::string_view) { return other_value(); }
  bool string(std::string_view value) {
    // Devices write numbers as strings often enough (docs/device-notes.md, "Responses").
    const auto code = base::whole_number<int>(value);
    return code ? number(*code) : other_value();
  }
  static bool binary(const std::vector<std::uint8_t>&) { return false; }
  bool start_object(std::size_t) {
    if (depth_ == 0) is_object_ = true;
    if (depth_ == 1) {
      in_error_ = key_ == Key::error;
      if (in_error_) error_code_.reset();
    }
    return open();
  }
  bool start_array(std::size_t) {
    if (depth_ == 1) in_error_ = false;
    return open();
  }
  bool key(std::string_view name) {
    key_ = name == "success" ? Key::success : name == "error" ? Key::error : name == "code" ? Key::code : Key::other;
    return true;
  }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  template <typename Exception>
  static bool parse_error(std::size_t, const std::string&, const Exception&) {
    return false;
  }

 private:
  enum class Key { other, success, error, code };

  bool open() {
    other_value();
    ++depth_;
    key_ = Key::other;
    return true;
  }
  bool close() {
    --depth_;
    return true;
  }
  bool number(std::int64_t value) {
    if (depth_ != 2 || !in_error_ || key_ != Key::code) return other_value();
    const bool fits = value >= 0 && value <= std::numeric_limits<std::int32_t>::max();
    error_code_ = fits ? std::optional<int>(static_cast<int>(value)) : std::nullopt;
    return true;
  }
  /// A value that is none of ours: a later "success": "yes" undoes an earlier one.
  bool other_value() {
    if (depth_ == 1 && key_ == Key::success) success_.reset();
    return true;
  }

  std::size_t depth_ = 0;
  Key key_ = Key::other;
  bool is_object_ = false;
  bool in_error_ = false;
  std::optional<bool> success_;
  std::optional<int> error_code_;
};

bool read(std::string_view body, VerdictReader& reader) {
  return nlohmann::json::sax_parse(body.begin(), body.end(), &reader);
}

}  // namespace

bool ends_session(std::optional<int> error_code) {
  return error_code == static_cast<int>(ErrorCode::session_timed_out) ||
         error_code == static_cast<int>(ErrorCode::session_displaced) ||
         error_code == static_cast<int>(ErrorCode::session_not_found);
}

bool accepts_password(std::optional<int> error_code) {
  static constexpr ErrorCode codes[] = {ErrorCode::auth_code_needed,     ErrorCode::wrong_auth_code,
                                        ErrorCode::auth_code_enforced,   ErrorCode::password_over,
                                        ErrorCode::password_must_change, ErrorCode::password_expired};
  return error_code &&
         std::find(std::begin(codes), std::end(codes), static_cast<ErrorCode>(*error_code)) != std::end(codes);
}

std::optional<Verdict> verdict(std::string_view body) {
  // The parser would take a NUL for the end of the text, and ignore what follows.
  if (body.find('\0') != std::string_view::npos) return std::nullopt;
  VerdictReader quick;
  if (PlainJson(body, quick).read()) return quick.verdict();
  VerdictReader reader;
  if (read(body, reader)) return reader.verdict();
  // Old firmware answers with names that are not UTF-8, which the parser refuses; what we look for is ASCII.
  std::string ascii(body);
  bool changed = false;
  for (char& c : ascii) {
    if (static_cast<std::uint8_t>(c) < 0x80) continue;
    c = '?';
    changed = true;
  }
  VerdictReader second;
  if (!changed || !read(ascii, second)) return std::nullopt;
  return second.verdict();
}

std::string success_envelope(std::string_view data) {
  if (data.empty()) return R"({"success":true})";
  return std::string(R"({"data":)").append(data).append(R"(,"success":true})");
}

std::string error_envelope(ErrorCode code, std::string_view errors) {
  std::string body = R"({"error":{"code":)" + std::to_string(static_cast<int>(code));
  if (!errors.empty()) body.append(R"(,"errors":)").append(errors);
  return body + R"(},"success":false})";
}

std::optional<std::vector<std::string_view>> compound_answers(std::string_view body) {
  const auto data = json_member(body, "data");
  const auto result = data ? json_member(*data, "result") : std::nullopt;
  return result ? json_elements(*result) : std::nullopt;
}

}  // namespace tapedeck::api
