#include "tests/support/leak_search.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>

#include "tests/support/process.h"

namespace tapedeck::tests {

namespace {

bool plain(unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.' || c == '~'; }

std::string percent(std::string_view text, bool upper, bool all) {
  const char* digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (!all && plain(byte)) {
      out.push_back(c);
    } else {
      out += {'%', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return out;
}

std::string hex(std::string_view text, bool upper) {
  std::string out = percent(text, upper, true);
  out.erase(std::remove(out.begin(), out.end(), '%'), out.end());
  return out;
}

std::string json_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '/') {
      out.push_back('\\');
    }
    out.push_back(c);
  }
  return out;
}

std::string html_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : std::string(1, c);
  }
  return out;
}

/// Returns the characters that the base64 of every text has if `text` is at an offset of `shift` modulo three.
std::string base64_core(std::string_view text, std::size_t shift, bool url) {
  const std::string alphabet =
      std::string("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789") + (url ? "-_" : "+/");
  const std::string padded = std::string(shift, '\0') + std::string(text);
  std::string out;
  for (std::size_t bit = 0; bit + 6 <= padded.size() * 8; bit += 6) {
    if (bit < shift * 8) {
      continue;  // has bits of the preceding byte
    }
    const std::size_t at = bit / 8;
    const unsigned next = at + 1 < padded.size() ? static_cast<unsigned char>(padded[at + 1]) : 0;
    const unsigned window = static_cast<unsigned char>(padded[at]) * 256U + next;
    out.push_back(alphabet[(window >> (10 - bit % 8)) & 63]);
  }
  return out;
}

std::string utf16(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out.push_back(c);
    out.push_back('\0');
  }
  return out;
}

int hex_digit(char c) {
  const auto at = std::string_view("0123456789abcdef").find(static_cast<char>(std::tolower(c)));
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

std::string unhex(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i + 1 < text.size() && hex_digit(text[i]) >= 0 && hex_digit(text[i + 1]) >= 0; i += 2) {
    out.push_back(static_cast<char>(hex_digit(text[i]) * 16 + hex_digit(text[i + 1])));
  }
  return out;
}

/// Returns a database as dumped by sqlite3, and every blob of it decoded.
std::string dumped(const std::string& path) {
  const std::string dump = run({"sqlite3", "-readonly", path, ".dump"}, std::chrono::minutes(2)).out;
  std::string all = dump;
  for (std::size_t at = dump.find("X'"); at != std::string::npos; at = dump.find("X'", at + 2)) {
    all += "\n" + unhex(std::string_view(dump).substr(at + 2));
  }
  return all;
}

constexpr std::size_t needle_width = 8;

/// Returns 20 bits of eight bytes.
std::size_t hash_at(const char* at) {
  std::uint64_t eight = 0;
  std::memcpy(&eight, at, needle_width);
  return eight * 0x9E3779B97F4A7C15U >> 44;
}

}  // namespace

std::string percent_decoded(std::string_view text, bool is_form) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string byte = text[i] == '%' ? unhex(text.substr(i + 1, 2)) : std::string();
    out += !byte.empty() ? byte.front() : is_form && text[i] == '+' ? ' ' : text[i];
    i += 2 * byte.size();
  }
  return out;
}

void TextFinder::add(std::string_view text, std::size_t value) {
  if (text.empty() || !known_.emplace(text, value).second) return;
  if (text.size() < needle_width) {
    short_.push_back({std::string(text), 0, value});
    return;
  }
  const std::size_t middle = (text.size() - needle_width) / 2;
  by_middle_[std::string(text.substr(middle, needle_width))].push_back({std::string(text), middle, value});
  hashes_.set(hash_at(text.data() + middle));
}

void TextFinder::find_in(std::string_view bytes,
                         const std::function<void(std::size_t value, std::size_t at)>& found) const {
  for (std::size_t at = 0; at + needle_width <= bytes.size(); ++at) {
    if (!hashes_.test(hash_at(bytes.data() + at))) continue;
    const auto candidates = by_middle_.find(std::string(bytes.substr(at, needle_width)));
    if (candidates == by_middle_.end()) continue;
    for (const Needle& needle : candidates->second) {
      if (at < needle.middle || !bytes.substr(at - needle.middle).starts_with(needle.text)) continue;
      found(needle.value, at - needle.middle);
    }
  }
  for (const Needle& needle : short_) {
    for (std::size_t at = bytes.find(needle.text); at != std::string_view::npos; at = bytes.find(needle.text, at + 1)) {
      found(needle.value, at);
    }
  }
}

std::vector<std::string> forms_of(std::string_view secret) {
  const std::string once = percent(secret, true, false);
  std::vector<std::string> forms = {std::string(secret),
                                    once,
                                    percent(secret, false, false),
                                    percent(secret, true, true),
                                    percent(secret, false, true),
                                    percent(once, true, false),
                                    json_escaped(secret),
                                    json_escaped(json_escaped(secret)),
                                    html_escaped(secret),
                                    hex(secret, true),
                                    hex(secret, false),
                                    utf16(secret)};
  for (std::size_t shift = 0; shift < 3; ++shift) {
    forms.push_back(base64_core(secret, shift, false));
    forms.push_back(base64_core(secret, shift, true));
  }
  std::sort(forms.begin(), forms.end());
  forms.erase(std::unique(forms.begin(), forms.end()), forms.end());
  return forms;
}

std::vector<std::string> search_files(const std::filesystem::path& folder, std::string_view needle) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && read_file(entry.path()).find(needle) != std::string::npos) {
      found.push_back(entry.path().filename().string());
    }
  }
  return found;
}

std::string database_texts(const std::filesystem::path& path) {
  return read_file(path).starts_with("SQLite format 3") ? dumped(path.string()) : std::string();
}

std::vector<std::string> leaks(const std::filesystem::path& folder, const std::vector<std::string>& secrets) {
  std::map<std::string, std::string> texts;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) {
      continue;
    }
    const std::string name = entry.path().filename().string();
    texts[name] = read_file(entry.path());
    texts[name + " (decoded)"] = database_texts(entry.path());
  }
  TextFinder finder;
  for (std::size_t i = 0; i < secrets.size(); ++i) {
    for (const std::string& form : forms_of(secrets[i])) finder.add(form, i);
  }
  std::set<std::string> found;
  for (const auto& [name, text] : texts) {
    finder.find_in(text, [&found, &name = name](std::size_t secret, std::size_t) {
      found.insert("a form of secret " + std::to_string(secret) + " in " + name);
    });
  }
  return {found.begin(), found.end()};
}

}  // namespace tapedeck::tests
