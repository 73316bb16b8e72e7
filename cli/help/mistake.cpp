#include "cli/help/mistake.h"

#include <filesystem>

#include "cli/help/help_formatter.h"

namespace tapedeck::cli {
namespace {

/// The option that `text` begins with: CLI11 writes "--cors: 1 required ORIGIN missing" and "cassette is required".
const CLI::Option* named_in(const CLI::App& command, std::string_view text) {
  const std::string name(text.substr(0, text.find_first_of(": ")));
  for (const CLI::Option* option : command.get_options({})) {
    if (option->get_name() == name || option->check_name(name)) return option;
  }
  return nullptr;
}

/// "CASSETTE" or "--device URL".
std::string called(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return option.get_positional() ? type : option.get_name() + (type.empty() ? "" : " " + type);
}

/// CLI11 tells of a word that is none of those that are taken by a listing of its own table.
bool lists_a_table(std::string_view text) { return text.find("->") != text.npos || text.find(" FAILED") != text.npos; }

void replace_all(std::string& text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
}

}  // namespace

std::string mistake(const CLI::App& command, const CLI::ParseError& error) {
  const std::string said = error.what();
  const CLI::Option* const option = named_in(command, said);
  if (option == nullptr) return said;
  switch (static_cast<CLI::ExitCodes>(error.get_exit_code())) {
    case CLI::ExitCodes::RequiredError:
      return command.get_name() + " needs " + called(*option);
    case CLI::ExitCodes::ArgumentMismatch:
      return option->get_name() + " needs " + option->get_type_name();
    case CLI::ExitCodes::ValidationError:
      if (!lists_a_table(said) || option->results().empty()) return said;
      return option->get_name() + " does not take `" + option->results().back() + "`";
    default:
      return said;
  }
}

std::string as_given(std::string message, const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    const std::filesystem::path given(argument.substr(argument.starts_with('-') ? argument.find('=') + 1 : 0));
    if (given.is_absolute() || !given.has_filename()) continue;
    std::error_code error;
    const auto folder = std::filesystem::canonical(given.has_parent_path() ? given.parent_path() : ".", error);
    if (!error) replace_all(message, (folder / given.filename()).string(), given.string());
  }
  return message;
}

}  // namespace tapedeck::cli
