#include "cli/reports/removal_report.h"

#include <iostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "api/scope_name.h"
#include "cli/app.h"
#include "cli/reports/cassette_text.h"
#include "cli/reports/print_json.h"
#include "cli/running/cassette_rewrite.h"
#include "cli/terminal.h"
#include "tools/rewrite.h"

namespace tapedeck::cli {
namespace {

using cassettes::ListedInteraction;

void list_gone(const cassettes::CassetteReader& reader, const std::unordered_set<std::uint64_t>& gone, bool json) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  reader.list([&](const ListedInteraction& line) {
    if (!gone.contains(tools::id_number(line.id))) return true;
    if (json) {
      list.push_back(
          {{"id", line.id}, {"take", line.take}, {"scope", api::shown_scope(line.scope)}, {"key", line.key}});
    } else {
      std::cout << fmt::format("{}  {:>4}  {:>6}  {}{}\n", line.id, line.take, status_text(line), note_of(line),
                               printable(line.key));
    }
    return true;
  });
  if (json) {
    cli::print_json(list);
  } else {
    std::cout << fmt::format("Would remove {} of {} interactions\n", gone.size(), reader.info().interactions);
  }
}

}  // namespace

int remove(cassettes::Rewriting& rewriting, const std::unordered_set<std::uint64_t>& gone, bool only_list, bool json) {
  const cassettes::CassetteReader& reader = rewriting.reader();
  if (only_list) {
    list_gone(reader, gone, json);
    return fine;
  }
  if (gone.empty() && !json) {
    std::cout << "Nothing to remove\n";
    return fine;
  }
  tools::KeptMaterial part(rewriting.content(), tools::kept_of(reader, [&](const ListedInteraction& line) {
                     return !gone.contains(tools::id_number(line.id));
                   }));
  const cassettes::FinishReport report = rewrite(rewriting, part);
  if (report.finished && !json) std::cout << fmt::format("Removed {} interactions\n", gone.size());
  return report_rewrite(report, rewriting.path(), json);
}

}  // namespace tapedeck::cli
