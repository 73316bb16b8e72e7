// Tests a disk that is temporarily full: forwarding continues, unrecorded interactions are reported and counted, and
// recording resumes.

#include <sys/mount.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/e2e/fault_client.h"
#include "tests/e2e/harness.h"
#include "tests/support/fault_device.h"
#include "tests/support/needs.h"

namespace tapedeck::tests::disk_full_cases {

namespace {

/// A small separate file system. It is not mounted if that is not permitted.
class SmallDisk {
 public:
  SmallDisk() {
    is_mounted_ = ::mount("tmpfs", folder_.path().c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "size=2m,mode=700") == 0;
  }
  ~SmallDisk() {
    if (is_mounted_) ::umount2(folder_.path().c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  [[nodiscard]] bool is_mounted() const { return is_mounted_; }
  [[nodiscard]] std::string operator/(std::string_view name) const { return folder_ / name; }

 private:
  TempDir folder_;
  bool is_mounted_ = false;
};

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("disk full: forwarding continues, losses are reported, and recording resumes") {
  const SmallDisk disk;
  if (is_missing("mount", disk.is_mounted())) return;
  const TempDir folder;
  const FaultDevice device;
  const std::string cassette = disk / "full.cassette", filler = disk / "filler";
  Server recorder(folder.path(), {"record", "--device", device.url(), cassette});
  write_file(filler, std::string(1'000'000, 'f'));
  int sent = 0;
  const auto ask_once = [&] {
    const Heard heard = ask(recorder.url(), target_with("none") + "&n=" + std::to_string(sent++));
    REQUIRE(heard.status == 200);
    REQUIRE(heard.body == FaultDevice::body());
  };
  const auto lost = [&] { return count_of(recorder.err(), "NOT RECORDED"); };
  while (lost() == 0 && sent < 3000) ask_once();
  REQUIRE(lost() > 0);
  CHECK(says(recorder.err(), ": the disk is full"));
  for (int i = 0; i < 5; ++i) ask_once();
  std::filesystem::remove(filler);
  const int resumed_from = sent;
  for (int i = 0; i < 10; ++i) ask_once();
  CHECK(recorder.stop() == 3);
  const std::size_t lost_in_all = lost();  // read only now, because a line is written after its client got the response
  CHECK(recorder.out().find("NOT RECORDED: " + std::to_string(lost_in_all)) != std::string::npos);
  const auto rows = listed(cassette);
  CHECK(rows.size() == static_cast<std::size_t>(sent) - lost_in_all);
  for (int number = resumed_from; number < sent; ++number) {
    const std::string ending = "n=" + std::to_string(number);
    CHECK(std::any_of(rows.begin(), rows.end(), [&](const Listed& row) { return row.key.ends_with(ending); }));
  }
}

}  // namespace tapedeck::tests::disk_full_cases
