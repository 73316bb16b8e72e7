#include "cassettes/finish/material.h"

#include <algorithm>

#include "cassettes/file/rows.h"
#include "cassettes/read/reader_state.h"

namespace tapedeck::cassettes {

namespace {

class StoredMaterial final : public Material {
 public:
  StoredMaterial(const std::string& path, OpenCassette cassette) : reader_(path, std::move(cassette)) {}
  [[nodiscard]] MaterialHead head() override {
    return reader_.guarded(no_limit, [&] { return read_head(); });
  }
  void each(const std::function<void(const MaterialItem&)>& visit) override {
    reader_.guarded(no_limit, [&] { visit_all(visit); });
  }
  [[nodiscard]] scrubbers::InteractionRecord record(const MaterialItem& item) override {
    return reader_.guarded(no_limit, [&] { return reader_.rows.record(item.row); });
  }

 private:
  [[nodiscard]] MaterialHead read_head();
  void visit_all(const std::function<void(const MaterialItem&)>& visit);

  ReaderState reader_;
};

MaterialHead StoredMaterial::read_head() {
  SQLite::Database& database = *reader_.database;
  MaterialHead head;
  head.takes = read_takes(database);
  head.allowed = read_allowed(database);
  head.bytes = reader_.file->size();
  Query parts(database,
              "SELECT ifnull(s.name, ''), t.take, t.run, t.complete FROM scope_take t LEFT JOIN scope s"
              " ON s.id = t.scope ORDER BY t.scope, t.take");
  while (parts.step()) head.parts.push_back({parts.small(1), parts.string(0), parts.small(2), parts.flag(3)});
  Query accounts(database,
                 "SELECT a.take, ifnull(s.name, ''), a.number, a.check_value FROM account a LEFT JOIN scope s"
                 " ON s.id = a.scope ORDER BY a.take, a.scope, a.number");
  while (accounts.step()) {
    head.accounts.push_back({accounts.small(0), accounts.string(1), accounts.small(2), check_in(accounts, 3)});
  }
  Query sessions(database,
                 "SELECT d.take, ifnull(s.name, ''), d.number, d.account, d.first_us, d.last_us, d.lane"
                 " FROM session d LEFT JOIN scope s ON s.id = d.scope ORDER BY d.take, d.scope, d.number");
  while (sessions.step()) {
    const SessionSpan span{sessions.number(4, -largest_time, largest_time),
                           sessions.number(5, -largest_time, largest_time), sessions.small(6)};
    head.sessions.push_back({sessions.small(0), sessions.string(1), sessions.small(2), sessions.small(3), span});
  }
  Query marks(database, "SELECT take, at_us, name FROM mark ORDER BY take, number");
  while (marks.step()) {
    head.marks.push_back({marks.small(0), marks.number(1, -largest_time, largest_time), marks.string(2)});
  }
  Query highest(database, "SELECT ifnull(max(session), 0), ifnull(max(account), 0) FROM interaction");
  if (highest.step()) {
    head.highest_session = highest.small(0);
    head.highest_account = highest.small(1);
  }
  return head;
}

void StoredMaterial::visit_all(const std::function<void(const MaterialItem&)>& visit) {
  Query query(
      *reader_.database,
      "SELECT i.id, i.take, i.ord, i.name, ifnull(s.name, '') FROM interaction i LEFT JOIN key k ON k.id = i.key"
      " LEFT JOIN scope s ON s.id = k.scope ORDER BY i.id");
  while (query.step()) {
    MaterialItem item;
    item.row = query.number(0);
    item.take = query.small(1);
    item.ord = query.small(2);
    if (query.bytes(3).size() != item.digest.size()) throw Damage("the name of an interaction has the wrong length");
    std::copy_n(query.bytes(3).begin(), item.digest.size(), item.digest.begin());
    item.scope = query.string(4);
    visit(item);
  }
}

}  // namespace

scrubbers::InteractionRecord Material::record(const MaterialItem& /*item*/) {
  throw Damage("an interaction is missing");
}

bool has_take(Material& material, const std::string& id) {
  const std::vector<Take> takes = material.head().takes;
  return std::any_of(takes.begin(), takes.end(), [&](const Take& take) { return take.id == id; });
}

std::unique_ptr<Material> open_material(const std::string& path, OpenCassette cassette) {
  try {
    return std::make_unique<StoredMaterial>(path, std::move(cassette));
  } catch (...) {
    rethrow_for(path);
  }
}

}  // namespace tapedeck::cassettes
