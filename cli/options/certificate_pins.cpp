#include "cli/options/certificate_pins.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/descriptor.h"
#include "base/own_file.h"
#include "base/text.h"

namespace tapedeck::cli {
namespace {

constexpr std::string_view file_heading =
    "# Certificates of devices that you accepted for Tapedeck: HOST:PORT SHA256\n";

bool is_pins_file(std::string_view head) { return head.starts_with(file_heading); }

std::string pinned_name(const http::BaseUrl& device) {
  return base::fold(device.host) + ":" + std::to_string(device.port);
}

/// Returns the fingerprints by "host:port".
std::map<std::string, std::string> read_pins(const std::string& path) {
  std::map<std::string, std::string> pins;
  struct stat status {};
  const bool is_private = ::stat(path.c_str(), &status) == 0 && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  if (!is_private || base::why_not_ours(path, is_pins_file)) return pins;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::string_view rest = line;
    const std::string_view name = base::take_until(rest, ' ');
    if (rest.size() == 64 && base::is_hex(rest)) pins[std::string(name)] = rest;
  }
  return pins;
}

}  // namespace

std::string state_path(std::string_view name) {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/') {
    return std::string(state) + "/tapedeck/" + std::string(name);
  }
  const char* home = std::getenv("HOME");
  return std::string(home != nullptr ? home : "/tmp") + "/.local/state/tapedeck/" + std::string(name);
}

std::optional<std::string> accepted_pin(const http::BaseUrl& device) {
  const auto pins = read_pins(state_path("pins"));
  const auto found = pins.find(pinned_name(device));
  return found == pins.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> keep_pin(const http::BaseUrl& device, const std::string& fingerprint) {
  const std::string path = state_path("pins");
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  if (error) return error.message();
  auto pins = read_pins(path);
  pins[pinned_name(device)] = fingerprint;
  std::string text(file_heading);
  for (const auto& [name, pin] : pins) text.append(name).append(" ").append(pin).append("\n");
  if (auto why = base::why_not_ours(path, is_pins_file)) return why;
  return base::replace_file(path, text, 0600) ? std::nullopt : std::optional<std::string>(std::strerror(errno));
}

}  // namespace tapedeck::cli
