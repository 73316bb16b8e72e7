#include "cassettes/file/sqlite_library.h"

#include <sqlite3.h>

namespace tapedeck::cassettes {

std::string sqlite_version() { return sqlite3_libversion(); }

void count_no_memory() noexcept { sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

}  // namespace tapedeck::cassettes
