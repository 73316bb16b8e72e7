#include "cassettes/file/allowed_findings.h"

#include "scan/leak_scan.h"

namespace tapedeck::cassettes {

namespace {
constexpr std::string_view prefix = "allowed:";
}

Fingerprints read_allowed(SQLite::Database& database) {
  Fingerprints allowed;
  Query query(database, "SELECT name, value FROM meta ORDER BY name");
  while (query.step()) {
    const std::string_view name = query.bytes(0);
    const bool known = name.starts_with(prefix) && scan::is_fingerprint(name.substr(prefix.size()));
    if (!known || !query.bytes(1).empty()) throw Damage("its table meta has an unknown entry");
    if (allowed.size() == most_allowed) throw Damage("it allows too many findings");
    allowed.emplace(name.substr(prefix.size()));
  }
  return allowed;
}

void insert_allowed(SQLite::Database& database, const Fingerprints& allowed) {
  Query query(database, "INSERT INTO meta VALUES(?, '')");
  for (const std::string& fingerprint : allowed) {
    const std::string name = std::string(prefix) + fingerprint;
    query.text(name).run();
  }
}

}  // namespace tapedeck::cassettes
