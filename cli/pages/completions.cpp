#include "cli/pages/completions.h"

#include <algorithm>
#include <vector>

#include "base/shell_word.h"
#include "cli/pages/tree.h"

namespace tapedeck::cli {
namespace {

/// What may stand behind an option: nothing, one of some words ("lenient|off|strict"), a file, or anything.
enum class Takes { nothing, word, file, anything };
Takes takes(const Option& option) {
  if (option.is_flag() || option.has_optional_value()) return Takes::nothing;
  const std::string& type = option.value;
  if (type.find('|') != std::string::npos) return Takes::word;
  return type == "FILE" || type == "PATH" || type == "DIR" ? Takes::file : Takes::anything;
}

std::string words_of(const Option& option) {
  std::string spaced = option.value;
  std::replace(spaced.begin(), spaced.end(), '|', ' ');
  return spaced;
}

/// Without the dashes.
std::vector<std::string> long_names(const Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) {
    if (name.starts_with("--")) names.push_back(name.substr(2));
  }
  return names;
}

using base::shell_quoted;

/// A description as zsh's _arguments and _describe take it.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']') out += '\\';
    out += c;
  }
  return out;
}

std::string names_of(const std::vector<const Option*>& options, Takes which) {
  std::string names;
  for (const Option* option : options) {
    for (const std::string& name : long_names(*option)) {
      if (takes(*option) == which) names += (names.empty() ? "--" : "|--") + name;
    }
  }
  return names;
}

std::string bash_case(const Command& command) {
  const auto options = all_options_of(command);
  std::string out = "    " + command.name + ")\n      case $before in\n";
  std::string all;
  for (const Option* option : options) {
    for (const std::string& name : long_names(*option)) all += (all.empty() ? "--" : " --") + name;
    if (takes(*option) != Takes::word) continue;
    out += "        --" + long_names(*option).front() + ") COMPREPLY=($(compgen -W '" + words_of(*option) +
           "' -- \"$word\")); return ;;\n";
  }
  if (const std::string files = names_of(options, Takes::file); !files.empty()) {
    out += "        " + files + ") COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n";
  }
  if (const std::string rest = names_of(options, Takes::anything); !rest.empty()) {
    out += "        " + rest + ") return ;;\n";
  }
  std::string names;
  for (const auto& nested : command.commands) names += (names.empty() ? "" : " ") + nested->name;
  return out + "      esac\n      options='" + all + "' names='" + names + "' ;;\n";
}

/// What `_describe` chooses from.
std::string zsh_commands(const Command& parent) {
  std::string lines;
  for (const auto& command : parent.commands) {
    lines += "    " + shell_quoted(command->name + ":" + zsh_text(command->summary)) + "\n";
  }
  return lines;
}

/// One command: its options, and what it takes besides: a command of its own, the command to run, or files.
std::string zsh_case(const Command& command) {
  std::string out = "    " + command.name + ")\n";
  if (const std::string nested = zsh_commands(command); !nested.empty()) {
    out += "      if (( CURRENT == 2 )) && [[ $PREFIX != -* ]]; then\n        commands=(\n" + nested +
           "        )\n        _describe command commands\n        return\n      fi\n";
  }
  if (!command.trailing.empty()) {
    out +=
        "      local -i dashes=${words[(i)--]}\n      if (( dashes < CURRENT )); then\n"
        "        shift $dashes words\n        (( CURRENT -= dashes ))\n        _normal\n        return\n      fi\n";
  }
  out += "      _arguments \\\n";
  for (const Option* option : all_options_of(command)) {
    std::string action;
    if (const Takes what = takes(*option); what != Takes::nothing) {
      action = ":" + option->value + ":";
      if (what == Takes::word) action += "(" + words_of(*option) + ")";
      if (what == Takes::file) action += "_files";
    }
    for (const std::string& name : long_names(*option)) {
      out += "        '*'" + shell_quoted("--" + name + "[" + zsh_text(option->help) + "]" + action) + " \\\n";
    }
  }
  return out + "        '*:file:_files'\n      ;;\n";
}

std::string fish_options(const Command& command) {
  std::string out;
  for (const Option* option : all_options_of(command)) {
    const Takes what = takes(*option);
    const std::string action = what == Takes::word       ? " -xa " + shell_quoted(words_of(*option))
                               : what == Takes::file     ? " -rF"
                               : what == Takes::anything ? " -x"
                                                         : "";
    for (const std::string& name : long_names(*option)) {
      out += "complete -c tapedeck -n '__fish_seen_subcommand_from " + command.name + "' -l " + name + action + " -d " +
             shell_quoted(option->help) + "\n";
    }
  }
  return out;
}

/// The commands that a command has in turn, until one of them is written.
std::string fish_nested(const Command& command) {
  std::string names, out;
  for (const auto& nested : command.commands) names += " " + nested->name;
  for (const auto& nested : command.commands) {
    out += "complete -c tapedeck -f -n '__fish_seen_subcommand_from " + command.name +
           "; and not __fish_seen_subcommand_from" + names + "' -a " + nested->name + " -d " +
           shell_quoted(nested->summary) + "\n";
  }
  return out;
}

}  // namespace

std::string bash_completion(const Command& program) {
  std::string commands, cases;
  for (const auto& command : program.commands) {
    commands += (commands.empty() ? "" : " ") + command->name;
    cases += bash_case(*command);
  }
  return R"(# bash completion for tapedeck
_tapedeck() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options='' names='' i
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ')" +
         commands + R"( --help --help-all --version' -- "$word"))
    return
  fi
  for ((i = 2; i < COMP_CWORD; ++i)); do
    [ "${COMP_WORDS[i]}" = -- ] || continue
    declare -F _command_offset >/dev/null && _command_offset $((i + 1))
    return
  done
  case ${COMP_WORDS[1]} in
)" + cases +
         R"(    *) return ;;
  esac
  if [[ $word = -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  elif [ "$COMP_CWORD" -eq 2 ] && [ -n "$names" ]; then
    COMPREPLY=($(compgen -W "$names" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _tapedeck tapedeck
)";
}

std::string zsh_completion(const Command& program) {
  std::string cases;
  for (const auto& command : program.commands) cases += zsh_case(*command);
  return "#compdef tapedeck\nlocal -a commands\nif (( CURRENT == 2 )); then\n  commands=(\n" + zsh_commands(program) +
         "  )\n  _describe command commands\nelse\n  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n"
         "  case $command in\n" +
         cases + "  esac\nfi\n";
}

std::string fish_completion(const Command& program) {
  std::string out = "complete -c tapedeck -f -n __fish_use_subcommand -l version -d 'Print the version and exit'\n";
  for (const auto& command : program.commands) {
    out += "complete -c tapedeck -f -n __fish_use_subcommand -a " + command->name + " -d " +
           shell_quoted(command->summary) + "\n" + fish_nested(*command) + fish_options(*command);
  }
  return out;
}

}  // namespace tapedeck::cli
