# Completion for fish: the program itself knows its verbs and options, and the values of some.
function __traceview_values
    set -l words (commandline -opc)
    test (count $words) -gt 2; and traceview --words $words[2] $words[-1] 2>/dev/null
end
complete -c traceview -n 'test (count (commandline -opc)) -eq 1' -a '(traceview --words 2>/dev/null)'
complete -c traceview -n 'test (count (commandline -opc)) -gt 1; and test -z "$(__traceview_values | string collect)"' -a '(traceview --words (commandline -opc)[2] 2>/dev/null)'
complete -c traceview -f -n 'test -n "$(__traceview_values | string collect)"' -a '(__traceview_values)'
