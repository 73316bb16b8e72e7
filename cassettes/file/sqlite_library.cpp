#include "cassettes/file/sqlite_library.h"

#include <sqlite3.h>

#include <cstddef>

#include "base/linux.h"

namespace tapedeck::cassettes {

namespace {

sqlite3_mem_methods standard;

void* allocate(int size) {
  void* const block = standard.xMalloc(size);
  base::use_huge_pages(block, static_cast<std::size_t>(size));
  return block;
}

void* reallocate(void* block, int size) {
  void* const moved = standard.xRealloc(block, size);
  base::use_huge_pages(moved, static_cast<std::size_t>(size));
  return moved;
}

}  // namespace

std::string sqlite_version() { return sqlite3_libversion(); }

void use_huge_pages_in_sqlite() {
  if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &standard) != SQLITE_OK) return;
  sqlite3_mem_methods methods = standard;
  methods.xMalloc = allocate;
  methods.xRealloc = reallocate;
  sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
}

}  // namespace tapedeck::cassettes
