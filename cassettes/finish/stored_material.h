#pragma once
// The finished part of a cassette as Material.

#include "cassettes/file/connection.h"
#include "cassettes/file/fd_database.h"
#include "cassettes/finish/material.h"
#include "cassettes/read/cassette_reader.h"
#include "cassettes/read/stored_rows.h"

namespace tapedeck::cassettes {

/// `database` is a cassette whose schema was checked, and outlives this. Throws Damage.
class StoredMaterial final : public Material {
 public:
  explicit StoredMaterial(SQLite::Database& database) : database_(database), rows_(database) {}
  [[nodiscard]] std::vector<TakeRow> takes() override;
  [[nodiscard]] std::vector<MaterialPart> parts() override;
  [[nodiscard]] std::vector<MaterialSession> sessions() override;
  [[nodiscard]] std::vector<Mark> marks() override;
  [[nodiscard]] std::set<std::string, std::less<>> allowed() override;
  void each(const std::function<void(const MaterialItem&)>& visit) override;
  [[nodiscard]] scrubbers::InteractionRecord record(const MaterialItem& item) override;
  [[nodiscard]] std::uint64_t bytes() override;
  [[nodiscard]] Numbers highest() override;

 private:
  SQLite::Database& database_;
  StoredRows rows_;
};

/// Reads each interaction with its bodies, which are compared with their digests. Throws CassetteError when something
/// is lacking or is not what was recorded: what is written anew would look whole.
void check_content(const CassetteReader& reader);

/// Of a cassette that is open already.
[[nodiscard]] std::unique_ptr<Material> open_material(const std::string& path,
                                                      std::shared_ptr<const OpenCassette> cassette);

}  // namespace tapedeck::cassettes
