#include "cassettes/file/sqlite_library.h"

#include <sqlite3.h>

namespace tapedeck::cassettes {

std::string sqlite_version() { return sqlite3_libversion(); }

}  // namespace tapedeck::cassettes
