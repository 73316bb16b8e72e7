// Feeds arbitrary bytes to the leak scan, in memory and as a file. It ends, does not report a value, and finds a value
// that occurs plainly.

#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "scan/leak_scan.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace tapedeck;
using fuzz::must;

const std::string secret = "made-up-Secret_0123456789";

void check(const scan::ScanReport& report) {
  for (const scan::Finding& finding : report.findings) {
    for (const std::string* said : {&finding.path, &finding.place, &finding.table, &finding.column, &finding.via}) {
      must(said->find(secret) == std::string::npos, "no value is said");
    }
  }
}

/// A file without a name.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : descriptor_(memfd_create("fuzz", MFD_CLOEXEC)) {
    must(::write(descriptor_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()), "there is memory");
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  scan::LearnedValues learned;
  learned.add(secret);
  scan::ScanOptions options;
  options.learned = &learned;
  options.item_budget = 1u << 20;
  options.file_budget = 4u << 20;
  const scan::ScanReport report = scan::scan_bytes(text, "fuzz", options);
  check(report);
  must(text.find(secret) == std::string_view::npos || report.learned > 0 || !report.incomplete.empty(),
       "a plain value is found");
  const MemoryFile file(text);
  check(scan::scan_file(file.path(), options));
  return 0;
}
