// Tests that bad input gets one clear line and an exit status, and that existing files stay unchanged.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <sstream>

#include "tests/e2e/harness.h"

namespace tapedeck::tests::bad_input_cases {

namespace {

struct Case {
  std::string what;
  std::vector<std::string> arguments;
  int status;
  std::string says;
};

/// Returns true for one line, optionally with a hint below it.
bool one_line(const std::string& text) {
  const std::size_t hint = text.find("\nhint: ");
  const std::size_t second = hint == std::string::npos ? text.size() : hint + 1;
  return !text.empty() && text.ends_with('\n') && text.find('\n') == std::min(second, text.size()) - 1 &&
         text.find('\n', second) >= text.size() - 1 && text.find("terminate") == std::string::npos;
}

/// Creates a finished cassette with a few interactions.
void make_cassette(const TempDir& folder, const std::string& path) {
  const Device device;
  record(folder.path(), device, path, [](const std::string& url) {
    (void)play(url, {login_step(), call("network", "api=SYNO.Core.Network&version=1&method=get"), logout_step()});
  });
}

void check(const Case& row) {
  CAPTURE(row.what);
  const Ran ran = run_tapedeck(row.arguments);
  CAPTURE(ran.err);
  CHECK(ran.status == row.status);
  CHECK(one_line(ran.err));
  CHECK(ran.err.find(row.says) != std::string::npos);
}

}  // namespace

TEST_CASE("bad input: every command refuses an unusable cassette and leaves it unchanged") {
  const TempDir folder;
  const std::string good = folder / "good.cassette";
  make_cassette(folder, good);
  const std::string text = folder / "text.cassette", newer = folder / "newer.cassette", cut = folder / "cut.cassette",
                    other = folder / "other.cassette", empty = folder / "empty.cassette", lfs = folder / "lfs.cassette";
  write_file(lfs, "version https://git-lfs.github.com/spec/v1\noid sha256:" + std::string(64, '0') + "\nsize 1\n");
  write_file(text, "this is no cassette\n");
  write_file(empty, "");
  REQUIRE(run({"sqlite3", other, "create table t(x); insert into t values(1)"}).status == 0);
  std::filesystem::copy_file(good, newer);
  REQUIRE(run({"sqlite3", newer, "pragma user_version = 999"}).status == 0);
  const std::string bytes = read_file(good);
  write_file(cut, bytes.substr(0, bytes.size() / 2));

  const std::vector<std::pair<std::string, std::string>> files = {
      {text, "not a"},
      {other, "not a"},
      {newer, "999"},
      {cut, "cut.cassette"},
      {empty, "empty.cassette"},
      {lfs, "lfs.cassette is a Git LFS pointer, not the cassette\nhint: run `git lfs pull`"}};
  for (const auto& [path, says] : files) {
    const std::string before = read_file(path);
    check({"ls " + path, {"ls", path}, 2, says});
    check({"show " + path, {"show", path, "0123456789abcdef"}, 2, says});
    check({"replay " + path, {"replay", "--listen", "127.0.0.1:0", path}, 2, says});
    if (path != empty) {  // mktemp creates an empty file, into which recording is allowed
      check({"record " + path, {"record", "--device", "http://127.0.0.1:9", "--listen", "127.0.0.1:0", path}, 2, says});
    }
    CHECK(read_file(path) == before);
    CHECK_FALSE(std::filesystem::exists(path + "-wal"));
    CHECK_FALSE(std::filesystem::exists(path + "-journal"));
  }
}

TEST_CASE("bad input: missing files, addresses, and URLs end with one clear line") {
  const TempDir folder;
  const std::string absent = folder / "absent.cassette";
  const std::string device = "http://127.0.0.1:9";
  const std::vector<Case> rows = {
      {"ls of nothing", {"ls", absent}, 2, "absent.cassette"},
      {"replay of nothing", {"replay", "--listen", "127.0.0.1:0", absent}, 2, "absent.cassette"},
      {"show of nothing", {"show", absent, "0123"}, 2, "absent.cassette"},
      {"user info", {"record", "--device", "http://admin:S3cret-Word@127.0.0.1:9", absent}, 2, "user"},
      {"no scheme", {"record", "--device", "nas.example", absent}, 2, "--device"},
      {"other scheme", {"record", "--device", "ftp://nas.example", absent}, 2, "--device"},
      {"query", {"record", "--device", "http://nas.example/?a=b", absent}, 2, "--device"},
      {"any address", {"record", "--device", device, "--listen", "0.0.0.0:0", absent}, 2, "--allow-remote"},
      {"any address 6", {"replay", "--listen", "[::]:0"}, 2, "--allow-remote"},
      {"no port", {"replay", "--listen", "127.0.0.1"}, 2, "--listen"},
      {"port too big", {"replay", "--listen", "127.0.0.1:65536"}, 2, "--listen"},
      {"a body longer than all buffers",
       {"replay", "--buffer", "128mb", "--max-request-body", "300mb"},
       2,
       "--max-request-body 314572800 is more than --buffer"},
      {"a limit out of its range", {"replay", "--connections", "0"}, 2, "--connections 0: the minimum is 1"},
      {"a longest answer that no cassette holds",
       {"record", "--device", device, "--buffer", "1gb", "--max-response-body", "257mb", absent},
       2,
       "--max-response-body 269484032: the maximum is 268435456"},
      {"tls options without tls", {"record", "--device", device, "--insecure", absent}, 2, "https"},
      {"no folder",
       {"record", "--device", device, "--listen", "127.0.0.1:0", folder / "no/where.cassette"},
       2,
       "where"},
  };
  for (const Case& row : rows) {
    check(row);
  }
  CHECK_FALSE(std::filesystem::exists(absent));
  CHECK(run_tapedeck({"record", "--device", "http://admin:S3cret-Word@127.0.0.1:9", absent}).err.find("S3cret") ==
        std::string::npos);
}

TEST_CASE("bad input: an unknown ID is named, and an invalid option is a usage error") {
  const TempDir folder;
  const std::string cassette = folder / "good.cassette";
  make_cassette(folder, cassette);
  check({"unknown id", {"show", cassette, "ffffffffffffffff"}, 2, "ls"});
  CHECK(run_tapedeck({"ls", "--no-such-option", cassette}).status == 2);
  CHECK(run_tapedeck({"frobnicate"}).status == 2);
  const Ran nothing = run_tapedeck({});
  CHECK(nothing.status == 2);
  CHECK(nothing.err == run_tapedeck({"--help"}).out);
  CHECK(run_tapedeck({"help"}).out == nothing.err);
  for (const std::string command : {"overlay", "exec", "git-setup"}) {
    const std::string help = run_tapedeck({command, "--help"}).out;
    CHECK(says(help, "Usage: tapedeck " + command));
    CHECK(run_tapedeck({"help", command}).out == help);
    CHECK(run_tapedeck({"--help", command}).out == help);
    CHECK(run_tapedeck({"-h", command}).out == help);
  }
  CHECK(run_tapedeck({"--help-all", "exec"}).out == run_tapedeck({"exec", "--help-all"}).out);
  CHECK(run_tapedeck({"help", "recrd"}).status == 2);
  CHECK(run_tapedeck({"help", "exec", "--", "true"}).out == run_tapedeck({"exec", "--help"}).out);
  CHECK(run_tapedeck({"--help"}).status == 0);
  CHECK(run_tapedeck({"--version"}).out.starts_with("tapedeck "));
}

TEST_CASE("options: --color decides whether output has colors, wherever it goes") {
  const TempDir folder;
  const std::string cassette = folder / "good.cassette";
  make_cassette(folder, cassette);
  CHECK_FALSE(says(run_tapedeck({"ls", cassette}).out, "\x1b["));
  CHECK_FALSE(says(run_tapedeck({"ls", "--color", "never", cassette}).out, "\x1b["));
  CHECK(says(run_tapedeck({"ls", "--color=always", cassette}).out, "\x1b["));
  CHECK(says(run_tapedeck({"--color=always", "ls", cassette}).out, "\x1b["));
  CHECK(run_tapedeck({"-q", "--help", "ls"}).out == run_tapedeck({"ls", "--help"}).out);
  CHECK(run_tapedeck({"ls", "--color", "blue", cassette}).status == 2);
}

TEST_CASE("bad input: a mistyped command or option gets the nearest one suggested") {
  const std::vector<Case> rows = {
      {"command", {"recrd"}, 2, "hint: did you mean `record`?"},
      {"no command", {"frobnicate"}, 2, "hint: `tapedeck --help` lists the commands"},
      {"option", {"replay", "--cor", "x"}, 2, "hint: did you mean `--cors`?"},
      {"option with a value",
       {"replay", "--lisen=127.0.0.1:0"},
       2,
       "unknown option --lisen for `tapedeck replay`\nhint: did you mean `--listen`?"},
      {"option of other commands",
       {"record", "--device", "http://192.0.2.1", "--position", "auto", "a.cassette"},
       2,
       "unknown option --position for `tapedeck record`\nhint: --position is an option of `tapedeck replay`, `tapedeck "
       "exec`, `tapedeck explain`"},
      {"option without a command", {"--vers"}, 2, "hint: did you mean `--version`?"},
      {"option of other tools", {"replay", "--port", "8080"}, 2, "hint: did you mean `--listen`?"},
      {"former option", {"ls", "--api", "Core.Share", "a"}, 2, "hint: did you mean `--call`?"},
      {"option that lacks more", {"record", "--devise", "http://127.0.0.1:9"}, 2, "hint: did you mean `--device`?"},
      {"one word too many",
       {"import", "a", "b"},
       2,
       "unexpected argument `b`\nhint: usage: tapedeck import [OPTIONS] --out CASSETTE FILE"},
      {"a word for an option", {"version"}, 2, "unknown command `version`: use `tapedeck --version`"},
      {"a former command", {"stats", "a"}, 2, "unknown command `stats`: use `tapedeck info --calls`"},
      {"a command of other tools", {"serve", "a"}, 2, "unknown command `serve`: use `tapedeck replay`"},
      {"no file", {"overlay"}, 2, "missing argument FILE\nhint: `tapedeck overlay --effects` takes none"},
      {"nothing to scrub", {"scrub"}, 2, "missing argument CASSETTE\nhint: `tapedeck scrub --rules` lists the rules"},
      {"nothing to edit",
       {"edit", "a.cassette"},
       2,
       "missing argument ID\nhint: `tapedeck ls a.cassette` lists the IDs"},
      {"nothing to remove", {"rm", "a.cassette"}, 2, "give an ID, a filter, --superseded, or --unused"},
      {"no format", {"export", "a.cassette", "-o", "a.zip"}, 2, "missing format: give --as, or a name"},
      {"a filter without counts", {"info", "a.cassette", "--take", "1"}, 2, "filters require --calls"},
  };
  for (const Case& row : rows) check(row);
}

TEST_CASE("bad input: an invalid value is reported with the accepted ones") {
  const std::vector<Case> rows = {
      {"word", {"replay", "--auth", "no"}, 2, "invalid value `no` for --auth: must be one of lenient, strict"},
      {"one of few numbers", {"replay", "--miss-status", "500"}, 2, "must be one of 200, 404, 501"},
      {"size",
       {"replay", "--buffer", "12x"},
       2,
       "invalid value `12x` for --buffer: must be a size such as 4096, 64KiB, or 10MiB"},
      {"time",
       {"record", "--device-time", "soon", "--device", "http://127.0.0.1:9", "a.cassette"},
       2,
       "invalid value `soon` for --device-time: must be a time such as 800ms, 5s, 2h, or 3d"},
      {"range", {"replay", "--threads", "0"}, 2, "invalid value `0` for --threads: must be a number from 1 to 64"},
      {"number",
       {"replay", "--connections", "few"},
       2,
       "invalid value `few` for --connections: must be a whole number"},
      {"negative",
       {"replay", "--connections", "-3"},
       2,
       "invalid value `-3` for --connections: must be a whole number"},
      {"time without a unit",
       {"record", "--device-time", "5", "--device", "http://127.0.0.1:9", "a.cassette"},
       2,
       "invalid value `5` for --device-time: must be a time such as 800ms, 5s, 2h, or 3d"},
      {"age without a unit", {"ls", "--since", "5", "a.cassette"}, 2, "or an age such as 90s, 30m, 2h, or 3d"},
      {"delay without a unit", {"replay", "--delay", "800"}, 2, "must be a time such as 800ms or 2s"},
      {"twice", {"replay", "--threads", "2", "--threads", "3"}, 2, "--threads is given more than once"},
      {"a value of a flag", {"replay", "--tls=maybe"}, 2, "invalid value `maybe` for --tls: it takes no value"},
      {"a value that is not JSON",
       {"edit", "a.cassette", "3f9a", "--set", "/a=b"},
       2,
       "invalid value `/a=b` for --set: must be a JSON pointer and a JSON value such as /data/count=3"},
      {"an argument as an option", {"doctor", "--device", "x"}, 2, "unknown option --device for"},
      {"a folder for rules", {"scrub", "--rules", "--config", "/proc"}, 2, "/proc: cannot read: this is a folder"},
      {"a folder for overlays", {"overlay", "/proc"}, 2, "/proc: this is a folder, not a file"},
      {"a folder of overlays", {"replay", "--overlay", "/proc"}, 2, "--overlay /proc: this is a folder, not a file"},
      {"file",
       {"record", "--ca-file", "/nowhere/a.pem"},
       2,
       "invalid value `/nowhere/a.pem` for --ca-file: no such file"},
      {"device", {"record", "--device", "nas", "a.cassette"}, 2, "as in https://nas.example:5001"},
      {"cassette", {"replay", "absent-4711.cassette"}, 2, "no such cassette\nhint: `tapedeck record` creates one"},
      {"folder", {"replay", "/nowhere/a.cassette"}, 2, "the folder does not exist"},
  };
  for (const Case& row : rows) check(row);
}

TEST_CASE("bad input: arguments in another's place are named, with the command that takes them") {
  const TempDir folder;
  const std::string cassette = folder / "good.cassette", har = folder / "x.har";
  make_cassette(folder, cassette);
  write_file(har, "{}");
  const std::string url = "https://nas.example:5001";
  const std::vector<Case> rows = {
      {"id first",
       {"show", "3f9a", cassette},
       2,
       "the arguments are swapped: 3f9a is not a file\nhint: usage: tapedeck show"},
      {"url first", {"explain", "/webapi/query.cgi", cassette}, 2, "the arguments are swapped"},
      {"pattern last", {"grep", cassette, "photos"}, 2, "the arguments are swapped: photos is not a file"},
      {"id to remove first", {"rm", "3f9a", cassette}, 2, "the arguments are swapped"},
      {"id to edit first", {"edit", "3f9a", cassette}, 2, "the arguments are swapped"},
      {"device to replay", {"replay", url}, 2, url + " is a URL, not a cassette"},
      {"device to record",
       {"record", url},
       2,
       "is a URL, not a cassette\nhint: usage: tapedeck record [OPTIONS] --device URL"},
      {"har", {"replay", har}, 2, "x.har is not a cassette\nhint: `tapedeck import -o NAME.cassette "},
      {"cassette as overlay", {"replay", "--overlay", cassette}, 2, "this is a cassette, not an overlay file"},
      {"cassette to check", {"overlay", cassette}, 2, "this is a cassette, not an overlay file"},
  };
  for (const Case& row : rows) check(row);
}

TEST_CASE("bad input: a port in use is named, and no cassette is created") {
  const TempDir folder;
  const Device device;
  const std::string taken = device.origin().substr(7);
  check({"record", {"record", "--device", device.url(), "--listen", taken, folder / "p.cassette"}, 1, taken});
  check({"replay", {"replay", "--listen", taken}, 1, "hint: --listen chooses another address"});
  check({"control",
         {"replay", "--listen", "127.0.0.1:0", "--control", taken},
         1,
         "hint: --control chooses another address"});
  CHECK_FALSE(std::filesystem::exists(folder / "p.cassette"));
}

TEST_CASE("bad input: a second recorder of a cassette is refused, and the first one continues") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "two.cassette";
  Server first(folder.path(), {"record", "--device", device.url(), cassette});
  const Ran second = run_tapedeck({"record", "--device", device.url(), "--listen", "127.0.0.1:0", cassette});
  CHECK(second.status == 2);
  CHECK(one_line(second.err));
  CHECK(play(first.url(), {login_step(), logout_step()}).sid.size() == 86);
  CHECK(first.stop() == 0);
  CHECK(ids_in(cassette).size() == 2);
}

