# Completion for bash. What can follow is known to the program itself: "traceview --complete".

# Bash takes words apart at = and : too. Puts them together again in __traceview_words, and finds the current one.
__traceview_join()
{
    local line=$COMP_LINE word i
    __traceview_words=()
    for i in "${!COMP_WORDS[@]}"; do
        word=${COMP_WORDS[i]}
        if ((i == 0)) || [[ $line == [[:blank:]]* || -z $line ]]; then
            __traceview_words+=("$word")
        else
            __traceview_words[-1]+=$word
        fi
        line=${line#"${line%%[![:blank:]]*}"}
        line=${line#"$word"}
        ((i == COMP_CWORD)) && __traceview_current=$((${#__traceview_words[@]} - 1))
    done
}

# Adds the files that can stand here: "any", "folders", or "ending" with the ends of their names. Folders always can.
__traceview_add_files()
{
    local word=$1 file end
    shift
    while IFS= read -r file; do
        if [[ $1 == any || -d ${file/#\~\//$HOME/} ]]; then
            COMPREPLY+=("$file")
            continue
        fi
        for end in "${@:2}"; do
            [[ $file == *"$end" ]] && COMPREPLY+=("$file") && break
        done
    done < <(compgen -f -- "$word")
}

_traceview()
{
    local __traceview_words __traceview_current i answer word before
    __traceview_join
    # Without the quotes and backslashes that bash needs and the program does not.
    for i in "${!__traceview_words[@]}"; do
        word=${__traceview_words[i]//\\/}
        word=${word#[\"\']}
        __traceview_words[i]=${word%[\"\']}
    done
    mapfile -t answer < <("$1" --complete $((__traceview_current - 1)) "${__traceview_words[@]:1}" 2>/dev/null)
    # Bash replaces only what stands behind the last = or : of the word.
    word=${__traceview_words[__traceview_current]}
    before=
    [[ $COMP_WORDBREAKS == *[=:]* ]] && before=${word%"${word##*[=:]}"}
    COMPREPLY=()
    for i in "${answer[@]:1}"; do
        i=${i%%$'\t'*}
        COMPREPLY+=("${i#"$before"}")
    done
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *. ]] && compopt -o nospace
    compopt -o filenames
    # shellcheck disable=SC2086
    [[ ${answer[0]} != none ]] && __traceview_add_files "${word#"$before"}" ${answer[0]}
}
complete -F _traceview traceview
