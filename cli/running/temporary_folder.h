#pragma once

#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/private_folder.h"

namespace tapedeck::cli {

/// A private folder for files that runs of a command need. It goes with the object, and also when this process is
/// killed: a small process waits for its end and removes the folder.
class TemporaryFolder {
 public:
  /// Requires that there is one thread.
  TemporaryFolder();
  [[nodiscard]] const std::string& path() const { return folder_.path(); }
  [[nodiscard]] std::string file(std::string_view name) const { return folder_.file(name); }

 private:
  base::PrivateFolder folder_;
  base::Descriptor way_;  ///< a pipe; the other process sees its end when this one has gone
};

}  // namespace tapedeck::cli
