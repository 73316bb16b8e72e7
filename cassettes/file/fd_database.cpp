#include "cassettes/file/fd_database.h"

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <span>
#include <string_view>

#include "base/descriptor.h"
#include "cassettes/file/connection.h"
#include "cassettes/file/schema.h"

namespace tapedeck::cassettes {

namespace {

// SQLite's own file layer opens by name, resolves links and refuses /proc/self/fd/N, so a file that has lost its name
// is out of its reach. This layer reads what is open already: the cassette that open_immutable() is opening.
thread_local const OpenCassette* opening = nullptr;

constexpr const char* vfs_name = "tapedeck-descriptor";

struct File {
  sqlite3_file base;  // what SQLite knows of it; first, by its rules
  const OpenCassette* cassette;
};

const OpenCassette& cassette_of(sqlite3_file* file) { return *reinterpret_cast<File*>(file)->cassette; }

int close_nothing(sqlite3_file*) { return SQLITE_OK; }

int read_at(sqlite3_file* file, void* buffer, int size, sqlite3_int64 offset) {
  const OpenCassette& cassette = cassette_of(file);
  auto* out = static_cast<char*>(buffer);
  const auto end = static_cast<std::uint64_t>(offset) + static_cast<std::uint64_t>(size);
  const std::string_view beginning = cassette.beginning.view();
  if (end <= beginning.size()) {
    std::memcpy(out, beginning.data() + offset, static_cast<std::size_t>(size));
    return SQLITE_OK;
  }
  const std::span into(out, static_cast<std::size_t>(size));
  const std::size_t got = base::read_at(cassette.file.number(), static_cast<std::uint64_t>(offset), into);
  if (got == into.size()) return SQLITE_OK;
  if (errno != 0) return SQLITE_IOERR_READ;
  std::memset(out + got, 0, into.size() - got);
  return SQLITE_IOERR_SHORT_READ;
}

int write_nothing(sqlite3_file*, const void*, int, sqlite3_int64) { return SQLITE_READONLY; }
int truncate_nothing(sqlite3_file*, sqlite3_int64) { return SQLITE_READONLY; }
int sync_nothing(sqlite3_file*, int) { return SQLITE_OK; }

int size_of(sqlite3_file* file, sqlite3_int64* size) {
  struct stat status {};
  if (fstat(cassette_of(file).file.number(), &status) != 0) return SQLITE_IOERR_FSTAT;
  *size = status.st_size;
  return SQLITE_OK;
}

int lock_nothing(sqlite3_file*, int) { return SQLITE_OK; }

int nobody_else(sqlite3_file*, int* reserved) {
  *reserved = 0;
  return SQLITE_OK;
}

int no_control(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
int sector_size(sqlite3_file*) { return 4096; }
/// Immutable: SQLite takes no lock and looks for no journal or WAL.
int characteristics(sqlite3_file*) { return SQLITE_IOCAP_IMMUTABLE; }

sqlite3_io_methods reading_methods() {
  sqlite3_io_methods methods{};
  methods.iVersion = 1;
  methods.xClose = close_nothing;
  methods.xRead = read_at;
  methods.xWrite = write_nothing;
  methods.xTruncate = truncate_nothing;
  methods.xSync = sync_nothing;
  methods.xFileSize = size_of;
  methods.xLock = lock_nothing;
  methods.xUnlock = lock_nothing;
  methods.xCheckReservedLock = nobody_else;
  methods.xFileControl = no_control;
  methods.xSectorSize = sector_size;
  methods.xDeviceCharacteristics = characteristics;
  return methods;
}

int keep_name(sqlite3_vfs* /*vfs*/, const char* name, int size, char* out) {
  if (std::strlen(name) >= static_cast<std::size_t>(size)) return SQLITE_CANTOPEN;
  std::strcpy(out, name);
  return SQLITE_OK;
}

int open_reading(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* flags_out) {
  file->pMethods = nullptr;
  if ((flags & SQLITE_OPEN_MAIN_DB) == 0) {
    // A large sort may want a temporary file.
    auto* base = static_cast<sqlite3_vfs*>(vfs->pAppData);
    return base->xOpen(base, name, file, flags, flags_out);
  }
  static const sqlite3_io_methods methods = reading_methods();
  if (!opening) return SQLITE_CANTOPEN;
  new (file) File{{&methods}, opening};
  if (flags_out) *flags_out = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB;
  return SQLITE_OK;
}

int delete_nothing(sqlite3_vfs*, const char*, int) { return SQLITE_READONLY; }

int nothing_there(sqlite3_vfs*, const char*, int, int* found) {
  *found = 0;
  return SQLITE_OK;
}

bool register_vfs() {
  static sqlite3_vfs vfs;
  sqlite3_initialize();
  sqlite3_vfs* base = sqlite3_vfs_find("unix");
  if (!base) return false;
  // Time, randomness and sleeping stay those of the base, which looks at nothing in its first argument for them.
  vfs = *base;
  vfs.iVersion = 1;
  vfs.szOsFile = std::max(base->szOsFile, static_cast<int>(sizeof(File)));
  vfs.zName = vfs_name;
  vfs.pNext = nullptr;
  vfs.pAppData = base;
  vfs.xOpen = open_reading;
  vfs.xDelete = delete_nothing;
  vfs.xAccess = nothing_there;
  vfs.xFullPathname = keep_name;
  return sqlite3_vfs_register(&vfs, 0) == SQLITE_OK;
}

}  // namespace

bool OpenCassette::finished() const { return beginning.view().substr(18, 2) == "\x01\x01"; }

std::shared_ptr<const OpenCassette> open_cassette(Descriptor file) {
  constexpr std::size_t most_of_tiny_pages = 1u << 20;
  // Its size stands in bytes 16 and 17; check_header() has looked at it, but the file may be another one by now.
  std::array<char, 18> header;
  const bool has_header = base::read_at(file.number(), 0, header) == header.size();
  const auto byte = [&header](std::size_t at) { return std::uint32_t{static_cast<unsigned char>(header[at])}; };
  const std::uint32_t page = has_header ? byte(16) << 8 | byte(17) : 0;
  if (!is_page_size(page)) throw Damage("its first page is cut");
  FirstBytes beginning(file, page == tiny_page_size ? most_of_tiny_pages : page);
  if (beginning.view().size() < page) throw Damage("its first page is cut");
  return std::make_shared<const OpenCassette>(OpenCassette{std::move(file), std::move(beginning)});
}

std::unique_ptr<SQLite::Database> open_immutable(const OpenCassette& cassette) {
  static const bool registered = register_vfs();
  if (!registered) throw SQLite::Exception("SQLite's file layer cannot be extended");
  struct Opening {
    explicit Opening(const OpenCassette& now) { opening = &now; }
    ~Opening() { opening = nullptr; }
  };
  const Opening scope(cassette);
  return std::make_unique<SQLite::Database>("cassette", SQLite::OPEN_READONLY | SQLite::OPEN_NOMUTEX, 0, vfs_name);
}

}  // namespace tapedeck::cassettes
