#include "tools/exchange/text_source.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "tools/exchange/escaped_line.h"
#include "tools/exchange/import_error.h"

namespace tapedeck::tools {

struct TextObject::Impl {
  const TextSource& source;
  std::size_t begin;
  nlohmann::json json;
};

TextObject::TextObject(const TextSource& source, std::string_view line, std::size_t begin)
    : impl_(new Impl{source, begin, nullptr}) {
  try {
    impl_->json = nlohmann::json::parse(line.substr(begin));
  } catch (const nlohmann::json::parse_error& error) {
    source.fail("no JSON", begin + (error.byte > 0 ? error.byte - 1 : 0));
  }
  if (!impl_->json.is_object()) source.fail("not a JSON object", begin);
}

TextObject::TextObject(TextObject&&) noexcept = default;
TextObject::~TextObject() = default;

void TextObject::fail(std::string_view name, const char* what) const {
  impl_->source.fail("\"" + std::string(name) + "\" is " + what, impl_->begin);
}

bool TextObject::has(std::string_view name) const { return impl_->json.contains(name); }

std::int64_t TextObject::integer(std::string_view name) const {
  const auto found = impl_->json.find(name);
  if (found == impl_->json.end()) fail(name, "missing");
  const bool is_too_large =
      found->is_number_unsigned() &&
      found->get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!found->is_number_integer() || is_too_large) fail(name, "not a 64-bit integer");
  return found->get<std::int64_t>();
}

std::uint64_t TextObject::size(std::string_view name) const {
  const std::int64_t value = integer(name);
  if (value < 0) fail(name, "negative");
  return static_cast<std::uint64_t>(value);
}

std::uint32_t TextObject::small(std::string_view name) const {
  const std::uint64_t value = size(name);
  if (value > std::numeric_limits<std::int32_t>::max()) fail(name, "too large");
  return static_cast<std::uint32_t>(value);
}

int TextObject::up_to(std::string_view name, int most) const {
  const std::uint32_t value = small(name);
  if (value > static_cast<std::uint32_t>(most)) fail(name, "too large");
  return static_cast<int>(value);
}

std::int64_t TextObject::time(std::string_view name) const {
  constexpr std::int64_t largest = std::int64_t{1} << 59;  // docs/cassette-format.md
  const std::int64_t value = integer(name);
  if (value > largest || value < -largest) fail(name, "no time");
  return value;
}

bool TextObject::flag(std::string_view name) const {
  const auto found = impl_->json.find(name);
  if (found == impl_->json.end() || !found->is_boolean()) fail(name, "neither true nor false");
  return found->get<bool>();
}

std::string TextObject::text(std::string_view name) const {
  const auto found = impl_->json.find(name);
  if (found == impl_->json.end() || !found->is_string()) fail(name, "not a string");
  const auto plain = unescape_line(found->get_ref<const std::string&>());
  if (!plain) fail(name, "invalid escape: a backslash must start \\\\ or \\x and two hex digits");
  return *plain;
}

std::string TextObject::hex(std::string_view name, std::size_t bytes) const {
  const std::string digits = text(name);
  if (digits.size() != bytes * 2 || !base::is_hex(digits)) {
    fail(name, ("not " + std::to_string(bytes * 2) + " hex digits").c_str());
  }
  std::string out;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    out += static_cast<char>(base::hex_value(digits[i]) << 4 | base::hex_value(digits[i + 1]));
  }
  return out;
}

std::vector<std::pair<std::int64_t, std::uint64_t>> TextObject::pairs(std::string_view name) const {
  std::vector<std::pair<std::int64_t, std::uint64_t>> out;
  if (!has(name)) return out;
  for (const nlohmann::json& pair : impl_->json.at(std::string(name))) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number_integer() || !pair[1].is_number_unsigned()) {
      fail(name, "not a list of pairs of numbers");
    }
    out.emplace_back(pair[0].get<std::int64_t>(), pair[1].get<std::uint64_t>());
  }
  return out;
}

TextSource::TextSource(std::istream& in) : in_(in) {
  in_.seekg(0, std::ios::end);
  total_ = static_cast<std::uint64_t>(std::max<std::streamoff>(in_.tellg(), 0));
  go_to({0, 1});
}

void TextSource::go_to(const Place& place) {
  in_.clear();
  in_.seekg(static_cast<std::streamoff>(place.offset));
  bytes_ = place.offset;
  number_ = place.number - 1;
  next();
}

void TextSource::next() {
  begin_ = bytes_;
  has_line_ = static_cast<bool>(std::getline(in_, line_));
  ++number_;
  if (!has_line_) line_.clear();
  bytes_ += line_.size() + 1;
  // A text that went through a program of Windows is the same text.
  if (line_.ends_with('\r')) line_.pop_back();
}

TextObject TextSource::json_after(std::string_view word) const { return TextObject(*this, line_, word.size()); }

void TextSource::fail(const std::string& what, std::size_t at) const { throw ImportError(number_, at + 1, what); }

std::string TextSource::unescaped(std::size_t prefix) const {
  auto plain = unescape_line(std::string_view(line_).substr(prefix));
  if (!plain) fail("a backslash must start \\\\ or \\x and two hex digits", line_.find('\\', prefix));
  return std::move(*plain);
}

}  // namespace tapedeck::tools
