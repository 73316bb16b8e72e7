// tapedeck ls: prints one line for each selected interaction.

#include <algorithm>
#include <iostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "api/scope_name.h"
#include "base/clock.h"
#include "cassettes/read/cassette_reader.h"
#include "cassettes/read/request_identity.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/console/exit_status.h"
#include "cli/console/terminal.h"
#include "cli/options/selection_options.h"
#include "cli/reports/cassette_text.h"
#include "cli/reports/finish_report.h"

namespace tapedeck::cli {
namespace {

using cassettes::ListedInteraction;

enum class Order { recorded, key, time, duration, size, status };

struct LsOptions {
  std::vector<std::string> cassettes;
  tools::Selection selection;
  Order order = Order::recorded;
  bool scopes = false;
  bool conflicts = false;
  bool json = false;
};

struct Listed {
  std::string path;
  cassettes::CassetteReader reader;
  bool is_named = false;  ///< several cassettes are listed
};

using Visit = std::function<bool(const ListedInteraction&)>;

/// Returns the sort key of a line. Smaller values come first; equal ones stay in the order of scopes and keys.
std::int64_t place_in(Order order, const ListedInteraction& line) {
  switch (order) {
    case Order::recorded:
    case Order::time:
      return line.started_us;
    case Order::duration:
      return line.ended_us - line.started_us;
    case Order::size:
      return static_cast<std::int64_t>(line.body_bytes);
    case Order::status:
      return std::int64_t{line.status} << 32 | static_cast<std::uint32_t>(line.error_code.value_or(0));
    case Order::key:
      break;
  }
  return 0;
}

/// Visits the selected interactions in the chosen order. In the order of keys they are streamed, so that a million need
/// no memory.
void each_line(const cassettes::CassetteReader& reader, const LsOptions& options, const Visit& visit) {
  const bool streams = options.order == Order::key;
  std::vector<ListedInteraction> lines;
  reader.list([&](const ListedInteraction& line) {
    if (!options.selection.has(line)) return true;
    if (streams) return visit(line);
    lines.push_back(line);
    return true;
  });
  const bool by_scope = options.order == Order::recorded;
  std::stable_sort(lines.begin(), lines.end(), [&](const ListedInteraction& a, const ListedInteraction& b) {
    if (by_scope && a.scope != b.scope) return a.scope < b.scope;
    return place_in(options.order, a) < place_in(options.order, b);
  });
  for (const ListedInteraction& line : lines) {
    if (!visit(line)) return;
  }
}

constexpr std::size_t status_width = 8;  ///< 200/4501: error codes of devices have up to four digits

/// The columns of the table. The last one has no fixed width, so that lines can be streamed.
struct Columns {
  std::size_t width = 0;  ///< width of the terminal; 0: do not cut lines
  bool narrow = false;    ///< leave out rarely needed columns, and shorten IDs to what `show` accepts
  bool takes = true;
  bool scopes = false;

  [[nodiscard]] std::string heading() const {
    std::string text = fmt::format("{:<{}}  ", "ID", id_width());
    if (takes) text += "TAKE ";
    if (!narrow) text += "LANE  POS  ";
    text += fmt::format("{:>{}}  {:>9}  ", "STATUS", status_width, "BYTES");
    if (!narrow) text += "RED.  ";
    return text + (scopes ? fmt::format("{:<16}  ", "SCOPE") : "") + "REQUEST";
  }

  [[nodiscard]] std::string before_status(const ListedInteraction& line) const {
    std::string text = line.id.substr(0, id_width()) + "  ";
    if (takes) text += fmt::format("{:>4} ", line.take);
    return narrow ? text : text + fmt::format("{:>4} {:>4}  ", line.lane, line.position);
  }

  [[nodiscard]] std::string behind_status(const ListedInteraction& line) const {
    std::string text = fmt::format("  {:>9}  ", human_bytes(line.body_bytes));
    if (!narrow) text += fmt::format("{:>4}  ", line.redactions);
    if (scopes) text += fmt::format("{:<16}  ", scope_of(line));
    return text;
  }

