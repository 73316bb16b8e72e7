#include "cli/running/journal_cleaning.h"

#include <functional>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/console/terminal.h"
#include "journal/journal.h"
#include "scan/leak_scan.h"

namespace tapedeck::cli {
namespace {

using Entry = nlohmann::ordered_json;

/// Returns the entry with `change` applied to each text that came from a client or a device.
std::string changed(std::string_view line, const journal::Hide& change) {
  Entry entry = Entry::parse(line, nullptr, false);
  if (!entry.is_object()) return "{\"number\":0}";
  bool differs = false;
  for (const journal::NamedMember& member : journal::named_members) {
    const auto text = entry.find(member.name);
    if (text == entry.end() || !text->is_string()) continue;
    std::string now = change(text->get_ref<const std::string&>());
    differs = differs || now != text->get_ref<const std::string&>();
    *text = std::move(now);
  }
  return differs ? readable_json(entry) : std::string(line);
}

std::string each_line(std::string_view lines, const std::function<std::string(std::string_view line)>& change) {
  std::string all;
  while (!lines.empty()) all.append(change(base::take_until(lines, '\n'))).append("\n");
  return all;
}

}  // namespace

std::string cleaned_journal(std::string_view lines, const scrubbers::Scrubber& scrubber) {
  scan::LearnedValues learned;
  scrubber.each_learned([&](std::string_view value, bool everywhere) {
    if (everywhere) learned.add(value, scan::Search::anywhere);
  });
  scan::ScanOptions options;
  options.learned = &learned;
  options.heuristics = false;
  const auto holds = [&](std::string_view text) { return scan::scan_bytes(text, "journal", options).learned > 0; };
  std::string scrubbed = each_line(lines, [&](std::string_view line) {
    return changed(line, [&](std::string_view text) { return scrubber.scrub_text(text); });
  });
  // Starting a search costs more than searching a line, and most journals contain nothing, so the whole text is
  // searched first.
  if (scrubbed.empty() || !holds(scrubbed)) return scrubbed;
  return each_line(scrubbed, [&](std::string_view line) {
    if (!holds(line)) return std::string(line);
    return changed(line, [](std::string_view) { return "<WITHHELD>"; });
  });
}

}  // namespace tapedeck::cli
