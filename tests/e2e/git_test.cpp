// Tests cassettes in a real git repository: branches merged, readable diffs, no committed secret.

#include <catch2/catch.hpp>

#include <filesystem>
#include <regex>

#include "tests/e2e/harness.h"
#include "tests/support/needs.h"

namespace tapedeck::tests::git_cases {

namespace {

constexpr const char* network = "api=SYNO.Core.Network&version=1&method=get";
constexpr const char* portals = "api=SYNO.Core.AppPortal&version=1&method=list";
constexpr const char* rule = "api=SYNO.Core.AppPortal.ReverseProxy&version=1&method=list";

/// A repository with an invented owner.
class Repository {
 public:
  Repository() {
    (void)git({"init", "-q", "-b", "main"});
    (void)git({"config", "user.name", "tests"});
    (void)git({"config", "user.email", "tests@example.org"});
    (void)git({"config", "core.pager", "cat"});
  }
  [[nodiscard]] const TempDir& folder() const { return folder_; }
  [[nodiscard]] Ran git(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"git", "-C", folder_.path().string()});
    return run(arguments, milliseconds(60000),
               {{"GIT_CONFIG_GLOBAL", "/dev/null"}, {"GIT_CONFIG_SYSTEM", "/dev/null"}});
  }
  void must(std::vector<std::string> arguments) const {
    const Ran ran = git(arguments);
    INFO(arguments[0] << ": " << ran.out << ran.err);
    REQUIRE(ran.status == 0);
  }
  void commit(const std::string& message) const {
    must({"add", "-A"});
    must({"commit", "-q", "-m", message});
  }

 private:
  TempDir folder_;
};

void record_call(const TempDir& folder, const Device& device, const std::string& cassette, const char* query) {
  record(folder.path(), device, cassette,
         [&](const std::string& url) { (void)curl({url + "/webapi/entry.cgi?" + query}); });
}

std::string id_of(const std::string& cassette, const char* api) {
  const Ran listed = run_tapedeck({"ls", cassette, "--call", api});
  for (const std::string& id : ids_in(cassette)) {
    if (says(listed.out, id)) return id;
  }
  return {};
}

/// Records a call on each of two branches, and merges them. `cassette` has one call before.
void merge_two_branches(const Repository& repository, const TempDir& work, const Device& device,
                        const std::string& cassette) {
  repository.must({"checkout", "-q", "-b", "other"});
  record_call(work, device, cassette, portals);
  repository.commit("portals");
  repository.must({"checkout", "-q", "main"});
  record_call(work, device, cassette, rule);
  repository.commit("rules");
  repository.must({"merge", "-q", "-m", "both", "other"});
  CHECK(ids_in(cassette).size() == 3);
}

/// Returns git's output without the names of contents, which depend on times.
std::string without_names(const std::string& text) {
  std::string out = std::regex_replace(text, std::regex("index [0-9a-f]+\\.\\.[0-9a-f]+"), "index OLD..NEW");
  return std::regex_replace(out, std::regex("(index OLD..NEW|new file mode) 100[0-9]+"), "$1 MODE");
}

}  // namespace

TEST_CASE("git: different calls on two branches merge, and one response changed on both is one conflict") {
  if (is_missing("git", has_program("git"))) return;
  const Repository repository;
  const TempDir work;
  const Device device;
  const std::string cassette = repository.folder() / "a.cassette";
  const Ran setup = run_tapedeck({"git-setup", repository.folder().path().string()});
  REQUIRE(setup.status == 0);
  CHECK(says(setup.out, ".gitattributes"));
  CHECK(says(run_tapedeck({"git-setup", repository.folder().path().string()}).out,
             "git is already set up; nothing was changed"));
  record_call(work, device, cassette, network);
  for (const char* const suffix : {"-wal", "-shm", "-journal", ".recording", ".recording-wal", ".finishing",
                                   ".new-a1b2", ".failed", ".failed-2", ".quarantined", ".unmerged", ".unmerged-2"}) {
    write_file(repository.folder() / std::string("b.cassette") + suffix, "side file");
  }
  repository.commit("recorded");
  CHECK_FALSE(says(repository.git({"ls-files"}).out, "b.cassette"));

  merge_two_branches(repository, work, device, cassette);
  CHECK(run_tapedeck({"scan", cassette}).status == 0);

  const std::string id = id_of(cassette, "Core.Network");
  REQUIRE_FALSE(id.empty());
  repository.must({"checkout", "-q", "-b", "third"});
  REQUIRE(run_tapedeck({"edit", cassette, id, "--set", "/by=3"}).status == 0);
  repository.commit("third");
  repository.must({"checkout", "-q", "main"});
  REQUIRE(run_tapedeck({"edit", cassette, id, "--set", "/by=4"}).status == 0);
  repository.commit("fourth");
  const Ran conflict = repository.git({"merge", "-m", "conflict", "third"});
  CHECK(conflict.status == 1);
  CHECK(says(conflict.err + conflict.out,
             "conflict: " + id + " SYNO.Core.Network/1/get: changed in ours, changed in another way in theirs"));
  CHECK(
      says(conflict.err + conflict.out, "1 conflict; nothing was written\nhint: choose a side: `git checkout --ours"));
  repository.must({"checkout", "--theirs", "a.cassette"});
  repository.must({"checkout", "--ours", "a.cassette"});
  // Our side is still complete and can be used to decide.
  CHECK(ids_in(cassette).size() == 3);
}

