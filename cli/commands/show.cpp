// tapedeck show: prints one interaction as it is stored.

#include <iostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "api/scope_name.h"
#include "base/base64.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "cassettes/read/cassette_reader.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/commands/overlay_block.h"
#include "cli/console/exit_status.h"
#include "cli/console/terminal.h"
#include "cli/reports/cassette_text.h"
#include "tools/content/plain_text.h"
#include "tools/content/pretty_json.h"

namespace tapedeck::cli {
namespace {

struct ShowOptions {
  std::string cassette;
  std::string id;
  std::string as;
};

void print_headers(const http::Headers& headers) {
  for (const http::Header& line : headers) {
    std::cout << "  " << printable(line.name) << ": " << printable(line.value) << '\n';
  }
}

/// Prints a body. JSON is indented, because exact bytes are only needed in pipes.
void print_body(std::string_view body) {
  if (body.empty()) return;
  const auto pretty = stdout_is_terminal() ? tools::pretty_json(body) : std::nullopt;
  std::cout << '\n' << printable(pretty ? *pretty : body, true) << '\n';
}

void print_redactions(const scrubbers::InteractionRecord& record) {
  if (record.redactions.empty()) return;
  std::cout << "\nRedactions\n";
  for (const scrubbers::Redaction& row : record.redactions) {
    constexpr const char* whose[] = {"none", "own", "another"};
    std::cout << fmt::format("  {} at {}, {} bytes: {} ({}, {}) {}{}\n", scrubbers::to_string(row.part), row.offset,
                             row.length, scrubbers::to_string(row.secret_class),
                             whose[static_cast<std::size_t>(row.whose)], printable(row.shape), printable(row.rule),
                             row.encoding.empty() ? "" : ", encoded " + printable(scrubbers::to_string(row.encoding)));
  }
}

void print_interaction(const cassettes::FullInteraction& full) {
  const scrubbers::InteractionRecord& record = full.record;
  const cassettes::ListedInteraction& line = full.line;
  std::cout << fmt::format("Interaction {}  take {}  session {}  lane {}  position {}\nKey         {}\n", line.id,
                           line.take, line.session, line.lane, line.position, printable(line.key));
  if (!line.scope.empty()) std::cout << fmt::format("Scope       {}\n", printable(api::shown_scope(line.scope)));
  const auto ms = [&](std::int64_t at_us) { return static_cast<double>(at_us - line.started_us) / 1000; };
  std::cout << fmt::format("Timing      {} UTC, response in {:.1f} ms", base::human_time(line.started_us),
                           ms(line.ended_us));
  if (line.first_byte_us != 0) std::cout << fmt::format(", first byte after {:.1f} ms", ms(line.first_byte_us));
  if (!record.events.empty()) std::cout << fmt::format(", in {} events", record.events.size());
  std::cout << (line.ended_by_client ? "; ended by the client\n" : "\n");
  if (line.completeness != api::Completeness::complete) {
    std::cout << fmt::format("State       {}: {}\n", api::to_string(line.completeness), printable(line.reason));
  }
  std::cout << fmt::format("\nRequest\n  {} {}\n", printable(record.request.method), printable(record.request.target));
  print_headers(record.request.headers);
  print_body(record.request.body);
  std::cout << fmt::format("\nResponse\n  {} {}\n", record.response.status, printable(record.response.reason));
  print_headers(record.response.headers);
  print_body(record.response.body);
  print_redactions(record);
}

nlohmann::ordered_json json_of(const http::Headers& headers) {
  nlohmann::ordered_json lines = nlohmann::ordered_json::array();
  for (const http::Header& line : headers) lines.push_back({{"name", line.name}, {"value", line.value}});
  return lines;
}

/// Adds a body as HAR does: text as it is, and anything else in base64.
void put_body(nlohmann::ordered_json& out, std::string_view body) {
  if (base::is_utf8(body)) {
    out["body"] = body;
  } else {
    out["body"] = base::base64_form(body);
    out["encoding"] = "base64";
  }
}

nlohmann::ordered_json json_of(const scrubbers::Redaction& row) {
  constexpr const char* whose[] = {"none", "own", "another"};
  return {{"part", scrubbers::to_string(row.part)},
          {"offset", row.offset},
          {"length", row.length},
          {"class", scrubbers::to_string(row.secret_class)},
          {"whose", whose[static_cast<std::size_t>(row.whose)]},
          {"rule", row.rule}};
}

void print_json(const cassettes::FullInteraction& full) {
  const scrubbers::InteractionRecord& record = full.record;
  nlohmann::ordered_json out = cli::json_of(full.line);
  nlohmann::ordered_json request = {{"method", record.request.method}, {"target", record.request.target}};
  request["headers"] = json_of(record.request.headers);
  put_body(request, record.request.body);
  nlohmann::ordered_json response = {{"status", record.response.status}, {"reason", record.response.reason}};
  response["headers"] = json_of(record.response.headers);
  put_body(response, record.response.body);
  out["request"] = std::move(request);
  out["answer"] = std::move(response);
  out["redacted"] = nlohmann::ordered_json::array();
  for (const scrubbers::Redaction& row : record.redactions) out["redacted"].push_back(json_of(row));
  cli::print_json(out);
}

/// Writes the exact bytes. On a terminal, replaces unsafe characters.
void write_bytes(const std::string& bytes) {
  std::cout << (stdout_is_terminal() ? printable(bytes, true) : bytes) << std::flush;
}

int show(const ShowOptions& options) {
  const cassettes::CassetteReader reader = open_cassette(options.cassette);
  const cassettes::FullInteraction full = interaction_named(reader, options.cassette, options.id);
  if (options.as == "json") {
    print_json(full);
  } else if (options.as == "body") {
    write_bytes(full.record.response.body);
  } else if (options.as == "request-body") {
    write_bytes(full.record.request.body);
  } else if (options.as == "overlay") {
    write_bytes(overlay_block(full.line.key, response_lines(full)));
  } else {
    print_interaction(full);
  }
  return fine;
}

}  // namespace

void add_show(Command& program) {
  auto [command, options] = program.command("show", "Show one recorded request and its response", show);
  command.argument("CASSETTE", into(options.cassette), "Cassette to read").required();
  command.argument("ID", into(options.id), "ID from `tapedeck ls`, or a prefix of 4 or more digits").required();
  command.choice("--as", one_of(options.as, {"body", "request-body", "overlay", "json"}),
                 "Print only a body, an overlay to start from, or JSON with binary bodies in base64");
  command.details =
      "Bodies are decoded and scrubbed. `tapedeck edit --body` reads them again. In the overlay, values of the "
      "recorded "
      "session are marks such as {{session.id}} (see docs/mocking.md).";
  command.examples = {{"Show the interaction whose ID starts with 3f9a", "tapedeck show nas.cassette 3f9a"},
                      {"Save the response body", "tapedeck show nas.cassette 3f9a --as body > body.json"},
                      {"Start an overlay file", "tapedeck show nas.cassette 3f9a --as overlay > mocks.toml"}};
}

}  // namespace tapedeck::cli
