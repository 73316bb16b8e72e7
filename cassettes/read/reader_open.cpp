// Opens a finished cassette (docs/cassette-format.md, "Reading").

#include "cassettes/file/schema.h"
#include "cassettes/read/reader_state.h"

namespace tapedeck::cassettes {

namespace {

constexpr std::uint64_t small_cassette = std::uint64_t{4} << 20;

/// Checks the schema before any other statement. A file that was checked before is not checked again.
SQLite::Database& checked(SQLite::Database& database, Deadline& deadline, bool is_known) {
  harden(database);
  deadline.arm(one_statement);
  if (!is_known) check_schema(database, Schema::cassette);
  return database;
}

}  // namespace

CassetteReader::Impl::Impl(std::string path_of, OpenCassette open, const Impl* other)
    : path(std::move(path_of)),
      file(std::move(open)),
      database(open_immutable(*file)),
      deadline(*database),
      queries(checked(*database, deadline, other != nullptr)),
      rows(*database) {
  // The cache size in KiB. The inner pages of a million interactions fit, with room for others. A small cassette needs
  // less, because replay caches its responses.
  database->exec("PRAGMA cache_size=-" + std::to_string(file->size() < small_cassette ? 128 : 12 * 1024));
  if (other != nullptr) {
    info = other->info;
  } else {
    if (file->size() <= checked_up_front) quick_check(*database, deadline);
    load_info();
    database->exec("PRAGMA shrink_memory");
  }
  // The file does not change, so all statements share one read transaction.
  database->exec("BEGIN");
}

CassetteReader::CassetteReader() = default;
CassetteReader::~CassetteReader() = default;
CassetteReader::CassetteReader(CassetteReader&&) noexcept = default;
CassetteReader& CassetteReader::operator=(CassetteReader&&) noexcept = default;

CassetteReader ReaderAccess::reader(const std::string& path, OpenCassette file) {
  CassetteReader reader;
  reader.impl_ = std::make_unique<CassetteReader::Impl>(path, std::move(file));
  return reader;
}

CassetteReader CassetteReader::clone() const {
  CassetteReader other;
  try {
    other.impl_ = std::make_unique<Impl>(impl_->path, impl_->file, impl_.get());
  } catch (...) {
    rethrow_for(impl_->path);
  }
  return other;
}

}  // namespace tapedeck::cassettes
