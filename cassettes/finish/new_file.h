#pragma once
// The file that is to take a cassette's place, until it does: for finish() and for what rewrites a cassette.

#include <functional>
#include <string>

#include "cassettes/finish/canonical.h"
#include "cassettes/finish/finish.h"
#include "cassettes/finish/leak_check.h"

namespace tapedeck::cassettes {

/// The caller said to stop.
struct Stopped {};

/// Passes on about one call a megabyte, and every change of step; throws Stopped.
[[nodiscard]] Progress limited(const decltype(FinishOptions::progress)& call);

/// `<cassette>.finishing`: one that a killed run has left goes at once, and this one with the object, unless it was
/// renamed.
class NewFile {
 public:
  explicit NewFile(const std::string& cassette);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }
  void renamed() { path_.clear(); }

 private:
  std::string path_;
};

/// Has the file written, verifies it and searches it for secrets at the same time. What is found in an interaction, or
/// cannot be searched there, takes its contents and nothing else (`canonical.withhold`); then all is written and
/// searched once more. Throws CassetteError when it could not all be searched.
[[nodiscard]] Leaks write_checked(const std::string& path, CanonicalOptions& canonical,
                                  const std::function<CanonicalResult()>& write, FinishReport& report);

void tell(const CanonicalResult& result, FinishReport& report);
void tell(const Leaks& leaks, FinishReport& report);

/// What `work` tells, and as its failure what it throws: `stopped` for Stopped, else a line that names the path.
[[nodiscard]] FinishReport report_of(const std::string& path, const char* stopped,
                                     const std::function<void(FinishReport&)>& work);

}  // namespace tapedeck::cassettes
