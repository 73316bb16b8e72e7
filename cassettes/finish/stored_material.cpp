#include "cassettes/finish/stored_material.h"

#include <algorithm>

#include "cassettes/file/allowed_findings.h"
#include "cassettes/file/schema.h"
#include "cassettes/file/takes.h"
#include "cassettes/read/reader_state.h"

namespace tapedeck::cassettes {

namespace {

constexpr auto no_limit = std::chrono::hours(24);

/// A whole cassette, open for as long as it is read. What is wrong with it is said with its name.
class OpenMaterial final : public Material {
  template <class F>
  auto named(F&& body) {
    return reader_.guarded(no_limit, std::forward<F>(body));
  }

 public:
  OpenMaterial(const std::string& path, std::shared_ptr<const OpenCassette> cassette)
      : reader_(path, std::move(cassette)), stored_(*reader_.database) {}
  [[nodiscard]] std::vector<TakeRow> takes() override {
    return named([&] { return stored_.takes(); });
  }
  [[nodiscard]] std::vector<MaterialPart> parts() override {
    return named([&] { return stored_.parts(); });
  }
  [[nodiscard]] std::vector<MaterialSession> sessions() override {
    return named([&] { return stored_.sessions(); });
  }
  [[nodiscard]] std::vector<Mark> marks() override {
    return named([&] { return stored_.marks(); });
  }
  [[nodiscard]] std::set<std::string, std::less<>> allowed() override {
    return named([&] { return stored_.allowed(); });
  }
  void each(const std::function<void(const MaterialItem&)>& visit) override {
    named([&] { stored_.each(visit); });
  }
  [[nodiscard]] scrubbers::InteractionRecord record(const MaterialItem& item) override {
    return named([&] { return stored_.record(item); });
  }
  [[nodiscard]] std::uint64_t bytes() override {
    return named([&] { return stored_.bytes(); });
  }
  [[nodiscard]] Numbers highest() override {
    return named([&] { return stored_.highest(); });
  }

 private:
  ReaderState reader_;
  StoredMaterial stored_;
};

}  // namespace

std::vector<TakeRow> StoredMaterial::takes() { return read_takes(database_); }

std::vector<MaterialPart> StoredMaterial::parts() {
  std::vector<MaterialPart> parts;
  Query query(database_,
              "SELECT ifnull(s.name, ''), t.take, t.run, t.complete FROM scope_take t LEFT JOIN scope s"
              " ON s.id = t.scope ORDER BY t.scope, t.take");
  while (query.step()) parts.push_back({query.small(1), query.string(0), query.small(2), query.flag(3)});
  return parts;
}

std::vector<MaterialSession> StoredMaterial::sessions() {
  std::vector<MaterialSession> sessions;
  Query query(database_,
              "SELECT d.take, ifnull(s.name, ''), d.number, d.account, d.first_us, d.last_us, d.lane"
              " FROM session d LEFT JOIN scope s ON s.id = d.scope ORDER BY d.take, d.scope, d.number");
  while (query.step()) {
    const std::int64_t first = query.number(4, -largest_time, largest_time);
    const std::int64_t last = query.number(5, -largest_time, largest_time);
    sessions.push_back(
        {query.small(0), query.string(1), query.small(2), query.small(3), {first, last, query.small(6)}});
  }
  return sessions;
}

std::vector<Mark> StoredMaterial::marks() {
  std::vector<Mark> marks;
  Query query(database_, "SELECT take, at_us, name FROM mark ORDER BY take, number");
  while (query.step()) {
    marks.push_back({query.small(0), query.number(1, -largest_time, largest_time), query.string(2)});
  }
  return marks;
}

std::set<std::string, std::less<>> StoredMaterial::allowed() { return read_allowed(database_); }

void StoredMaterial::each(const std::function<void(const MaterialItem&)>& visit) {
  Query query(database_, "SELECT id, take, ord, digest FROM interaction ORDER BY id");
  while (query.step()) {
    MaterialItem item;
    item.row = query.number(0);
    item.take = query.small(1);
    item.ord = query.small(2);
    if (query.bytes(3).size() != digest_size) throw Damage("an interaction's id has another length");
    std::copy_n(query.bytes(3).begin(), digest_size, item.digest.begin());
    visit(item);
  }
}

scrubbers::InteractionRecord StoredMaterial::record(const MaterialItem& item) { return rows_.record(item.row); }

std::uint64_t StoredMaterial::bytes() {
  const std::int64_t pages = database_.execAndGet("PRAGMA page_count").getInt64();
  return static_cast<std::uint64_t>(pages * database_.execAndGet("PRAGMA page_size").getInt64());
}

Material::Numbers StoredMaterial::highest() {
  Query query(database_, "SELECT ifnull(max(session), 0), ifnull(max(account), 0) FROM interaction");
  if (!query.step()) return {};
  return {query.small(0), query.small(1)};
}

std::unique_ptr<Material> open_material(const std::string& path, std::shared_ptr<const OpenCassette> cassette) {
  try {
    return std::make_unique<OpenMaterial>(path, std::move(cassette));
  } catch (...) {
    rethrow_for(path);
  }
}

void check_content(const CassetteReader& reader) {
  reader.each([](const FullInteraction&) { return true; });
}

std::unique_ptr<Material> open_checked_material(const std::string& path) {
  try {
    const auto cassette = open_finished(path);
    check_content(ReaderAccess::reader(path, cassette));
    return open_material(path, cassette);
  } catch (...) {
    rethrow_for(path);
  }
}

std::unique_ptr<Material> open_material(const std::string& path) {
  try {
    return open_material(path, open_finished(path));
  } catch (...) {
    rethrow_for(path);
  }
}

}  // namespace tapedeck::cassettes
