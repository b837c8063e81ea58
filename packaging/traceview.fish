# Completion for fish: the program itself knows its verbs and options.
complete -c traceview -n __fish_use_subcommand -a '(traceview --words 2>/dev/null)'
complete -c traceview -n 'not __fish_use_subcommand' -a '(traceview --words (commandline -opc)[2] 2>/dev/null)'
