#include "bench/micro/support.h"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include <stdlib.h>

#include "bench/load.h"
#include "scrubbers/redaction/redaction.h"

namespace tapedeck::bench {

const std::vector<api::Interaction>& usual_interactions() {
  static const std::vector<api::Interaction> all = [] {
    const Load load({});
    std::vector<api::Interaction> made;
    for (std::uint64_t n = 0; n < load.plan().count; ++n) made.push_back(load.interaction(n));
    return made;
  }();
  return all;
}

const std::vector<scrubbers::ScrubbedInteraction>& usual_scrubbed() {
  static const std::vector<scrubbers::ScrubbedInteraction> all = [] {
    scrubbers::Scrubber scrubber{scrubbers::ScrubberOptions{}};
    std::vector<scrubbers::ScrubbedInteraction> made;
    for (const api::Interaction& interaction : usual_interactions()) made.push_back(scrubber.scrub(interaction));
    return made;
  }();
  return all;
}

void teach(scrubbers::Scrubber& scrubber, int count) {
  for (int i = 0; i < count; ++i) scrubber.teach(scrubbers::make_of_shape("20:alnum", fmt::format("bench-{}", i)));
}

std::string new_folder() {
  struct Folders {
    std::vector<std::string> all;
    ~Folders() {
      std::error_code ignored;
      for (const std::string& folder : all) std::filesystem::remove_all(folder, ignored);
    }
  };
  static Folders folders;
  std::string name = (std::filesystem::temp_directory_path() / "tapedeck-bench-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folders.all.push_back(name);
  return name;
}

}  // namespace tapedeck::bench