TEST_CASE(
    "bad input: a cassette that is damaged is status 2 of every command that reads it whole, and stays as it is") {
  const TempDir folder;
  const std::string good = folder / "good.cassette", out = folder / "out.cassette";
  make_cassette(folder, good);
  const std::string id = ids_in(good).at(0);
  for (const std::string change :
       {"DELETE FROM interaction WHERE id = 2", "UPDATE key SET text = text || 'x' WHERE id = 1"}) {
    const std::string bad = folder / "bad.cassette";
    std::filesystem::copy_file(good, bad, std::filesystem::copy_options::overwrite_existing);
    REQUIRE(run({"sqlite3", bad, change + "; SELECT changes()"}).out == "1\n");
    const std::string before = read_file(bad);
    for (const std::vector<std::string>& command :
         std::vector<std::vector<std::string>>{{"info", "--hash", bad},
                                               {"export", "--as", "jsonl", bad},
                                               {"export", bad, "-o", out},
                                               {"merge", bad, good, "-o", out},
                                               {"edit", bad, id, "--status", "201"},
                                               {"rm", bad, id},
                                               {"scrub", bad}}) {
      CAPTURE(change, command.front());
      const Ran ran = run_tapedeck(command);
      CAPTURE(ran.err);
      CHECK(ran.status == 2);
      CHECK(one_line(ran.err));
      CHECK(ran.err.find(bad) == ran.err.rfind(bad));
      CHECK(read_file(bad) == before);
      CHECK_FALSE(std::filesystem::exists(out));
    }
  }
}

