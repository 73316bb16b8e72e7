#include "cli/reports/report_file.h"

#include <filesystem>
#include <stdexcept>

#include "base/output_file.h"

namespace tapedeck::cli {
namespace {

bool is_report(std::string_view head) {
  const bool is_xml = head.starts_with("<?xml") && head.find("<testsuites name=\"tapedeck\"") != std::string_view::npos;
  const bool is_json = head.starts_with("{\n  \"command_status\"") || head.starts_with("{\n  \"cassettes\"");
  return is_xml || is_json;
}

}  // namespace

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
