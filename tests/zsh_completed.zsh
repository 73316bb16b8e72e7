# Prints the words that zsh itself offers after each of some lines, in a pseudo terminal: "LINE<tab>WORD" for each word.
#   zsh -f zsh_completed.zsh FOLDER LINE…     (FOLDER has _tapedeck)
zmodload zsh/zpty || exit 2
folder=$1
shift
zpty shell zsh -f -i

# told TEXT: types the text, and sets REPLY to the output until a following command has run.
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
# The offered words are printed as well, but not those that compadd only counts.
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
