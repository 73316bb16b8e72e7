// Lets the Nth write, sync, or open fail, with N from 1 until none is left. Nothing acknowledged is lost, and nothing
// is damaged.

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdarg>
#include <set>

#include "cassettes/read/cassette_reader.h"
#include "tests/support/cassette_fixture.h"
#include "tests/support/needs.h"

namespace {

enum class Call { write, sync, open };

/// Selects the call that fails. The functions below replace those of the C library for SQLite and for the product.
struct Fault {
  std::atomic<bool> armed = false;
  Call call = Call::write;
  bool for_ever = false;  ///< also fails all later ones, as on a full disk
  int nth = 0;
  std::atomic<int> seen = 0;

  bool strikes(Call now) {
    if (!armed || now != call) return false;
    const int number = ++seen;
    return for_ever ? number >= nth : number == nth;
  }
  [[nodiscard]] bool struck() const { return seen >= nth; }
};

Fault fault;

long fails(int code) {
  errno = code;
  return -1;
}

}  // namespace

// NOLINTBEGIN: names and signatures are those of the C library.
extern "C" {
ssize_t write(int file, const void* bytes, size_t size) {
  if (fault.strikes(Call::write)) return fails(ENOSPC);
  return syscall(SYS_write, file, bytes, size);
}
ssize_t pwrite(int file, const void* bytes, size_t size, off_t at) {
  if (fault.strikes(Call::write)) return fails(ENOSPC);
  return syscall(SYS_pwrite64, file, bytes, size, at);
}
ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t at) { return pwrite(file, bytes, size, at); }
int fsync(int file) {
  if (fault.strikes(Call::sync)) return static_cast<int>(fails(EIO));
  return static_cast<int>(syscall(SYS_fsync, file));
}
int fdatasync(int file) {
  if (fault.strikes(Call::sync)) return static_cast<int>(fails(EIO));
  return static_cast<int>(syscall(SYS_fdatasync, file));
}
int open(const char* path, int flags, ...) {
  if (fault.strikes(Call::open)) return static_cast<int>(fails(EIO));
  va_list rest;
  va_start(rest, flags);
  const auto mode = static_cast<mode_t>((flags & O_CREAT) != 0 ? va_arg(rest, unsigned) : 0);
  va_end(rest);
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const auto mode = static_cast<mode_t>((flags & O_CREAT) != 0 ? va_arg(rest, unsigned) : 0);
  va_end(rest);
  return open(path, flags, mode);
}
}
// NOLINTEND

namespace {

using namespace tapedeck;
using namespace tapedeck::testing;
using cassettes::CassetteError;
using cassettes::CassetteReader;
using cassettes::CassetteWriter;

constexpr std::uint32_t row_count = 4;

/// Returns start times in the cassette, in the unfinished recording, and in recordings that could not become part of
/// it.
std::set<std::int64_t> starts_in(const std::string& path) {
  std::set<std::int64_t> starts;
  for (const std::string& one : {path, path + ".unmerged"}) {
    if (!cassettes::is_recorded(one)) continue;
    CassetteReader(one).list([&](const auto& line) {
      starts.insert(line.started_us);
      return true;
    });
  }
  return starts;
}

/// Runs `record` once with the fault. Returns the start times of acknowledged interactions.
std::set<std::int64_t> record_with_fault(const std::string& path, bool& finished) {
  std::set<std::int64_t> acknowledged;
  scrubbers::Scrubber scrubber({});
  fault.seen = 0;
  fault.armed = true;
  try {
    auto writer = std::make_unique<CassetteWriter>(path, fixture_take());
    for (std::uint32_t i = 0; i < row_count; ++i) {
      const std::int64_t start = fixture_start_us + 5'000'000 + i * 1000;
      const Recorded row = record("SVC.Core.Network/1/get", ok, "Kq3xV9-fixture_session-Lm2pQ7").at(start, start + 1);
      writer->append(scrubber.scrub(row.interaction), [&acknowledged, start](bool committed) {
        if (committed) acknowledged.insert(start);
      });
      writer->flush();
    }
    cassettes::FinishOptions options;
    options.scrubber = &scrubber;
    options.scan = false;
    finished = cassettes::finish(std::move(writer), options).finished;
  } catch (const CassetteError&) {
    // Refused in one line: nothing was acknowledged, or it is stored anyway.
  }
  fault.armed = false;
  return acknowledged;
}

void check_every_fault(Call call, bool for_ever, bool into_existing) {
  fault.call = call;
  fault.for_ever = for_ever;
  // Of the calls behind the first ten every third one, unless the run is long.
  for (fault.nth = 1; fault.nth < 2000; fault.nth += fault.nth < 10 || tests::is_long() ? 1 : 3) {
    INFO("call " << static_cast<int>(call) << (for_ever ? " from " : " number ") << fault.nth);
    const TestFolder folder;
    const std::string path = folder.file("x.cassette");
    std::set<std::int64_t> expected;
    if (into_existing) {
      record_take(path, {record("SVC.Core.Network/1/get", ok)});
      expected = starts_in(path);
    }
    bool finished = false;
    expected.merge(record_with_fault(path, finished));
    const auto found_now = starts_in(path);
    CHECK(std::includes(found_now.begin(), found_now.end(), expected.begin(), expected.end()));
    if (finished) CHECK(CassetteReader(path).info().finished);
    if (!fault.struck()) {
      CHECK(finished);
      CHECK(expected.size() == row_count + (into_existing ? 1 : 0));
      return;
    }
    if (fault.nth % 4 != 0) continue;
    // The next run finishes any remaining recording.
    record_take(path, {record("SVC.Core.Network/1/get", ok)});
    const auto found = starts_in(path);
    CHECK(std::includes(found.begin(), found.end(), expected.begin(), expected.end()));
  }
  FAIL("the run never came through");
}

}  // namespace

TEST_CASE("faults: the Nth write fails") { check_every_fault(Call::write, false, false); }
TEST_CASE("faults: every write from the Nth on fails as on a full disk") { check_every_fault(Call::write, true, true); }
TEST_CASE("faults: the Nth sync fails") { check_every_fault(Call::sync, false, true); }
TEST_CASE("faults: the Nth open fails") { check_every_fault(Call::open, false, true); }
