# What zsh itself offers behind each of some lines, in a pseudo terminal: "LINE<tab>WORD" for each word.
#   zsh -f zsh_completed.zsh FOLDER LINE…     (FOLDER has _tapedeck)
zmodload zsh/zpty || exit 2
folder=$1
shift
zpty shell zsh -f -i

# told TEXT: types it, and sets REPLY to what was written until a command behind it has run.
told() {
  zpty -w -n shell "$1"$'\n''print -r -- "over"="and"="out"'$'\n'
  REPLY=
  local piece
  while [[ $REPLY != *over=and=out* ]]; do
    zpty -r shell piece || exit 2
    REPLY+=$piece
  done
}

told "fpath=(${(q)folder} \$fpath); autoload -Uz compinit; compinit -D -u"
# What is offered is written as well; what compadd is only asked to count is not.
told 'compadd() {
  if [[ " $* " == *" -"[OAD]" "* ]]; then builtin compadd "$@"; return; fi
  local -a offered
  builtin compadd -O offered "$@"
  print -r -- "{offered:"$^offered"}"
}'
told 'bindkey "^I" list-choices'
for line in "$@"; do
  told "$line"$'\t\x15'
  for word in ${(f)"$(print -r -- $REPLY | grep -o '{offered:[^}]*}')"}; do
    print -r -- "$line"$'\t'"${${word#\{offered:}%\}}"
  done
done
zpty -d shell
