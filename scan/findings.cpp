#include "scan/findings.h"

#include <cstring>
#include <random>
#include <utility>

#include "base/digest.h"
#include "base/wipe.h"

namespace tapedeck::scan {

namespace {

constexpr std::size_t max_notes = 200;
/// Further findings are counted, but not listed.
constexpr std::size_t most_findings = 1000;
/// Fingerprints are slow on purpose, so a hostile file must not cause millions. Findings beyond this limit cannot be
/// allowed.
constexpr std::size_t max_unlisted_fingerprints = 10'000;

std::string describe(const Place& place) {
  const std::string number = std::to_string(place.number);
  switch (place.kind) {
    case Place::Kind::row:
      return std::string(place.table) + "." + std::string(place.column) + " row " + number;
    case Place::Kind::name:
      return "file name";
    case Place::Kind::raw:
    case Place::Kind::bytes:
      break;
  }
  return "offset " + number;
}

/// Returns the part of a place that stays the same when the file is rewritten.
std::string stable_part(const Place& place) {
  if (place.kind == Place::Kind::row) return "row " + std::string(place.table) + "." + std::string(place.column);
  return place.kind == Place::Kind::name ? "name" : "bytes";
}

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  a = (a ^ b) * 0x9fb21c651e98df25u;
  return (a ^ (a >> 32)) * 0xd6e8feb86659fd93u;
}

/// Returns 32 hex digits of a salted hash that takes about a millisecond, because the hashed value may be easy to
/// guess.
std::string slow_fingerprint(std::string_view text) {
  constexpr int rounds = 4096;
  base::Sha256 digest = base::sha256("tapedeck leak scan fingerprint 1\n" + std::string(text));
  const std::string_view bytes(reinterpret_cast<const char*>(digest.data()), digest.size());
  for (int i = 0; i < rounds; ++i) digest = base::sha256(bytes);
  return base::to_hex(bytes.substr(0, 16));
}

}  // namespace

std::uint64_t quick_hash(std::string_view bytes, std::uint64_t salt) {
  static const std::uint64_t seed = [] {
    std::random_device random;
    return std::uint64_t{random()} << 32 | random();
  }();
  std::uint64_t hash = mix(seed ^ salt, bytes.size());
  std::uint64_t other = ~hash;
  const char* p = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 16; left -= 16, p += 16) {
    std::uint64_t a;
    std::uint64_t b;
    std::memcpy(&a, p, 8);
    std::memcpy(&b, p + 8, 8);
    hash = mix(hash, a);
    other = mix(other, b);
  }
  for (; left > 0; --left, ++p) hash = mix(hash, static_cast<unsigned char>(*p));
  return mix(mix(hash, bytes.size()), other);
}

void Findings::begin_file(std::string shown) {
  path_ = std::move(shown);
  place_ = {};
  allowed_in_file_.clear();
  in_rows_.clear();
  seen_.clear();
}

void Findings::begin_probe() {
  probing_ = true;
  probe_hit_ = false;
}

bool Findings::end_probe() {
  probing_ = false;
  return probe_hit_;
}

bool Findings::is_repeat(std::string_view rule, std::uint64_t value) {
  if (probing_) {
    probe_hit_ = true;
    return true;
  }
  const std::uint64_t what = mix(quick_hash(rule), value);
  if (place_.kind == Place::Kind::row) {
    in_rows_.insert(what);
  } else if (place_.kind == Place::Kind::raw && in_rows_.contains(what)) {
    return true;
  }
  const std::uint64_t where = mix(quick_hash(place_.table, static_cast<std::uint64_t>(place_.number)),
                                  quick_hash(place_.column, static_cast<std::uint64_t>(place_.kind)));
  return !seen_.insert(mix(what, where)).second;
}

Finding Findings::make(std::string_view rule, const std::string& via, std::size_t offset) const {
  Finding finding;
  finding.path = path_;
  Place place = place_;
  if (place.kind == Place::Kind::bytes || place.kind == Place::Kind::raw)
    place.number += static_cast<std::int64_t>(offset);
  finding.place = describe(place);
  if (place_.kind == Place::Kind::row) {
    finding.table = place_.table;
    finding.column = place_.column;
    finding.rowid = place_.number;
  }
  finding.rule = rule;
  finding.via = via;
  return finding;
}

void Findings::learned(std::string_view rule, std::size_t index, const std::string& via, std::size_t offset) {
  if (is_repeat(rule, mix(index, 1))) return;
  ++report_.learned;
  if (report_.findings.size() >= most_findings) return;
  Finding finding = make(rule, via, offset);
  finding.learned = true;
  finding.learned_index = index;
  finding.fingerprint = slow_fingerprint("learned\n" + finding.rule + "\n" + stable_part(place_));
  report_.findings.push_back(std::move(finding));
}

bool Findings::is_allowed(const std::string& fingerprint) {
  const bool by_caller = options_.allowed.contains(fingerprint);
  if (!by_caller && !allowed_in_file_.contains(fingerprint)) return false;
  ++report_.allowed;
  report_.allowed_by_file += by_caller ? 0 : 1;
  report_.matched.insert(fingerprint);
  return true;
}

void Findings::heuristic(std::string_view rule, std::string_view value, const std::string& via, std::size_t offset) {
  if (is_repeat(rule, quick_hash(value, 2))) return;
  const bool listed = report_.findings.size() < most_findings;
  const bool none_allowed = options_.allowed.empty() && allowed_in_file_.empty();
  if (!listed && (none_allowed || ++unlisted_ > max_unlisted_fingerprints)) {
    ++report_.heuristic;
    return;
  }
  Finding finding = make(rule, via, offset);
  std::string text = "heuristic\n" + finding.rule + "\n" + stable_part(place_) + "\n";
  text += value;
  finding.fingerprint = slow_fingerprint(text);
  base::wipe(text.data(), text.size());
  if (is_allowed(finding.fingerprint)) return;
  ++report_.heuristic;
  if (listed) report_.findings.push_back(std::move(finding));
}

void Findings::incomplete(std::string_view why) {
  if (probing_) return;
  constexpr std::size_t max_rows = 10'000;
  if (place_.kind == Place::Kind::row && report_.incomplete_rows.size() < max_rows) {
    report_.incomplete_rows.push_back({std::string(place_.table), std::string(place_.column), place_.number});
  }
  if (report_.incomplete.size() > max_notes) return;
  if (report_.incomplete.size() == max_notes) {
    report_.incomplete.emplace_back("and more");
    return;
  }
  report_.incomplete.push_back(path_ + ": " + describe(place_) + ": " + std::string(why));
}

}  // namespace tapedeck::scan
