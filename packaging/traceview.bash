# Completion for bash: the program itself knows its verbs and options.
_traceview()
{
    local word=${COMP_WORDS[COMP_CWORD]}
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(traceview --words 2>/dev/null)" -- "$word"; compgen -f -- "$word")
    elif [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(traceview --words "${COMP_WORDS[1]}" 2>/dev/null)" -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}
complete -o filenames -F _traceview traceview