TEST_CASE("bad input: a failed output is status 1 with a line, but a closed pipe is not") {
  const TempDir folder;
  const std::string cassette = folder / "good.cassette";
  make_cassette(folder, cassette);
  const std::string id = ids_in(cassette).at(0);
  const auto shell = [](const std::string& arguments, const std::string& rest) {
    return run({"bash", "-c", "set -o pipefail; " + binary() + " " + arguments + " " + rest});
  };
  for (const std::string& command :
       {"info --hash " + cassette, "ls " + cassette, "ls --json " + cassette, "show " + cassette + " " + id,
        "info " + cassette, "info --calls " + cassette, "grep . " + cassette, "diff " + cassette + " " + cassette,
        std::string("scrub --rules"), "rm --dry-run " + cassette + " " + id,
        "explain " + cassette + " /webapi/query.cgi", "show --as overlay " + cassette + " " + id,
        "export --as text " + cassette, "export --as har " + cassette, std::string("--help"),
        std::string("--version")}) {
    CAPTURE(command);
    const Ran full = shell(command, ">/dev/full");
    CHECK(full.status == 1);
    CHECK(full.err == "tapedeck: cannot write to standard output: No space left on device\n");
    const Ran closed = shell(command, ">&-");
    CHECK(closed.status == 1);
    CHECK(closed.err == "tapedeck: cannot write to standard output: Bad file descriptor\n");
    const Ran left = shell(command, "| true");
    CHECK(left.status == 0);
    CHECK(left.err.empty());
  }
}

TEST_CASE("bad input: descriptors that were closed at the start are not used for files or log lines") {
  const TempDir folder;
  const std::string journal = folder / "journal";
  const Ran ran = run({"bash", "-c",
                       binary() + " exec --journal " + journal + " -- sh -c " +
                           "'curl -sS \"$TAPEDECK_URL/webapi/entry.cgi?api=SYNO.No.Such&version=1&method=get\" "
                           ">/dev/null 2>&1' <&- >&- 2>&-"});
  CHECK(ran.status == 0);
  std::istringstream lines(read_file(journal));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) CHECK(nlohmann::json::accept(line));
  CHECK(count == 1);
}

}  // namespace tapedeck::tests::bad_input_cases
