#include "scrubbers/private/private_key_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <stdexcept>

#include "base/descriptor.h"
#include "base/digest.h"
#include "base/text.h"
#include "http/message/urlencoded.h"

namespace tapedeck::scrubbers {
namespace {

constexpr std::string_view first_line = "tapedeck private key 1";
constexpr std::size_t key_size = 32;
constexpr std::uint64_t largest = 256u << 20;

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw std::runtime_error("the private key " + path + ": " + why);
}

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(base::hex_value(hex[i]) << 4 | base::hex_value(hex[i + 1]));
  }
  return bytes;
}

PrivateTable parsed(const std::string& text, const std::string& path) {
  std::istringstream in(text);
  std::string line;
  PrivateTable table;
  if (!std::getline(in, line) || line != first_line) fail(path, "it is not a Tapedeck key file and was not changed");
  std::size_t number = 1;
  while (std::getline(in, line)) {
    ++number;
    std::istringstream words(line);
    std::string kind, first, second;
    words >> kind >> first >> second;
    if (kind == "key" && first.size() == 2 * key_size && base::is_hex(first)) {
      table.key = from_hex(first);
    } else if ((kind == "text" || kind == "value") && !second.empty()) {
      table.rows.push_back({http::percent_decode(first, false), http::percent_decode(second, false), kind == "text"});
    } else {
      fail(path, "line " + std::to_string(number) + " is not a valid line of a key file");
    }
  }
  if (table.key.empty()) fail(path, "it contains no key");
  return table;
}

}  // namespace

std::optional<PrivateTable> read_private_key(const std::string& path) {
  const base::Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file.open()) {
    if (errno == ENOENT) return std::nullopt;
    fail(path, errno == ELOOP ? "it is a symbolic link" : std::strerror(errno));
  }
  if (!file.is_regular_file() || file.size() > largest) fail(path, "it is not a Tapedeck key file");
  const auto text = base::read_all(file.number());
  if (!text) fail(path, std::strerror(errno));
  return parsed(*text, path);
}

void write_private_key(const std::string& path, const PrivateTable& table) {
  static_cast<void>(read_private_key(path));  // throws unless the existing file is a key file
  std::string text(first_line);
  text += "\nkey " + base::to_hex(table.key) + "\n";
  for (const PrivateTable::Row& row : table.rows) {
    text += (row.is_text ? "text " : "value ") + http::percent_encode(row.original) + " " +
            http::percent_encode(row.pseudonym) + "\n";
  }
  if (!base::replace_file(path, text, 0600)) fail(path, std::strerror(errno));
}

}  // namespace tapedeck::scrubbers
