# fish completion for tapedeck: the program itself lists the words, each with a description.
function __tapedeck_complete
  set -l words (commandline -opc)
  set -l word (commandline -ct)
  test -n "$word"; or set word ''
  for line in ($words[1] --complete $words[2..] $word 2>/dev/null)
    switch $line
      case ':files' ':command*'
        __fish_complete_path "$word"
      case '*'
        echo $line
    end
  end
end
complete -c tapedeck -f -a '(__tapedeck_complete)'
