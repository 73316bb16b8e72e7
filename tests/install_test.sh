#!/usr/bin/env bash
# What cmake --install puts down is whole: program, man pages that man reads without a warning, completions that know
# every command and option; and nothing else.
#   tests/install_test.sh BUILD_FOLDER
set -euo pipefail
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
wrong() { echo "$1"; failed=1; }

cmake --build "$build" --target pages >/dev/null
cmake --install "$build" --prefix "$work/usr" >/dev/null
share=$work/usr/share
program=$work/usr/bin/tapedeck
commands=$("$program" --help | sed -nE 's/^  ([a-z][a-z-]*)  +[A-Z].*/\1/p' | sort -u)
[ -n "$commands" ] || wrong "no commands in --help"

{ echo bin/tapedeck; echo share/man/man1/tapedeck.1
  for command in $commands; do echo "share/man/man1/tapedeck-$command.1"; done
  echo share/bash-completion/completions/tapedeck; echo share/zsh/vendor-completions/_tapedeck
  echo share/fish/vendor_completions.d/tapedeck.fish
  echo share/doc/tapedeck/LICENSE; echo share/doc/tapedeck/CHANGELOG.md; } | sort >"$work/wanted"
(cd "$work/usr" && find . -type f | sed 's|^\./||' | sort) >"$work/found"
diff "$work/wanted" "$work/found" || wrong "other files than these"

bash -n "$share/bash-completion/completions/tapedeck" || wrong "the bash completion does not parse"
# completed WORD…: what bash offers for the last of the words.
completed() {
  bash -c 'source "$0"; COMP_WORDS=(tapedeck "$@"); COMP_CWORD=$#; _tapedeck; printf "%s\n" "${COMPREPLY[@]}"' \
    "$share/bash-completion/completions/tapedeck" "$@" | sort
}
for command in $commands; do
  completed "$command" | grep -qx "$command" || wrong "bash does not complete $command"
  page=$share/man/man1/tapedeck-$command.1
  for option in $("$program" "$command" --help | sed -nE 's/^  (-h,)?(--[a-z0-9][a-z0-9-]*).*/\2/p'); do
    grep -qF -- "${option//-/\\-}" "$page" || wrong "$page does not have $option"
    completed "$command" "$option" | grep -qx -- "$option" || wrong "bash does not complete $command $option"
    grep -q -- "__fish_seen_subcommand_from $command' -l ${option#--} " "$share/fish/vendor_completions.d/tapedeck.fish" ||
      wrong "fish does not complete $command $option"
    grep -qF -- "$option[" "$share/zsh/vendor-completions/_tapedeck" || wrong "zsh does not complete $option"
  done
done
[ "$(completed replay --auth '' | tr '\n' ' ')" = "lenient off strict " ] || wrong "bash does not know the words of --auth"
[ -z "$(completed replay --session-calls '')" ] || wrong "bash offers something for a number"

if command -v man >/dev/null && command -v groff >/dev/null; then
  for page in "$share"/man/man1/*.1; do
    said=$(MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)
    [ -z "$said" ] || wrong "$page: $said"
  done
elif [ -n "${CI:-}" ]; then
  wrong "man and groff are not here, and CI is set"
fi
exit "$failed"
