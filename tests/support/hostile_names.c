#include "support/hostile_names.h"

const struct tv_str hostile_names[HOSTILE_NAME_COUNT] = {
    /* Lines and columns of files. */
    {"two\nlines", 9},
    {"re\rturn", 7},
    {"tab\tand 9\tmore", 14},
    {"1\tforged", 8},
    {"back\\slash", 10},
    {"\\x41", 4},
    {"<<<<<<< HEAD", 12},
    {"# a note", 8},
    /* Logs of build machines. */
    {"x\n::error file=a.c,line=1::owned", 32},
    {"##[group]owned", 14},
    {"x\n::set-output name=a::b", 24},
    /* Markdown, and what GitHub and GitLab make of it. */
    {"|cell|`code` **bold**", 21},
    {"@team #1 !2 [a](javascript:b)", 29},
    {"```\n# heading", 13},
    /* Markup. */
    {"<img src=x onerror=alert(1)>]]>", 31},
    {"\"quoted\" & 'quoted'", 19},
    /* Terminals, and what cannot be seen. */
    {"\x1b]0;title\a\x1b[31m", 15},
    {"\xe2\x80\xae"
     "reversed",
     11},
    /* No text at all: a byte that is no UTF-8, a zero, and the character for such bytes. */
    {"\xff\xfe\0zero", 7},
    {"\xef\xbf\xbd", 3},
};
