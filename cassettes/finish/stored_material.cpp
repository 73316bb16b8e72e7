#include "cassettes/finish/stored_material.h"

#include <algorithm>

#include "cassettes/file/allowed_findings.h"
#include "cassettes/file/takes.h"

namespace tapedeck::cassettes {

namespace {

class StoredMaterial final : public Material {
  /// Adds the file's name to errors.
  template <class F>
  auto named(F&& body) {
    return reader_.guarded(no_limit, std::forward<F>(body));
  }

 public:
  StoredMaterial(const std::string& path, OpenCassette cassette) : reader_(path, std::move(cassette)) {}
  [[nodiscard]] std::vector<TakeRow> takes() override {
    return named([&] { return read_takes(*reader_.database); });
  }
  [[nodiscard]] std::vector<MaterialPart> parts() override;
  [[nodiscard]] std::vector<MaterialSession> sessions() override;
  [[nodiscard]] std::vector<Mark> marks() override;
  [[nodiscard]] std::set<std::string, std::less<>> allowed() override {
    return named([&] { return read_allowed(*reader_.database); });
  }
  void each(const std::function<void(const MaterialItem&)>& visit) override;
  [[nodiscard]] scrubbers::InteractionRecord record(const MaterialItem& item) override {
    return named([&] { return reader_.rows.record(item.row); });
  }
  [[nodiscard]] std::uint64_t bytes() override { return reader_.file->size(); }
  [[nodiscard]] Numbers highest() override;

 private:
  ReaderState reader_;
};

std::vector<MaterialPart> StoredMaterial::parts() {
  return named([&] {
    std::vector<MaterialPart> parts;
    Query query(*reader_.database,
                "SELECT ifnull(s.name, ''), t.take, t.run, t.complete FROM scope_take t LEFT JOIN scope s"
                " ON s.id = t.scope ORDER BY t.scope, t.take");
    while (query.step()) parts.push_back({query.small(1), query.string(0), query.small(2), query.flag(3)});
    return parts;
  });
}

std::vector<MaterialSession> StoredMaterial::sessions() {
  return named([&] {
    std::vector<MaterialSession> sessions;
    Query query(*reader_.database,
                "SELECT d.take, ifnull(s.name, ''), d.number, d.account, d.first_us, d.last_us, d.lane"
                " FROM session d LEFT JOIN scope s ON s.id = d.scope ORDER BY d.take, d.scope, d.number");
    while (query.step()) {
      const std::int64_t first = query.number(4, -largest_time, largest_time);
      const std::int64_t last = query.number(5, -largest_time, largest_time);
      sessions.push_back(
          {query.small(0), query.string(1), query.small(2), query.small(3), {first, last, query.small(6)}});
    }
    return sessions;
  });
}

std::vector<Mark> StoredMaterial::marks() {
  return named([&] {
    std::vector<Mark> marks;
    Query query(*reader_.database, "SELECT take, at_us, name FROM mark ORDER BY take, number");
    while (query.step()) {
      marks.push_back({query.small(0), query.number(1, -largest_time, largest_time), query.string(2)});
    }
    return marks;
  });
}

void StoredMaterial::each(const std::function<void(const MaterialItem&)>& visit) {
  named([&] {
    Query query(*reader_.database, "SELECT id, take, ord, name FROM interaction ORDER BY id");
    while (query.step()) {
      MaterialItem item;
      item.row = query.number(0);
      item.take = query.small(1);
      item.ord = query.small(2);
      if (query.bytes(3).size() != item.digest.size()) throw Damage("the name of an interaction has the wrong length");
      std::copy_n(query.bytes(3).begin(), item.digest.size(), item.digest.begin());
      visit(item);
    }
  });
}

Material::Numbers StoredMaterial::highest() {
  return named([&]() -> Numbers {
    Query query(*reader_.database, "SELECT ifnull(max(session), 0), ifnull(max(account), 0) FROM interaction");
    if (!query.step()) return {};
    return {query.small(0), query.small(1)};
  });
}

}  // namespace

scrubbers::InteractionRecord Material::record(const MaterialItem& /*item*/) {
  throw Damage("an interaction is missing");
}

bool has_take(Material& material, const std::string& name) {
  const std::vector<TakeRow> takes = material.takes();
  return std::any_of(takes.begin(), takes.end(), [&](const TakeRow& take) { return take.id == name; });
}

std::unique_ptr<Material> open_material(const std::string& path, OpenCassette cassette) {
  try {
    return std::make_unique<StoredMaterial>(path, std::move(cassette));
  } catch (...) {
    rethrow_for(path);
  }
}

}  // namespace tapedeck::cassettes
