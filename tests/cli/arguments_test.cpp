// Parsing of command lines by the description of the commands.

#include <catch2/catch.hpp>

#include "cli/arguments/help_text.h"
#include "cli/arguments/parser.h"
#include "cli/arguments/values.h"
#include "cli/console/usage_error.h"

namespace tapedeck::cli {
namespace {

enum class Color { red, green };

/// A program with one command of each kind.
struct Sample {
  std::string cassette, out = "here", strict;
  std::vector<std::string> more, apis;
  std::vector<std::uint32_t> takes;
  unsigned threads = 1;
  std::optional<std::uint64_t> calls;
  std::size_t limit = 64 << 10;
  std::chrono::milliseconds time{1500};
  Color color = Color::green;
  bool json = false, table = false;
  Command program{"tapedeck", "Test"};

  Sample() {
    Command& ls = program.command("ls", "List");
    ls.argument("CASSETTE", into(cassette), "Cassette").required();
    ls.argument("MORE ...", into(more), "More");
    ls.option("-o,--out", "FILE", into(out), "Output").show_default();
    ls.option("--strict", "[=LIST]", into(strict), "Strict");
    ls.option("--api", "API", into(apis), "API");
    ls.option("--take", "N", whole_number(takes), "Take");
    ls.option("--threads", "N", whole_number(threads, 1, 64), "Threads").show_default();
    ls.option("--calls", "N", whole_number(calls, 1), "Calls");
    ls.option("--limit", "SIZE", size(limit), "Limit").show_default();
    ls.option("--time", "TIME", duration(time), "Time").show_default();
    ls.choice("--paint", one_of<Color>(color, {{"red", Color::red}, {"green", Color::green}}), "Color").show_default();
    ls.flag("--json", json, "JSON");
    ls.flag("--table", table, "Table").exclude({"--json"});
    ls.option("--page", "FILE", into(out), "Page").need("--table");
    ls.common = {"--json", "--api"};
    Command& pair = program.command("pair", "Compare");
    pair.argument("A", into(cassette), "First").required();
    pair.argument("B", into(out), "Second").required();
    program.command("group", "Group").command("check", "Check");
  }

