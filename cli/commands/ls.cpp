// tapedeck ls: one line for each interaction of a cassette.

#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "api/scope_name.h"
#include "cassettes/read/cassette_reader.h"
#include "cli/app.h"
#include "cli/command.h"
#include "cli/paint.h"
#include "cli/reports/cassette_text.h"
#include "cli/terminal.h"

namespace tapedeck::cli {
namespace {

using cassettes::ListedInteraction;

struct LsOptions {
  std::string cassette;
  bool allowed = false;
  bool scopes = false;
  bool wide = false;
  bool json = false;
};

// Streamed, so that a million lines need no memory: all columns but the last have a fixed width.
void print_line(const ListedInteraction& line, bool with_scope, std::size_t width) {
  const std::string begin = fmt::format("{}  {:>4} {:>4} {:>4}  ", line.id, line.take, line.lane, line.position);
  const std::string status = fmt::format("{:>6}", status_text(line));
  std::string text = fmt::format("{}{}  {:>9}  {:>4}  ", begin, status, human_bytes(line.body_bytes), line.redactions);
  if (with_scope) text += fmt::format("{:<16}  ", line.scope.empty() ? "-" : cut_to(api::shown_scope(line.scope), 16));
  text += note_of(line);
  if (stdout_is_terminal() && line.effect == api::Effect::write) text += "write: ";
  text += printable(line.key);
  if (width > 0) text = cut_to(text, width);
  if (stdout_takes_colour() && text.size() > begin.size() + status.size()) {
    const Paint how = paint_of(line.status, line.error_code.value_or(0));
    text = begin + painted(status, how, true) + text.substr(begin.size() + status.size());
  }
  std::cout << text << '\n';
}

bool has_scopes(const cassettes::CassetteReader& reader) {
  bool found = false;
  reader.scopes([&](const cassettes::ScopeTake&) {
    found = true;
    return false;
  });
  return found;
}

/// What people said of the takes, and the moments that they marked.
void print_notes(const cassettes::CassetteReader& reader) {
  for (const cassettes::Take& take : reader.info().takes) {
    std::string text;
    if (!take.model.empty()) text += " " + printable(take.model) + " " + printable(take.firmware);
    if (!take.note.empty()) text += " " + printable(take.note);
    if (!text.empty()) std::cout << fmt::format("take {}:{}\n", take.number, text);
  }
  for (const cassettes::Mark& mark : reader.marks()) {
    std::cout << fmt::format("mark in take {} at {} UTC: {}\n", mark.take, human_time(mark.at_us),
                             printable(mark.name));
  }
}

void print_table_of(const cassettes::CassetteReader& reader, const std::string& path, bool wide) {
  const std::size_t width = wide ? 0 : terminal_width();
  const bool scoped = has_scopes(reader);
  std::cout << fmt::format("{:<16}  {:>4} {:>4} {:>4}  {:>6}  {:>9}  {:>4}  {}{}\n", "ID", "TAKE", "LANE", "POS",
                           "STATUS", "BYTES", "RED.", scoped ? "SCOPE             " : "", "REQUEST");
  reader.list([&](const ListedInteraction& line) {
    print_line(line, scoped, width);
    return std::cout.good();
  });
  std::cout << describe(reader.info(), path) << '\n';
  print_notes(reader);
  const std::size_t allowed = reader.info().allowed.size();
  if (allowed > 0) std::cout << fmt::format("it allows {} suspects of the leak scan; --allowed lists them\n", allowed);
}

nlohmann::ordered_json json_of(const ListedInteraction& line) {
  nlohmann::ordered_json out;
  out["id"] = line.id;
  out["take"] = line.take;
  out["ord"] = line.ord;
  if (!line.scope.empty()) out["scope"] = api::shown_scope(line.scope);
  out["session"] = line.session;
  out["lane"] = line.lane;
  out["position"] = line.position;
  out["key"] = line.key;
  out["verb"] = line.verb;
  out["status"] = line.status;
  if (line.error_code) out["code"] = *line.error_code;
  out["bytes"] = line.body_bytes;
  out["redactions"] = line.redactions;
  out["completeness"] = api::to_string(line.completeness);
  if (!line.reason.empty()) out["reason"] = line.reason;
  out["writes"] = line.effect == api::Effect::write;
  if (line.ended_by_client) out["ended_by_client"] = true;
  out["started_us"] = line.started_us;
  if (line.first_byte_us != 0) out["first_byte_us"] = line.first_byte_us;
  out["ended_us"] = line.ended_us;
  return out;
}

void print_json(const cassettes::CassetteReader& reader) {
  std::cout << "[";
  const char* separator = "\n";
  reader.list([&](const ListedInteraction& line) {
    std::cout << separator << json_of(line).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    separator = ",\n";
    return std::cout.good();
  });
  std::cout << "\n]\n";
}

void print_scopes(const cassettes::CassetteReader& reader, bool json) {
  nlohmann::ordered_json scopes = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> rows;
  reader.scopes([&](const cassettes::ScopeTake& scope) {
    const std::string name = api::shown_scope(scope.name);
    scopes.push_back({{"scope", name},
                      {"take", scope.take},
                      {"run", scope.run},
                      {"complete", scope.complete},
                      {"lanes", scope.lanes}});
    rows.push_back({std::to_string(scope.take), std::to_string(scope.run), std::to_string(scope.lanes),
                    scope.complete ? "complete" : "incomplete", printable(name)});
    return true;
  });
  if (json) {
    std::cout << scopes.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) << '\n';
  } else {
    print_table({"TAKE", "RUN", "LANES", "STATE", "SCOPE"}, rows);
  }
}

void print_allowed(const std::vector<std::string>& allowed, bool json) {
  if (json) {
    std::cout << nlohmann::ordered_json(allowed).dump(2) << '\n';
    return;
  }
  for (const std::string& fingerprint : allowed) std::cout << fingerprint << '\n';
}

int ls(const LsOptions& options) {
  const cassettes::CassetteReader reader(options.cassette);
  warn_about(reader.info(), options.cassette);
  if (options.allowed) {
    print_allowed(reader.info().allowed, options.json);
  } else if (options.scopes) {
    print_scopes(reader, options.json);
  } else if (options.json) {
    print_json(reader);
  } else {
    print_table_of(reader, options.cassette, options.wide);
  }
  return fine;
}

}  // namespace

void add_ls(CLI::App& app, Action& action) {
  auto options = std::make_shared<LsOptions>();
  CLI::App* command = app.add_subcommand("ls", "List the interactions of a cassette");
  command->add_option("cassette", options->cassette, "The cassette")->type_name("CASSETTE")->required();
  auto* allowed = command->add_flag("--allowed", options->allowed,
                                    "List the fingerprints that `scrub --allow` has put into the cassette instead");
  command->add_flag("--scopes", options->scopes, "List the scopes instead: take, run, lanes, and whether it is whole")
      ->excludes(allowed);
  command->add_flag("--wide", options->wide, "Write whole lines, where a terminal would cut them");
  command->add_flag("--json", options->json, "Write a JSON array, one object for each interaction");
  command->callback([options, &action] { action = [options] { return ls(*options); }; });
}

}  // namespace tapedeck::cli
