#include "cli/help/given_paths.h"

#include <filesystem>

#include "base/text.h"

namespace tapedeck::cli {

std::string as_given(std::string message, const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    const std::filesystem::path given(argument.substr(argument.starts_with('-') ? argument.find('=') + 1 : 0));
    if (given.is_absolute() || !given.has_filename()) continue;
    std::error_code error;
    const auto folder = std::filesystem::canonical(given.has_parent_path() ? given.parent_path() : ".", error);
    if (!error) base::replace_all(message, (folder / given.filename()).string(), given.string());
  }
  return message;
}

}  // namespace tapedeck::cli