TEST_CASE("git: calls a program whose path has quotes, spaces, and percent signs") {
  if (is_missing("git", has_program("git"))) return;
  const Repository repository;
  const TempDir work;
  const Device device;
  const std::string folder = work / "it's 100%A $(exit 9)", program = folder + "/tape deck%";
  std::filesystem::create_directory(folder);
  std::filesystem::copy_file(binary(), program);
  const std::string cassette = repository.folder() / "a.cassette";
  REQUIRE(run({program, "git-setup", repository.folder().path().string()}).status == 0);
  record_call(work, device, cassette, network);
  repository.commit("network");
  CHECK(says(repository.git({"show"}).out, "SYNO.Core.Network"));
  merge_two_branches(repository, work, device, cassette);
}

TEST_CASE("git: the same scope recorded differently on two branches is one conflict that names it") {
  if (is_missing("git", has_program("git"))) return;
  const Repository repository;
  const TempDir work;
  const Device device;
  const std::string cassette = repository.folder() / "a.cassette";
  REQUIRE(run_tapedeck({"git-setup", repository.folder().path().string()}).status == 0);
  const auto record_scope = [&](const std::string& scope, std::vector<const char*> queries) {
    record(work.path(), device, cassette, [&](const std::string& url) {
      for (const char* query : queries) {
        (void)curl({url + "/webapi/entry.cgi?" + query, "-H", "X-Tapedeck-Scope: " + scope});
      }
    });
  };
  record_scope("volumes", {network});
  repository.commit("recorded");
  repository.must({"checkout", "-q", "-b", "other"});
  record_scope("login%20fails", {portals});
  record_scope("only there", {network});
  repository.commit("theirs");
  repository.must({"checkout", "-q", "main"});
  record_scope("login%20fails", {rule, network});
  repository.commit("ours");
  const std::string ours = read_file(cassette);
  const Ran conflict = repository.git({"merge", "-m", "both", "other"});
  const std::string said = conflict.err + conflict.out;
  INFO(said);
  CHECK(conflict.status == 1);
  const std::string line = "conflict: scope login fails: recorded ";
  REQUIRE(says(said, line));
  CHECK(said.find("conflict: ", said.find(line) + 1) == std::string::npos);
  CHECK(says(said, " in ours, recorded "));
  CHECK(read_file(cassette) == ours);
  CHECK(says(repository.git({"status", "--porcelain"}).out, "UU a.cassette"));
}

TEST_CASE("git: diff and log show only the changed field and its record's heading") {
  if (is_missing("git", has_program("git"))) return;
  const Repository repository;
  const TempDir work;
  const Device device;
  const std::string cassette = repository.folder() / "a.cassette";
  REQUIRE(run_tapedeck({"git-setup", repository.folder().path().string()}).status == 0);
  repository.commit("set up");
  record(work.path(), device, cassette, [](const std::string& url) {
    for (const char* query : {portals, rule}) (void)curl({url + "/webapi/entry.cgi?" + query, "-A", "tests"});
  });
  repository.commit("recorded");
  const std::string id = id_of(cassette, "Core.AppPortal");
  const Ran set = run_tapedeck({"edit", cassette, id, "--set", "/error/code=105"});
  CAPTURE(set.err);
  REQUIRE(set.status == 0);
  const std::string changed = R"(diff --git a/a.cassette b/a.cassette
index OLD..NEW MODE
--- a/a.cassette
+++ b/a.cassette
@@ -23,7 +23,7 @@ interaction SYNO.Core.AppPortal/1/list
   < body json
     {
       "error": {
-        "code": 119
+        "code": 105
       },
       "success": false
     }
)";
  CHECK(without_names(repository.git({"diff", "--no-color"}).out) == changed);
  repository.commit("edited");
  const std::string log = repository.git({"log", "-p", "--no-color", "--format=%s", "-2"}).out;
  CHECK(without_names(log) == "edited\n\n" + changed + R"(recorded

diff --git a/a.cassette b/a.cassette
new file mode MODE
index OLD..NEW
--- /dev/null
+++ b/a.cassette
@@ -0,0 +1,29 @@
+tapedeck text 1
+
+interaction SYNO.Core.AppPortal.ReverseProxy/1/list
+  > GET /webapi/entry.cgi?api=SYNO.Core.AppPortal.ReverseProxy&version=1&method=list HTTP/1.1
+  > User-Agent: tests
+  > Accept: */*
+  < 200 OK
+  < Content-Type: application/json; charset="UTF-8"
+  < body json
+    {
+      "error": {
+        "code": 102
+      },
+      "success": false
+    }
+
+interaction SYNO.Core.AppPortal/1/list
+  > GET /webapi/entry.cgi?api=SYNO.Core.AppPortal&version=1&method=list HTTP/1.1
+  > User-Agent: tests
+  > Accept: */*
+  < 200 OK
+  < Content-Type: application/json; charset="UTF-8"
+  < body json
+    {
+      "error": {
+        "code": 119
+      },
+      "success": false
+    }
)");
}

