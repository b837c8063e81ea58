# Completion for bash: the program itself knows its verbs and options, and the values of some.
_traceview()
{
    local word=${COMP_WORDS[COMP_CWORD]}
    local first=${COMP_WORDS[1]}
    local values
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(traceview --words 2>/dev/null)" -- "$word"; compgen -f -- "$word")
    elif [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(traceview --words "$first" 2>/dev/null)" -- "$word")
    elif values=$(traceview --words "$first" "${COMP_WORDS[COMP_CWORD - 1]}" 2>/dev/null) && [ -n "$values" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}
complete -o filenames -F _traceview traceview
