/*
 * The parts of a function's name; see base/names/function_name.h.
 *
 * Names of C++ have brackets in which "::", blanks and parentheses mean nothing, so brackets are
 * counted; operators such as "operator<" have brackets that are none. The last "::" outside of
 * brackets divides scope and name.
 */
#include "base/names/function_name.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static struct tv_str part(struct tv_str name, size_t from, size_t to)
{
    return (struct tv_str){name.at + from, to - from};
}

static bool is_operator_at(struct tv_str name, size_t at)
{
    static const char word[] = "operator";
    size_t len = sizeof(word) - 1;
    return at >= len && memcmp(name.at + at - len, word, len) == 0;
}

/* Where the "(" of the arguments is: the one that belongs to the last ")", unless that is within
 * other brackets, as a tuple of Rust. name.len: there is none. */
static size_t arguments_at(struct tv_str name)
{
    size_t depth = 0;
    for (size_t at = name.len; at-- > 0;) {
        if (!depth && (name.at[at] == '>' || name.at[at] == '}'))
            return name.len;
        depth += name.at[at] == ')';
        if (name.at[at] == '(' && depth && --depth == 0)
            return is_operator_at(name, at) ? name.len : at;
    }
    return name.len;
}

/* Whether the "<" or ">" at this place is no bracket: of an operator, or an arrow. */
static bool is_no_bracket(struct tv_str name, size_t at)
{
    if (name.at[at] == '>' && at && name.at[at - 1] == '-')
        return true;
    while (at && strchr("<>=-", name.at[at - 1]))
        at--;
    return is_operator_at(name, at);
}

struct tv_function_name tv_function_name_part(struct tv_str name)
{
    size_t end = arguments_at(name);
    size_t depth = 0;
    size_t begin = 0; /* behind the type that a template's name begins with */
    size_t last = 0;  /* behind the last "::" outside of brackets */
    size_t scope_end = 0;
    for (size_t at = 0; at < end; at++) {
        char c = name.at[at];
        if (strchr("<([{", c) && !is_no_bracket(name, at))
            depth++;
        if (strchr(">)]}", c) && depth && !is_no_bracket(name, at))
            depth--;
        if (depth)
            continue;
        if (c == ' ' && !is_operator_at(name, at)) {
            begin = at + 1;
            last = scope_end = begin;
        }
        if (c == ':' && at && name.at[at - 1] == ':') {
            last = at + 1;
            scope_end = at - 1;
        }
    }
    return (struct tv_function_name){.scope = part(name, begin, scope_end),
                                     .name = part(name, last, end),
                                     .signature = part(name, end, name.len)};
}