TEST_CASE("git: with Git LFS pointers, commands name `git lfs pull`, and a merge is a conflict that changes nothing") {
  const auto pointer = [](char digit) {
    return "version https://git-lfs.github.com/spec/v1\noid sha256:" + std::string(64, digit) + "\nsize 40960\n";
  };
  const std::string hint = "is a Git LFS pointer, not the cassette\nhint: run `git lfs pull`\n";
  const TempDir folder;
  const std::string file = folder / "a.cassette", out = folder / "out.cassette";
  write_file(file, pointer('1'));
  const std::vector<std::vector<std::string>> commands = {{"ls", file},
                                                          {"info", "--calls", file},
                                                          {"replay", file, "--listen", "127.0.0.1:0"},
                                                          {"info", "--hash", file},
                                                          {"diff", file, file},
                                                          {"merge", file, file, "-o", out},
                                                          {"scan", file},
                                                          {"export", "--as", "text", file}};
  for (const auto& command : commands) {
    CAPTURE(command.front());
    const Ran ran = run_tapedeck(command);
    CHECK(ran.status == 2);
    CHECK(says(ran.err, hint));
  }
  const Ran scan = run_tapedeck({"scan", folder.path().string()});
  CHECK(scan.status == 1);
  CHECK(says(scan.out, "is a Git LFS pointer, not the cassette"));
  const Ran info = run_tapedeck({"info", folder.path().string()});
  CHECK(info.status == 2);
  CHECK(says(info.out, "is a Git LFS pointer, not the cassette"));
  CHECK(info.err == "hint: run `git lfs pull`\n");
  CHECK(read_file(file) == pointer('1'));
  CHECK_FALSE(std::filesystem::exists(out));

  if (is_missing("git", has_program("git"))) return;
  const Repository repository;
  const std::string cassette = repository.folder() / "a.cassette";
  REQUIRE(run_tapedeck({"git-setup", repository.folder().path().string()}).status == 0);
  const auto commit = [&](char digit) {
    write_file(cassette, pointer(digit));
    repository.must({"add", "-A"});
    // Without Git LFS, the hook cannot search the cassette.
    CHECK(repository.git({"commit", "-q", "-m", "recorded"}).status != 0);
    repository.must({"commit", "-q", "--no-verify", "-m", "recorded"});
  };
  commit('1');
  repository.must({"checkout", "-q", "-b", "other"});
  commit('2');
  repository.must({"checkout", "-q", "main"});
  commit('3');
  CHECK(says(repository.git({"diff", "--no-color", "other"}).err, hint));
  const Ran merged = repository.git({"merge", "-m", "both", "other"});
  CHECK(merged.status == 1);
  CHECK(says(merged.err + merged.out, "a.cassette (ours) " + hint));
  CHECK(read_file(cassette) == pointer('3'));
}

TEST_CASE("git: a secret is not committed, and existing hooks stay unchanged") {
  if (is_missing("git", has_program("git"))) return;
  const Repository repository;
  const std::string folder = repository.folder().path().string();
  const std::string hook = repository.folder() / ".git/hooks/pre-commit";
  write_file(hook, "#!/bin/sh\nexit 0\n");
  const Ran setup = run_tapedeck({"git-setup", folder});
  CHECK(setup.status == 0);
  CHECK(says(setup.out, "to do: "));
  CHECK(read_file(hook) == "#!/bin/sh\nexit 0\n");
  std::filesystem::remove(hook);
  const Ran again = run_tapedeck({"git-setup", folder});
  CHECK(says(again.out, "hooks/pre-commit"));
  write_file(repository.folder() / "leak.cassette", "access_token = q8Zr2VtXw71LmNb0Kc5Dy9Pj\n");
  REQUIRE(repository.git({"add", "-A"}).status == 0);
  // Staged files count, and files in the folder do not.
  write_file(repository.folder() / "leak.cassette", "nothing\n");
  CHECK(repository.git({"commit", "-q", "-m", "leak"}).status != 0);
  REQUIRE(repository.git({"add", "-A"}).status == 0);
  CHECK(repository.git({"commit", "-q", "-m", "no leak"}).status == 0);
  CHECK(run_tapedeck({"git-setup", "/"}).status == 1);
}

}  // namespace tapedeck::tests::git_cases
