// Tests files that the program creates at paths of users: private, never a link, never another program's file.

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/e2e/harness.h"
#include "tests/support/leak_search.h"

namespace tapedeck::tests::own_files_cases {

namespace {

struct Ask {
  std::string option;
  std::vector<std::string> before, behind;
};

std::vector<std::string> line_of(const Ask& ask, const std::string& path) {
  std::vector<std::string> all = ask.before;
  all.insert(all.end(), {ask.option, path});
  all.insert(all.end(), ask.behind.begin(), ask.behind.end());
  return all;
}

bool is_private(const std::string& path) {
  struct stat found {};
  return lstat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) && (found.st_mode & 0777) == 0600;
}

}  // namespace

TEST_CASE("own files: refuses files of others, links, and cassettes and leaves them unchanged") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "nas.cassette";
  record(folder.path(), device, cassette, [](const std::string& url) { static_cast<void>(play(url, {login_step()})); });
  const std::vector<Ask> asks = {
      {"--ready-file", {"replay", cassette, "--listen", "127.0.0.1:0"}, {}},
      {"--ready-file", {"record", "--device", device.url(), folder / "new.cassette", "--listen", "127.0.0.1:0"}, {}},
      {"--ready-file", {"exec", cassette}, {"--", "true"}},
      {"--journal", {"replay", cassette, "--listen", "127.0.0.1:0"}, {}},
      {"--journal", {"record", "--device", device.url(), folder / "new.cassette", "--listen", "127.0.0.1:0"}, {}},
      {"--journal", {"exec", cassette}, {"--", "true"}},
      {"--report", {"exec", cassette}, {"--", "true"}},
      {"--private-key", {"record", "--device", device.url(), folder / "new.cassette", "--listen", "127.0.0.1:0"}, {}},
  };
  const std::string notes = folder / "notes.txt", target = folder / "target", link = folder / "link";
  const std::string cassette_bytes = read_file(cassette);
  for (const Ask& ask : asks) {
    CAPTURE(ask.option, ask.before.front());
    write_file(notes, "mine\n");
    const Ran on_notes = run_tapedeck(line_of(ask, notes));
    CHECK(on_notes.status != 0);
    CHECK(on_notes.err.find(notes) != std::string::npos);
    CHECK(read_file(notes) == "mine\n");
    CHECK(run_tapedeck(line_of(ask, cassette)).status != 0);
    CHECK(read_file(cassette) == cassette_bytes);
    write_file(target, "");
    std::filesystem::remove(link);
    std::filesystem::create_symlink(target, link);
    CHECK(run_tapedeck(line_of(ask, link)).status != 0);
    CHECK(read_file(target) == "");
    CHECK(std::filesystem::is_symlink(link));
    CHECK_FALSE(std::filesystem::exists(folder / "new.cassette"));
  }
}

TEST_CASE("own files: overwrites the file of an earlier run and makes it private") {
  const TempDir folder;
  const std::string report = folder / "report.json", journal = folder / "journal.jsonl";
  for (int round = 0; round < 2; ++round) {
    CHECK(run_tapedeck({"exec", "--report", report, "--journal", journal, "--", "true"}).status == 0);
    CHECK(is_private(report));
    CHECK(is_private(journal));
    CHECK(read_file(report).find("\"command_status\"") != std::string::npos);
    chmod(report.c_str(), 0644);
    chmod(journal.c_str(), 0644);
  }
  const std::string made_by_mktemp = folder / "ready";
  write_file(made_by_mktemp, "");
  CHECK(run_tapedeck({"exec", "--ready-file", made_by_mktemp, "--", "cat", made_by_mktemp}).out.starts_with("http://"));
  write_file(made_by_mktemp, "http://127.0.0.1:1\ncommand=replay\n");
  CHECK(run_tapedeck({"exec", "--ready-file", made_by_mktemp, "--", "true"}).status == 0);
  CHECK_FALSE(std::filesystem::exists(made_by_mktemp));
}

TEST_CASE("own files: a ready file that another program replaced stays when the command ends") {
  const TempDir folder;
  Server replay(folder.path(), {"replay"});
  // The new file gets the inode of the first one if the file system reuses it.
  std::filesystem::remove(replay.ready_file());
  write_file(replay.ready_file(), "somebody's\n");
  CHECK(replay.stop() == 0);
  CHECK(read_file(replay.ready_file()) == "somebody's\n");
}

TEST_CASE("own files: recorders with one journal keep each other's lines, and a killed one leaves its own") {
  const TempDir folder, logs[3];
  const Device device;
  const std::string journal = folder / "journal.jsonl";
  std::vector<std::unique_ptr<Server>> recorders;
  for (int i = 0; i < 3; ++i) {
    recorders.push_back(std::make_unique<Server>(
        logs[i].path(), std::vector<std::string>{"record", "--device", device.url(),
                                                 folder / std::to_string(i) + ".cassette", "--journal", journal}));
    const std::string method = "note" + std::to_string(i);
    static_cast<void>(
        curl({recorders[i]->url() + "/webapi/entry.cgi?api=SYNO.Core.System&version=1&method=" + method}));
  }
  recorders[2]->kill();
  CHECK(recorders[0]->stop() == 0);
  CHECK(recorders[1]->stop() == 0);
  const std::string lines = read_file(journal);
  CHECK(lines.find("note0") != std::string::npos);
  CHECK(lines.find("note1") != std::string::npos);
  CHECK(lines.find("note2") == std::string::npos);
  CHECK(std::filesystem::exists(journal + ".part-3"));
  CHECK_FALSE(std::filesystem::exists(journal + ".part-1"));
  CHECK_FALSE(std::filesystem::exists(journal + ".part-2"));
}

TEST_CASE("own files: no line of the journal contains a value that is learned late") {
  const TempDir folder, logs;
  const Device device;
  const std::string journal = folder / "journal.jsonl", secret = Login().password;
  Server recorder(logs.path(), {"record", "--device", device.url(), folder / "late.cassette", "--journal", journal});
  const std::string call_url = "{base}/webapi/entry.cgi?api=SYNO.Core.System&version=1&method=info";
  static_cast<void>(
      play(recorder.url(), {{"early", {call_url, "-G", "--data-urlencode", "note=" + secret}}, login_step()}));
  CHECK(recorder.stop() == 0);
  CHECK(read_file(journal).find("SYNO.Core.System") != std::string::npos);
  CHECK(leaks(folder.path(), {secret}) == std::vector<std::string>());
}

}  // namespace tapedeck::tests::own_files_cases
