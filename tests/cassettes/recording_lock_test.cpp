#include "cassettes/file/recording_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <catch2/catch.hpp>

#include "cassettes/file/cassette_error.h"
#include "cassettes/finish/finish.h"
#include "tests/cassettes/child_process.h"
#include "tests/support/cassette_fixture.h"

using namespace tapedeck;
using namespace tapedeck::testing;
using cassettes::RecordingLock;

namespace {

/// A child that holds the lock of a recording until it is killed.
std::unique_ptr<Child> holder_of_lock(const std::string& recording) {
  auto child = std::make_unique<Child>([&](const Child::Send& send) {
    const RecordingLock lock = RecordingLock::beside(recording);
    send(1);
    pause();
  });
  REQUIRE(child->receive(1).size() == 1);
  return child;
}

}  // namespace

TEST_CASE("recording lock: one process holds it, until it ends or is killed") {
  const TestFolder folder;
  const std::string recording = folder.file("a.cassette.recording");
  for (int kills = 0; kills < 3; ++kills) {
    const auto other = holder_of_lock(recording);
    CHECK(cassettes::is_locked(recording));
    CHECK_THROWS_AS(RecordingLock::beside(recording), cassettes::CassetteError);
    other->end();
    CHECK_FALSE(cassettes::is_locked(recording));
  }
  CHECK(cassettes::exists(recording + "-lock"));
  { const RecordingLock lock = RecordingLock::beside(recording); }
  CHECK_FALSE(cassettes::exists(recording + "-lock"));
}

TEST_CASE("recording lock: the file of a killed recorder is removed, and that of a running one stays") {
  const TestFolder folder;
  const std::string recording = folder.file("a.cassette.recording");
  const auto other = holder_of_lock(recording);
  cassettes::remove_stale_lock(recording);
  CHECK(cassettes::is_locked(recording));
  other->end();
  cassettes::remove_stale_lock(recording);
  CHECK_FALSE(cassettes::exists(recording + "-lock"));
}

TEST_CASE("recording lock: each command that finishes removes that of a recorder that was killed just before its end") {
  const TestFolder folder;
  const std::string cassette = folder.file("a.cassette");
  record_take(cassette, {record("SVC.Core.System/1/info", ok)});
  for (const auto& command : {+[](const std::string& path) { static_cast<void>(cassettes::finish(path, {})); },
                              +[](const std::string& path) { static_cast<void>(cassettes::finish_leftover(path)); }}) {
    holder_of_lock(cassette + ".recording")->end();
    command(cassette);
    CHECK_FALSE(cassettes::exists(cassette + ".recording-lock"));
  }
}

TEST_CASE("recording lock: does not lock the file that SQLite locks, and outlives its descriptors") {
  const TestFolder folder;
  const std::string recording = folder.file("a.cassette.recording");
  const RecordingLock lock = RecordingLock::beside(recording);
  {
    const base::Descriptor file(open(recording.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    CHECK(flock(file.number(), LOCK_EX | LOCK_NB) == 0);
  }
  Child other([&](const Child::Send& send) { send(cassettes::is_locked(recording) ? 1 : 2); });
  CHECK(other.receive(1) == std::vector<std::uint32_t>{1});
}
