#include "cassettes/file/descriptor_database.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <string_view>

#include "base/text.h"
#include "cassettes/file/format.h"
#include "cassettes/file/page_checksums.h"

namespace tapedeck::cassettes {

namespace {

constexpr const char* vfs_name = "tapedeck-descriptor";

struct File {
  sqlite3_file base;  // SQLite's part, which must come first
  int descriptor;
};

int descriptor_of(sqlite3_file* file) { return reinterpret_cast<File*>(file)->descriptor; }

int read_at(sqlite3_file* file, void* buffer, int size, sqlite3_int64 offset) {
  const std::span into(static_cast<char*>(buffer), static_cast<std::size_t>(size));
  const std::size_t got = base::read_at(descriptor_of(file), static_cast<std::uint64_t>(offset), into);
  if (got < into.size()) {
    if (errno != 0) return SQLITE_IOERR_READ;
    std::memset(into.data() + got, 0, into.size() - got);
    return SQLITE_IOERR_SHORT_READ;
  }
  const bool is_page = into.size() == page_size;
  return is_page && !has_right_checksum({into.data(), into.size()}) ? SQLITE_CORRUPT : SQLITE_OK;
}

int size_of(sqlite3_file* file, sqlite3_int64* size) {
  struct stat status {};
  if (fstat(descriptor_of(file), &status) != 0) return SQLITE_IOERR_FSTAT;
  *size = status.st_size;
  return SQLITE_OK;
}

sqlite3_io_methods reading_methods() {
  sqlite3_io_methods methods{};
  methods.iVersion = 1;
  methods.xClose = [](sqlite3_file*) { return SQLITE_OK; };
  methods.xRead = read_at;
  methods.xWrite = [](sqlite3_file*, const void*, int, sqlite3_int64) { return SQLITE_READONLY; };
  methods.xTruncate = [](sqlite3_file*, sqlite3_int64) { return SQLITE_READONLY; };
  methods.xSync = [](sqlite3_file*, int) { return SQLITE_OK; };
  methods.xFileSize = size_of;
  methods.xLock = methods.xUnlock = [](sqlite3_file*, int) { return SQLITE_OK; };
  methods.xCheckReservedLock = [](sqlite3_file*, int* reserved) {
    *reserved = 0;
    return SQLITE_OK;
  };
  methods.xFileControl = [](sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; };
  methods.xSectorSize = [](sqlite3_file*) { return 4096; };
  // Because the file is immutable, SQLite takes no lock and looks for no journal or WAL.
  methods.xDeviceCharacteristics = [](sqlite3_file*) { return SQLITE_IOCAP_IMMUTABLE; };
  return methods;
}

int keep_name(sqlite3_vfs* /*vfs*/, const char* name, int size, char* out) {
  if (std::strlen(name) >= static_cast<std::size_t>(size)) return SQLITE_CANTOPEN;
  std::strcpy(out, name);
  return SQLITE_OK;
}

/// Opens a database whose name is the number of its descriptor.
int open_reading(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* flags_out) {
  file->pMethods = nullptr;
  if ((flags & SQLITE_OPEN_MAIN_DB) == 0) {
    // A large sort may need a temporary file.
    auto* base = static_cast<sqlite3_vfs*>(vfs->pAppData);
    return base->xOpen(base, name, file, flags, flags_out);
  }
  static const sqlite3_io_methods methods = reading_methods();
  const auto descriptor = base::whole_number<int>(name);
  if (!descriptor) return SQLITE_CANTOPEN;
  new (file) File{{&methods}, *descriptor};
  if (flags_out) *flags_out = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB;
  return SQLITE_OK;
}

bool register_vfs() {
  static sqlite3_vfs vfs;
  sqlite3_initialize();
  sqlite3_vfs* base = sqlite3_vfs_find("unix");
  if (!base) return false;
  // Time, randomness, and sleep are inherited from the default VFS, whose functions ignore their first argument.
  vfs = *base;
  vfs.iVersion = 1;
  vfs.szOsFile = std::max(base->szOsFile, static_cast<int>(sizeof(File)));
  vfs.zName = vfs_name;
  vfs.pNext = nullptr;
  vfs.pAppData = base;
  vfs.xOpen = open_reading;
  vfs.xDelete = [](sqlite3_vfs*, const char*, int) { return SQLITE_READONLY; };
  vfs.xAccess = [](sqlite3_vfs*, const char*, int, int* found) {
    *found = 0;
    return SQLITE_OK;
  };
  vfs.xFullPathname = keep_name;
  return sqlite3_vfs_register(&vfs, 0) == SQLITE_OK;
}

}  // namespace

std::unique_ptr<SQLite::Database> open_immutable(const Descriptor& file) {
  static const bool registered = register_vfs();
  if (!registered) throw SQLite::Exception("SQLite's file layer cannot be extended");
  return std::make_unique<SQLite::Database>(std::to_string(file.number()), SQLite::OPEN_READONLY | SQLite::OPEN_NOMUTEX,
                                            0, vfs_name);
}

}  // namespace tapedeck::cassettes
