#include "cli/reports/report_file.h"

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/escapes.h"
#include "base/output_file.h"
#include "base/utf8.h"

namespace tapedeck::cli {
namespace {

/// Returns the length of the first character in bytes, and whether XML 1.0 can represent it ("Char" in section 2.2 of
/// XML 1.0).
std::pair<std::size_t, bool> xml_character(std::string_view text) {
  const auto [point, length] = base::utf8_front(text);
  if (length == 0) return {1, false};
  const bool is_control = point < 0x20 && point != '\t' && point != '\n' && point != '\r';
  return {length, !is_control && point != 0xfffe && point != 0xffff};
}

/// Escapes text for XML 1.0. Characters that XML cannot represent become U+FFFD.
std::string xml_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto [length, fits] = xml_character(text);
    const char c = fits ? text.front() : '\0';
    const std::string_view escape = c == '\0' ? "\xef\xbf\xbd" : c == '\'' ? "&apos;" : base::markup_escape(c);
    if (!escape.empty()) {
      out += escape;
    } else if (const char32_t point = base::utf8_front(text).code_point;
               c != '\n' && c != '\t' && base::turns_or_breaks(point)) {
      out += fmt::format("&#x{:x};", static_cast<std::uint32_t>(point));
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return out;
}

std::string case_xml(const std::string& group, const std::string& title, const std::string& failure) {
  const std::string head = fmt::format("  <testcase classname=\"{}\" name=\"{}\"", xml_text(group), xml_text(title));
  if (failure.empty()) return head + "/>\n";
  return head + fmt::format(">\n    <failure message=\"{0}\">{0}</failure>\n  </testcase>\n", xml_text(failure));
}

bool is_report(std::string_view head) {
  const bool is_xml = head.starts_with("<?xml") && head.find("<testsuites name=\"tapedeck\"") != std::string_view::npos;
  const bool is_json = head.starts_with("{\n  \"command_status\"") || head.starts_with("{\n  \"cassettes\"");
  return is_xml || is_json;
}

}  // namespace

void Suite::add(const std::string& group, const std::string& title, const std::string& failure) {
  ++cases;
  failures += failure.empty() ? 0 : 1;
  body += case_xml(group, title, failure);
}

std::string junit_document(const std::vector<Suite>& suites) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tapedeck\">\n";
  for (const Suite& suite : suites) {
    text += fmt::format("<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"0\">\n{}",
                        xml_text(suite.name), suite.cases, suite.failures, suite.body);
    if (!suite.output.empty()) text += fmt::format("  <system-out>{}</system-out>\n", xml_text(suite.output));
    text += "</testsuite>\n";
  }
  return text + "</testsuites>\n";
}

ReportFile::ReportFile(std::string path) : path_(std::move(path)) {
  if (path_.empty()) return;
  if (const auto why = base::OutputFile::why_not(path_, is_report)) {
    throw std::runtime_error("cannot write the report: " + *why);
  }
  std::error_code ignored;
  if (std::filesystem::symlink_status(path_, ignored).type() == std::filesystem::file_type::regular) {
    std::filesystem::remove(path_, ignored);
  }
}

void ReportFile::write(std::string_view text) const {
  if (!is_wanted()) return;
  base::OutputFile file(path_, is_report);
  file.stream() << text;
  file.commit();
}

}  // namespace tapedeck::cli
