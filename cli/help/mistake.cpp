#include "cli/help/mistake.h"

#include <fmt/format.h>
#include <cstdlib>
#include <filesystem>

#include "base/text.h"

namespace tapedeck::cli {
namespace {

/// The option that `text` begins with: CLI11 writes "--cors: 1 required ORIGIN missing", "cassette is required" and
/// "Could not convert: --header-lines = few".
const CLI::Option* named_in(const CLI::App& command, std::string_view text) {
  constexpr std::string_view not_converted = "Could not convert: ";
  if (text.starts_with(not_converted)) text.remove_prefix(not_converted.size());
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

std::string commands_in(const CLI::App& command) {
  std::string names;
  for (const CLI::App* one : command.get_subcommands({})) names += (names.empty() ? "" : ", ") + one->get_name();
  return names;
}

/// "from 0.001 to 86400", of CLI11's "Value abc not in range 0.001000 to 86400.000000"; empty for another text.
std::string range_in(const std::string& text) {
  constexpr std::string_view words = " not in range ";
  const std::size_t begin = text.find(words), middle = text.find(" to ", begin);
  if (begin == std::string::npos || middle == std::string::npos) return {};
  const double least = std::strtod(text.c_str() + begin + words.size(), nullptr);
  return fmt::format("from {:g} to {:g}", least, std::strtod(text.c_str() + middle + 4, nullptr));
}

/// CLI11 tells of a word that is none of those that are taken by a listing of its own table.
bool lists_a_table(std::string_view text) { return text.find("->") != text.npos || text.find(" FAILED") != text.npos; }

/// An argument's own name is in no text for people.
std::string name_of(const CLI::App& command, const CLI::Option& option) {
  return option.get_positional() ? command.get_name() : option.get_name();
}

/// What was given, and what an option of this kind takes.
std::string not_taken(const CLI::App& command, const CLI::Option& option, const std::string& said) {
  const std::string given = option.results().back(), type = option.get_type_name();
  const std::string refused = name_of(command, option) + " does not take `" + given + "`";
  if (said.find("does not exist") != said.npos) return option.get_name() + " " + given + ": there is no such file";
  // Its transformation has cut off the unit that was given.
  if (type == "SIZE") return option.get_name() + ": a size is like 4096, 64KiB or 10MiB";
  if (const std::string range = range_in(said); !range.empty()) return refused + ": a number " + range;
  if (const std::size_t at = said.find("a whole number"); at != said.npos) return refused + ": " + said.substr(at);
  if (type == "N") return refused + ": a number";
  if (option.get_items_expected_max() == 0) return type.empty() ? refused + ": it has no value" : said;
  if (type.find('|') != type.npos) {
    std::string words = type;
    base::replace_all(words, "|", ", ");
    return refused + ": it is one of " + words;
  }
  if (said.find(" not in {") != said.npos) return refused + ": it is " + type;
  return lists_a_table(said) ? refused : said;
}

}  // namespace

std::string mistake(const CLI::App& command, const CLI::ParseError& error) {
  const std::string said = error.what();
  if (said.starts_with("A subcommand is required")) return command.get_name() + " needs one of " + commands_in(command);
  const CLI::Option* const option = named_in(command, said);
  if (option == nullptr) return said;
  switch (static_cast<CLI::ExitCodes>(error.get_exit_code())) {
    case CLI::ExitCodes::RequiredError:
      return command.get_name() + " needs " + called(*option);
    case CLI::ExitCodes::ArgumentMismatch:
      if (option->results().size() > 1) return option->get_name() + " is given twice";
      return option->get_name() + " needs " + option->get_type_name();
    case CLI::ExitCodes::ValidationError:
    case CLI::ExitCodes::ConversionError:
      return option->results().empty() ? said : not_taken(command, *option, said);
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
    if (!error) base::replace_all(message, (folder / given.filename()).string(), given.string());
  }
  return message;
}

}  // namespace tapedeck::cli