 private:
  [[nodiscard]] std::size_t id_width() const { return narrow ? 8 : 16; }
  [[nodiscard]] std::string scope_of(const ListedInteraction& line) const {
    if (line.scope.empty()) return "-";
    const std::string shown = printable(api::shown_scope(line.scope));
    return width > 0 ? cut_to(shown, 16) : shown;
  }
};

bool has_scopes(const cassettes::CassetteReader& reader) {
  bool found = false;
  reader.scopes([&](const cassettes::ScopeTake&) {
    found = true;
    return false;
  });
  return found;
}

Columns columns_for(const cassettes::CassetteReader& reader) {
  constexpr std::size_t wide_enough = 110;
  Columns columns;
  columns.width = terminal_width();
  columns.narrow = columns.width > 0 && columns.width < wide_enough;
  columns.takes = !columns.narrow || reader.info().takes.size() > 1;
  columns.scopes = has_scopes(reader);
  return columns;
}

void print_line(const ListedInteraction& line, const Columns& columns) {
  const std::string begin = columns.before_status(line);
  const std::string status = fmt::format("{:>{}}", status_text(line), status_width);
  std::string text = begin + status + columns.behind_status(line) + note_of(line);
  if (stdout_is_terminal() && line.effect == api::Effect::write) text += "write: ";
  text += printable(line.key);
  if (columns.width > 0) text = cut_to(text, columns.width);
  if (stdout_takes_color() && text.size() > begin.size() + status.size()) {
    const Paint how = paint_of(line.status, line.error_code.value_or(0));
    text = begin + painted(status, how, true) + text.substr(begin.size() + status.size());
  }
  std::cout << text << '\n';
}

/// Prints the notes of the takes and the marked moments.
void print_notes(const cassettes::CassetteReader& reader) {
  for (const cassettes::Take& take : reader.info().takes) {
    std::string text;
    if (!take.model.empty()) text += " " + printable(take.model) + " " + printable(take.firmware);
    if (!take.note.empty()) text += " " + printable(take.note);
    if (!text.empty()) std::cout << fmt::format("take {}:{}\n", take.number, text);
  }
  for (const cassettes::Mark& mark : reader.marks()) {
    std::cout << fmt::format("mark in take {} at {} UTC: {}\n", mark.take, base::human_time(mark.at_us),
                             printable(mark.name));
  }
}

void print_table_of(const Listed& cassette, const LsOptions& options) {
  const cassettes::CassetteReader& reader = cassette.reader;
  const Columns columns = columns_for(reader);
  std::cout << columns.heading() << '\n';
  std::uint64_t shown = 0;
  each_line(reader, options, [&](const ListedInteraction& line) {
    print_line(line, columns);
    ++shown;
    return std::cout.good();
  });
  std::cout << describe(reader.info(), cassette.path);
  if (!options.selection.is_all()) std::cout << fmt::format("; shown: {}", shown);
  std::cout << '\n';
  print_notes(reader);
  const std::size_t allowed = reader.info().allowed.size();
  if (allowed > 0) std::cout << fmt::format("{} of the leak scan marked as reviewed\n", counted(allowed, "suspect"));
}

/// Prints an array with an object for each interaction, one a line, so that a million need no memory.
void print_json(const std::vector<Listed>& cassettes, const LsOptions& options) {
  std::cout << "[";
  const char* separator = "\n";
  for (const Listed& cassette : cassettes) {
    each_line(cassette.reader, options, [&](const ListedInteraction& line) {
      nlohmann::ordered_json out = {{"cassette", cassette.path}};
      out.update(cli::json_of(line));
      std::cout << separator << ascii_json(out);
      separator = ",\n";
      return std::cout.good();
    });
  }
  std::cout << "\n]\n";
}

/// Rows of a table, and the same as JSON.
class Rows {
 public:
  explicit Rows(std::vector<std::string> heading) : heading_(std::move(heading)) {}
  void add(const Listed& cassette, std::vector<std::string> row, const nlohmann::ordered_json& members) {
    nlohmann::ordered_json out = {{"cassette", cassette.path}};
    out.update(members);
    list_.push_back(std::move(out));
    if (cassette.is_named) row.insert(row.begin(), printable(cassette.path));
    rows_.push_back(std::move(row));
    is_named_ |= cassette.is_named;
  }
  /// Adds an object to the JSON alone.
  void add(nlohmann::ordered_json members) { list_.push_back(std::move(members)); }
  void print(bool json) {
    if (json) return cli::print_json(list_);
    if (is_named_) heading_.insert(heading_.begin(), "CASSETTE");
    print_table(heading_, rows_);
  }

