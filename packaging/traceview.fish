# Completion for fish. What can follow is known to the program itself: "traceview --complete".
function __traceview_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct | string unescape)
    set -l answer ($words[1] --complete (math (count $words) - 1) $words[2..] "$current" 2>/dev/null)
    printf '%s\n' $answer[2..]
    set -l files (string split ' ' -- $answer[1])
    test $files[1] = none; and return
    # Of "--output=na" the file is "na", and the rest stands before each answer.
    set -l before (string match -r '^--[^=]*=' -- $current)
    set -l path (string replace -r '^--[^=]*=' '' -- $current)
    for file in (__fish_complete_path "$path" | string replace -r '\t.*' '')
        if test $files[1] = any; or string match -q '*/' -- $file
            echo "$before$file"
            continue
        end
        for end in $files[2..]
            string match -q "*$end" -- $file; and echo "$before$file"; and break
        end
    end
end
complete -c traceview -f -a '(__traceview_complete)'