  std::string error_of(const std::vector<std::string>& words) {
    try {
      static_cast<void>(parse(program, words));
      return "";
    } catch (const UsageError& error) {
      return error.what();
    }
  }
};

}  // namespace

TEST_CASE("arguments: stores values in their variables") {
  Sample sample;
  const std::vector<std::string> words = {
      "ls",     "a.cassette", "c",       "b",        "-o",          "x",       "--strict", "--api=A", "--api",
      "B",      "--take",     "3",       "--take=4", "--threads=8", "--calls", "2",        "--limit", "4 kib",
      "--time", "250ms",      "--paint", "RED",      "--table",     "--page",  "out.html"};
  const Parsed parsed = parse(sample.program, words);
  CHECK(parsed.command->full_name() == "tapedeck ls");
  CHECK(parsed.help == Parsed::Help::none);
  CHECK(sample.cassette == "a.cassette");
  CHECK(sample.more == std::vector<std::string>{"c", "b"});
  CHECK(sample.out == "out.html");
  CHECK(sample.strict == "true");
  CHECK(sample.apis == std::vector<std::string>{"A", "B"});
  CHECK(sample.takes == std::vector<std::uint32_t>{3, 4});
  CHECK(sample.threads == 8);
  CHECK(sample.calls == 2);
  CHECK(sample.limit == 4096);
  CHECK(sample.time == std::chrono::milliseconds(250));
  CHECK(sample.color == Color::red);
  CHECK(sample.table);
  CHECK_FALSE(sample.json);
}

TEST_CASE("arguments: -- ends the options") {
  Sample sample;
  static_cast<void>(parse(sample.program, {"ls", "--json", "--", "-x", "--table"}));
  CHECK(sample.json);
  CHECK(sample.cassette == "-x");
  CHECK(sample.more == std::vector<std::string>{"--table"});
  CHECK_FALSE(sample.table);
  CHECK(Sample().error_of({"ls", "--"}).starts_with("missing argument CASSETTE"));
}

TEST_CASE("arguments: errors say what the command accepts") {
  const std::pair<std::vector<std::string>, std::string> rows[] = {
      {{"ls"}, "missing argument CASSETTE\nhint: usage: tapedeck ls [OPTIONS] CASSETTE [MORE ...]"},
      {{"pair", "a"}, "missing argument B\nhint: usage: tapedeck pair [OPTIONS] A B"},
      {{"pair", "a", "b", "c"}, "unexpected argument `c`\nhint: usage: tapedeck pair [OPTIONS] A B"},
      {{"ls", "a", "--jsno"}, "unknown option --jsno for `tapedeck ls`\nhint: did you mean `--json`?"},
      {{"ls", "a", "--xyzzy"},
       "unknown option --xyzzy for `tapedeck ls`\nhint: `tapedeck ls --help-all` shows all options"},
      {{"ls", "--cassette", "a"},
       "unknown option --cassette: CASSETTE is an argument\nhint: usage: tapedeck ls [OPTIONS] CASSETTE [MORE ...]"},
      {{"ls", "a", "--api"}, "--api requires a value: API"},
      {{"ls", "a", "--out", "x", "--out", "y"}, "--out is given more than once"},
      {{"ls", "a", "--json", "--table"}, "--table cannot be used with --json"},
      {{"ls", "a", "--page", "x"}, "--page requires --table"},
      {{"ls", "a", "--json=yes"}, "invalid value `yes` for --json: it takes no value"},
      {{"ls", "a", "--threads", "65"}, "invalid value `65` for --threads: must be a number from 1 to 64"},
      {{"ls", "a", "--calls", "0"}, "invalid value `0` for --calls: must be a whole number of at least 1"},
      {{"ls", "a", "--take", "4294967296"}, "invalid value `4294967296` for --take: must be a whole number"},
      {{"ls", "a", "--limit", "-1"}, "invalid value `-1` for --limit: must be a size such as 4096, 64KiB, or 10MiB"},
      {{"ls", "a", "--limit", "17179869184g"},
       "invalid value `17179869184g` for --limit: must be a size such as 4096, 64KiB, or 10MiB"},
      {{"ls", "a", "--time", "5"}, "invalid value `5` for --time: must be a time such as 800ms, 5s, 2h, or 3d"},
      {{"ls", "a", "--time", "2d"}, "invalid value `2d` for --time: must be from 1ms to 1d"},
      {{"ls", "a", "--paint", "blue"}, "invalid value `blue` for --paint: must be one of red, green"},
      {{"group"}, "missing command after `tapedeck group`\nhint: `tapedeck group --help` lists the commands"},
      {{"group", "chek"}, "unknown command `tapedeck group chek`\nhint: did you mean `check`?"},
  };
  for (const auto& [words, error] : rows) {
    CAPTURE(words);
    CHECK(Sample().error_of(words) == error);
  }
}

TEST_CASE("arguments: --help skips checking the other arguments") {
  Sample sample;
  CHECK(parse(sample.program, {"ls", "--threads", "x", "-h"}).help == Parsed::Help::common);
  CHECK(parse(sample.program, {"ls", "--nonsense", "--help-all"}).help == Parsed::Help::all);
  CHECK(parse(sample.program, {"group", "check", "--help"}).command->full_name() == "tapedeck group check");
}

TEST_CASE("help: --help shows the common options and --help-all shows all") {
  const Sample sample;
  const Command& ls = *sample.program.commands.front();
  const std::string brief = short_help(ls, 80), full = full_help(ls, 80);
  for (const std::string option : {"--json", "--api API", "-h, --help", "--help-all"}) {
    CAPTURE(option);
    CHECK(brief.find("  " + option + " ") != std::string::npos);
    CHECK(full.find("  " + option + " ") != std::string::npos);
  }
  CHECK(brief.find("--threads") == std::string::npos);
  CHECK(brief.find("`tapedeck ls --help-all` shows all options.") != std::string::npos);
  CHECK(full.find("--threads N                 Threads [default: 1]") != std::string::npos);
  CHECK(full.find("--limit SIZE                Limit [default: 64 KiB]") != std::string::npos);
  CHECK(full.find("--strict[=LIST]") != std::string::npos);
  CHECK(full.find("API (repeatable)") != std::string::npos);
  CHECK(full.find("--time TIME                 Time [default: 1500ms]") != std::string::npos);
  CHECK(full.find("-q, --quiet") != std::string::npos);
  CHECK(brief.find("--quiet") == std::string::npos);
}

}  // namespace tapedeck::cli