 private:
  std::vector<std::string> heading_;
  nlohmann::ordered_json list_ = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> rows_;
  bool is_named_ = false;
};

void print_scopes(const std::vector<Listed>& cassettes, bool json) {
  Rows rows({"TAKE", "RUN", "LANES", "STATE", "SCOPE"});
  for (const Listed& cassette : cassettes) {
    cassette.reader.scopes([&](const cassettes::ScopeTake& scope) {
      const std::string name = api::shown_scope(scope.name);
      rows.add(cassette,
               {std::to_string(scope.take), std::to_string(scope.run), std::to_string(scope.lanes),
                scope.complete ? "complete" : "incomplete", printable(name)},
               {{"scope", name},
                {"take", scope.take},
                {"run", scope.run},
                {"complete", scope.complete},
                {"lanes", scope.lanes}});
      return true;
    });
  }
  rows.print(json);
}

/// Prints the keys that replay never plays because it cannot determine which of their recordings a request means, and
/// the headers that it matches because of the recordings.
void print_conflicts(const std::vector<Listed>& cassettes, bool json) {
  Rows rows({"TAKE", "SCOPE", "REQUEST"});
  for (const Listed& cassette : cassettes) {
    cassette.reader.conflicts([&](const std::string& scope, const std::string& key, std::uint32_t take) {
      const std::string shown = api::shown_scope(scope);
      rows.add(cassette, {std::to_string(take), shown.empty() ? "-" : printable(shown), printable(key)},
               {{"take", take}, {"scope", shown}, {"key", key}});
    });
  }
  std::vector<const cassettes::CassetteReader*> readers;
  for (const Listed& cassette : cassettes) readers.push_back(&cassette.reader);
  const std::vector<std::string> headers = cassettes::learned_identity_headers(readers);
  if (json) {
    for (const std::string& name : headers) rows.add({{"header", name}});
  }
  rows.print(json);
  if (!json) print_learned_headers(headers);
}

int ls(const LsOptions& options) {
  std::vector<Listed> cassettes;
  for (const std::string& path : options.cassettes) {
    mention_side_files(path);
    cassettes.push_back({path, open_cassette(path), options.cassettes.size() > 1});
  }
  if (options.scopes) {
    print_scopes(cassettes, options.json);
  } else if (options.conflicts) {
    print_conflicts(cassettes, options.json);
  } else if (options.json) {
    print_json(cassettes, options);
  } else {
    for (const Listed& cassette : cassettes) print_table_of(cassette, options);
  }
  return fine;
}

}  // namespace

void add_ls(Command& program) {
  auto [command, options] = program.command("ls", "List the recorded requests in cassettes", ls);
  command.argument("CASSETTE ...", into(options.cassettes), "Cassettes to read").required();
  command.flag("--scopes", options.scopes, "List the scopes instead");
  command
      .flag("--conflicts", options.conflicts,
            "List requests that replay cannot tell apart, and headers by which it can, instead")
      .exclude({"--scopes"});
  add_selection_options(command, options.selection);
  command.choice("--sort",
                 one_of<Order>(options.order, {{"key", Order::key},
                                               {"time", Order::time},
                                               {"duration", Order::duration},
                                               {"size", Order::size},
                                               {"status", Order::status}}),
                 "Sort by this column, ascending [default: scope, then recorded order]");
  command.flag("--json", options.json, "Print a JSON array with one object for each interaction");
  command.common = {"--call", "--scope", "--take", "--outcome", "--status", "--since", "--sort", "--scopes", "--json"};
  command.examples = {{"List everything", "tapedeck ls nas.cassette"},
                      {"List failed calls, slowest last", "tapedeck ls --outcome error --sort duration nas.cassette"}};
}

}  // namespace tapedeck::cli
