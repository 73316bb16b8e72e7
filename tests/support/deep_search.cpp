#include "tests/support/deep_search.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "tests/support/leak_search.h"
#include "tests/support/process.h"

namespace tapedeck::tests {
namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// Two hex digits at `at`, or nothing.
std::optional<char> hex_pair(std::string_view text, std::size_t at) {
  if (at + 1 >= text.size() || hex_value(text[at]) < 0 || hex_value(text[at + 1]) < 0) return std::nullopt;
  return static_cast<char>(hex_value(text[at]) * 16 + hex_value(text[at + 1]));
}

std::string unpercent(std::string_view text) { return percent_decoded(text, true); }
/// With '+' as it is, because base64 has it.
std::string unpercent_only(std::string_view text) { return percent_decoded(text, false); }

std::string unjson(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const auto high = text[i + 1] == 'u' ? hex_pair(text, i + 2) : std::nullopt;
    const auto low = high ? hex_pair(text, i + 4) : std::nullopt;
    out += low ? *low : text[i + 1];
    i += low ? 5 : 1;
  }
  return out;
}

std::string unhtml(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, char>, 5> named = {
      {{"&amp;", '&'}, {"&quot;", '"'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&apos;", '\''}}};
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    const auto name =
        std::find_if(named.begin(), named.end(), [&](const auto& row) { return rest.starts_with(row.first); });
    const std::size_t end = rest.substr(0, 10).find(';');
    if (name != named.end()) {
      out += name->second;
      i += name->first.size() - 1;
    } else if (rest.starts_with("&#") && end != std::string_view::npos && end > 2) {
      const bool hexadecimal = (rest[2] | 0x20) == 'x';
      const std::string digits(rest.substr(hexadecimal ? 3 : 2, end - (hexadecimal ? 3 : 2)));
      out += static_cast<char>(std::strtoul(digits.c_str(), nullptr, hexadecimal ? 16 : 10));
      i += end;
    } else {
      out += text[i];
    }
  }
  return out;
}

/// Every run of 16 or more base64 characters, decoded from each of its first four.
std::string unbase64(std::string_view text) {
  const auto value = [](char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
  };
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end < text.size() && value(text[end]) >= 0) ++end;
    for (std::size_t from = begin; from < begin + 4 && end - begin >= 16; ++from) {
      unsigned bits = 0, count = 0;
      for (std::size_t i = from; i < end; ++i) {
        bits = bits << 6 | static_cast<unsigned>(value(text[i]));
        count += 6;
        if (count >= 8) out += static_cast<char>(bits >> (count -= 8) & 0xFF);
      }
      out += '\n';
    }
    begin = end + 1;
  }
  return out;
}

/// Every run of 16 or more hex digits, spaces between the pairs left out, decoded from its first two.
std::string unhex(std::string_view text) {
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    std::string digits;
    std::size_t end = begin;
    while (end < text.size() && (hex_value(text[end]) >= 0 || (text[end] == ' ' && !digits.empty()))) {
      if (text[end] != ' ') digits += text[end];
      ++end;
    }
    for (std::size_t from = 0; from < 2 && digits.size() >= 16; ++from) {
      for (std::size_t i = from; i + 1 < digits.size(); i += 2) out += *hex_pair(digits, i);
      out += '\n';
    }
    begin = end + 1;
  }
  return out;
}

std::string unutf16(std::string_view text) {
  std::string out(text);
  std::erase(out, '\0');
  return out;
}

/// All that is no hex digit and no letter left out, "0x" too.
std::string unhex_any(std::string_view text) {
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("0x"))
      ++i;
    else if (hex_value(text[i]) >= 0 || std::isalpha(static_cast<unsigned char>(text[i])) != 0)
      digits += text[i];
  }
  return unhex(digits);
}

/// One member, as far as it can be read.
std::string gunzip_of(std::string_view packed) {
  constexpr std::size_t most = 1u << 20;
  constexpr int gzip_window = 15 + 16;
  z_stream stream{};
  if (inflateInit2(&stream, gzip_window) != Z_OK) return {};
  std::string out(most, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  inflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  inflateEnd(&stream);
  return out;
}

std::string ungzipped(std::string_view text) {
  std::string out;
  for (std::size_t at = text.find("\x1f\x8b\x08"); at != std::string_view::npos;
       at = text.find("\x1f\x8b\x08", at + 1)) {
    out += gunzip_of(text.substr(at)) + "\n";
  }
  return out;
}

using Decode = std::string (*)(std::string_view);

const std::vector<Decode>& decoders_of(Decoders decoders) {
  static const std::vector<Decode> usual = {unpercent, unpercent_only, unjson, unhtml, unbase64, unhex, unutf16};
  static const std::vector<Decode> odd = {unpercent, unjson, unbase64, unhex_any, unutf16, ungzipped};
  return decoders == Decoders::odd ? odd : usual;
}

void search(std::string_view bytes, const TextFinder& secrets, int levels, Decoders decoders,
            std::map<std::string, int>& seen, std::set<std::size_t>& found) {
  secrets.find_in(bytes, [&found](std::size_t secret, std::size_t) { found.insert(secret); });
  if (levels == 0) return;
  for (const Decode decode : decoders_of(decoders)) {
    std::string view = decode(bytes);
    if (view == bytes || view.empty()) continue;
    // One that was reached with fewer levels left is searched again.
    int& left = seen[view];
    if (left >= levels) continue;
    left = levels;
    search(view, secrets, levels - 1, decoders, seen, found);
  }
}

}  // namespace

std::set<std::size_t> deep_search(std::string_view bytes, const std::vector<std::string>& secrets, int levels,
                                  Decoders decoders) {
  TextFinder finder;
  for (std::size_t i = 0; i < secrets.size(); ++i) finder.add(secrets[i], i);
  std::map<std::string, int> seen;
  std::set<std::size_t> found;
  search(bytes, finder, levels, decoders, seen, found);
  return found;
}

std::set<std::size_t> deep_search_files(const std::filesystem::path& folder, const std::vector<std::string>& secrets,
                                        std::vector<std::string>* where, Decoders decoders) {
  std::set<std::size_t> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::set<std::size_t> found = deep_search(read_file(entry.path()), secrets, 2, decoders);
    found.merge(deep_search(database_texts(entry.path()), secrets, 3, decoders));
    for (const std::size_t index : found) {
      if (where != nullptr) where->push_back(std::to_string(index) + " in " + entry.path().filename().string());
    }
    all.merge(found);
  }
  return all;
}

}  // namespace tapedeck::tests
