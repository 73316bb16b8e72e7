#include "bench/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numbers>
#include <string_view>

#include "api/catalog.h"
#include "api/envelope.h"

namespace tapedeck::bench {
namespace {

constexpr double spread = 1.2;  // sigma of the logarithm of the sizes
constexpr std::size_t smallest = 100, largest = 64 * 1024;

constexpr std::array<std::string_view, Load::variants> variant_params{
    "",
    "&limit=50&offset=0",
    "&additional=%5B%22default_setting%22%2C%22status%22%5D",
    "&type=%22all%22&sort_by=%22name%22&sort_direction=%22ASC%22",
    "&path=%22%2Fvolume1%2Fpublic%22&additional=%5B%22size%22%5D",
    "&location=%22local%22&detail=true",
};

/// Splitmix64, which is small, sufficiently random, and the same on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t x = (state_ += 0x9e3779b97f4a7c15u);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  double unit() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }
  double gauss() {
    const double radius = std::sqrt(-2 * std::log(unit()));
    return radius * std::cos(2 * std::numbers::pi * unit());
  }

 private:
  std::uint64_t state_;
};

constexpr std::array<std::string_view, 40> keys{
    "name",        "status",   "type",       "size_total",  "size_used",   "enabled",  "description", "path",
    "uuid",        "progress", "fs_type",    "interface",   "ip",          "mask",     "mtu",         "speed",
    "temperature", "vendor",   "model_name", "created_at",  "modified_at", "priority", "port",        "protocol",
    "source",      "target",   "schedule",   "retention",   "compressed",  "version",  "beta",        "category",
    "severity",    "quota",    "percentage", "last_result", "next_run",    "owner",    "readonly",    "location"};
constexpr std::array<std::string_view, 24> words{"normal", "running", "stopped", "volume",  "backup", "shared",
                                                 "folder", "office",  "camera",  "archive", "public", "music",
                                                 "photo",  "project", "report",  "default", "local",  "ethernet",
                                                 "bridge", "daily",   "weekly",  "ready",   "update", "storage"};

std::string_view word(Random& random) { return words[random.below(words.size())]; }

void append_value(std::string& out, std::size_t kind, Random& random) {
  auto into = std::back_inserter(out);
  switch (kind % 8) {
    case 0:
      fmt::format_to(into, "\"{}\"", word(random));
      break;
    case 1:
      fmt::format_to(into, "\"{}\"", random.next() >> (24 + random.below(24)));
      break;  // numbers are written as text
    case 2:
      fmt::format_to(into, "{}", random.below(100'000));
      break;
    case 3:
      out += random.below(3) == 0 ? "false" : "true";
      break;
    case 4:
      fmt::format_to(into, "\"/volume{}/{}/{}_{}\"", 1 + random.below(4), word(random), word(random),
                     random.below(1000));
      break;
    case 5:
      fmt::format_to(into, "\"2026-{:02}-{:02}T{:02}:{:02}:00Z\"", 1 + random.below(12), 1 + random.below(28),
                     random.below(24), random.below(60));
      break;
    case 6:
      fmt::format_to(into, "\"192.0.2.{}\"", random.below(256));
      break;
    default:
      fmt::format_to(into, "\"The {} {} is {}, see {} {}\"", word(random), word(random), word(random), word(random),
                     random.below(100));
      break;
  }
}

/// Appends one record of the operation. Its keys and their types depend only on `operation`.
void append_record(std::string& out, std::uint64_t operation, std::uint64_t number, Random& random) {
  Random shape(operation * 7919 + 1);
  const std::size_t fields = 6 + shape.below(9);
  const std::size_t first = shape.below(keys.size());
  fmt::format_to(std::back_inserter(out), "{{\"id\":{}", number);
  for (std::size_t field = 0; field < fields; ++field) {
    fmt::format_to(std::back_inserter(out), ",\"{}\":", keys[(first + field * 3) % keys.size()]);
    append_value(out, shape.next(), random);
  }
  if (shape.below(3) == 0) {
    fmt::format_to(std::back_inserter(out), ",\"uuid\":\"{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}\"",
                   random.below(1ull << 32), random.below(1 << 16), random.below(1 << 12), random.below(1 << 12),
                   random.below(1ull << 48));
  }
  out += '}';
}

}  // namespace

Load::Load(LoadPlan plan) : plan_(plan) {
  std::vector<const api::CatalogOperation*> reading;
  for (const api::CatalogOperation& operation : api::catalog()) {
    const std::string_view method = operation.method;
    const bool usual = method == "get" || method == "list" || method == "load" || method == "status";
    if (!operation.changes_state && operation.new_versions && usual && !operation.api.starts_with("API."))
      reading.push_back(&operation);
  }
  for (std::size_t i = 0; i < operations; ++i) {
    const api::CatalogOperation& operation = *reading.at(i * reading.size() / operations);
    prefixes_.push_back(fmt::format("/webapi/entry.cgi?api=SVC.{}&version={}&method={}", operation.api,
                                    operation.new_versions->max, operation.method));
  }
}

std::string Load::target(std::uint64_t n) const {
  return fmt::format("{}{}&id={:06}", prefixes_[n % operations], variant_params[n / operations % variants], n);
}

std::size_t Load::body_size(std::uint64_t n) const {
  if (plan_.exact_bytes > 0) return plan_.exact_bytes;
  if (n % 288 == 200) return largest;  // so that the end of the tail occurs in every round
  Random random(n * 2 + 1);
  const double size = std::exp(std::log(static_cast<double>(plan_.median_bytes)) + spread * random.gauss());
  return std::clamp(static_cast<std::size_t>(size), smallest, largest);
}

std::string Load::body(std::uint64_t n) const {
  const std::size_t wanted = body_size(n);
  constexpr std::string_view begin = "{\"data\":{\"items\":[", end = "\"},\"success\":true}";
  Random random(n * 2 + 2);
  std::string records, record;
  const std::string tail = fmt::format("],\"offset\":0,\"request\":{},\"note\":\"", n);
  const std::size_t frame = begin.size() + tail.size() + end.size();
  for (std::uint64_t number = 1; frame + records.size() < wanted; ++number) {
    record = records.empty() ? "" : ",";
    append_record(record, n % operations, number, random);
    if (frame + records.size() + record.size() > wanted) break;
    records += record;
  }
  std::string out = fmt::format("{}{}{}", begin, records, tail);
  while (out.size() + end.size() < wanted) {
    out += word(random);
    out += ' ';
  }
  if (out.size() + end.size() > wanted && wanted >= frame) out.resize(wanted - end.size());
  return out += end;
}

api::Interaction Load::interaction(std::uint64_t n) const {
  api::Interaction interaction;
  interaction.request.method = "GET";
  interaction.request.target = target(n);
  interaction.request.headers = {{"Host", "nas.example"}, {"Accept", "application/json"}};
  interaction.response.headers = {{"Server", "nginx"}, {"Content-Type", std::string(api::json_content_type)}};
  interaction.response.body = body(n);
  interaction.started_us = 1'780'000'000'000'000 + static_cast<std::int64_t>(n) * 2000;
  interaction.ended_us = interaction.started_us + 1500;
  return interaction;
}

std::string Load::file(std::uint64_t n) { return fmt::format("/{:03}/{:06}.json", n / 1000, n); }

std::string Load::lua() const {
  std::string out = fmt::format("return {{ count = {}, operations = {{\n", plan_.count);
  for (const std::string& prefix : prefixes_) out += fmt::format("  \"{}\",\n", prefix);
  out += "}, variants = {\n";
  for (const std::string_view params : variant_params) out += fmt::format("  \"{}\",\n", params);
  return out + "} }\n";
}

}  // namespace tapedeck::bench
