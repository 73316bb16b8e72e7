#!/usr/bin/env bash
# What cmake --install puts down is whole: program, man pages that man reads without a warning, completions that know
# every command and option; and nothing else. zsh, fish and man are tried with TAPEDECK_ALL.
#   tests/install_test.sh BUILD_FOLDER
set -euo pipefail
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
wrong() { echo "$*"; failed=1; }

cmake --build "$build" --target pages >/dev/null
HOME=/nonexistent cmake --install "$build" --prefix "$work/usr" >/dev/null
# The folder for zsh depends on the prefix for which the build is configured.
zsh=site-functions
! grep -q '^CMAKE_INSTALL_PREFIX:PATH=/usr$' "$build/CMakeCache.txt" || zsh=vendor-completions
share=$work/usr/share
program=$work/usr/bin/tapedeck
PATH=$work/usr/bin:$PATH  # the completions ask the program
commands=$("$program" --help-all | sed -nE 's/^  ([a-z][a-z-]*)  +[A-Z].*/\1/p' | sort -u)
[ -n "$commands" ] || wrong "no commands in --help-all"

{ echo bin/tapedeck; echo share/man/man1/tapedeck.1
  for command in $commands; do echo "share/man/man1/tapedeck-$command.1"; done
  echo share/bash-completion/completions/tapedeck; echo "share/zsh/$zsh/_tapedeck"
  echo share/fish/vendor_completions.d/tapedeck.fish
  echo share/doc/tapedeck/LICENSE; echo share/doc/tapedeck/CHANGELOG.md; } | sort >"$work/wanted"
(cd "$work/usr" && find . -type f | sed 's|^\./||' | sort) >"$work/found"
diff "$work/wanted" "$work/found" || wrong "other files than these"

bash -n "$share/bash-completion/completions/tapedeck" || wrong "the bash completion does not parse"
# completed WORD…: prints the words that bash offers for the last word.
completed() {
  bash -c 'source "$0"; COMP_WORDS=(tapedeck "$@"); COMP_CWORD=$#; _tapedeck; printf "%s\n" "${COMPREPLY[@]}"' \
    "$share/bash-completion/completions/tapedeck" "$@" | sort -u
}
# options COMMAND: prints the options in its --help-all.
options() {
  [ ! -e "$work/options-$1" ] || { cat "$work/options-$1"; return; }
  "$program" "$1" --help-all | sed -nE 's/^  (-[a-zA-Z], *)?(--[a-z0-9][a-z0-9-]*).*/\2/p' | sort -u | tee "$work/options-$1"
}

# The words that each shell must offer, as "LINE<tab>WORD": commands, options, and words of an option.
{ for word in $commands --help --help-all --version --quiet --color; do printf 'tapedeck \t%s\n' "$word"; done
  for command in $commands; do
    for option in $(options "$command"); do printf 'tapedeck %s --\t%s\n' "$command" "$option"; done
  done
  for word in lenient strict; do printf 'tapedeck replay --auth \t%s\n' "$word"; done; } | sort >"$work/offers"
cut -f1 "$work/offers" | sort -u >"$work/lines"
mapfile -t lines <"$work/lines"
same_offers() { diff "$work/offers" <(sort -u) || wrong "$1 offers something else"; }

for line in "${lines[@]}"; do
  read -ra words <<<"${line#tapedeck}"
  [[ $line != *' ' ]] || words+=('')
  completed "${words[@]}" | sed "s/^/$line\t/"
done | same_offers bash
[ -z "$(completed replay --connections '')" ] || wrong "bash offers something for a number"

if [ -n "${TAPEDECK_ALL:-}" ] && command -v zsh >/dev/null; then
  timeout 120 zsh -f "$(dirname "$0")/zsh_completed.zsh" "$share/zsh/$zsh" "${lines[@]}" | same_offers zsh
elif [ -n "${TAPEDECK_ALL:-}" ]; then
  wrong "zsh is not here, and TAPEDECK_ALL is set"
fi
if [ -n "${TAPEDECK_ALL:-}" ] && command -v fish >/dev/null; then
  printf '%s\n' "${lines[@]}" | HOME=$work fish --no-config -c 'source $argv[1]
    while read -l line; for word in (complete -C $line); echo $line\t(string split -f1 \t -- $word); end; end' \
    "$share/fish/vendor_completions.d/tapedeck.fish" | same_offers fish
elif [ -n "${TAPEDECK_ALL:-}" ]; then
  wrong "fish is not here, and TAPEDECK_ALL is set"
fi

for command in $commands; do
  in_page=$(sed 's/\\-/-/g' "$share/man/man1/tapedeck-$command.1" | grep -oE -- '--[a-z0-9][a-z0-9-]*' | sort -u)
  missing=$(comm -23 <(options "$command") <(printf '%s\n' "$in_page"))
  [ -z "$missing" ] || wrong "tapedeck-$command(1) does not have" $missing
done

if [ -n "${TAPEDECK_ALL:-}" ] && command -v man >/dev/null && command -v groff >/dev/null; then
  for page in "$share"/man/man1/*.1; do
    said=$(MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)
    [ -z "$said" ] || wrong "$page: $said"
  done
elif [ -n "${TAPEDECK_ALL:-}" ]; then
  wrong "man and groff are not here, and TAPEDECK_ALL is set"
fi
exit "$failed"
