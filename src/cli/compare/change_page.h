/*
 * What changed from one recording to another, or from some to others, as one page, to be attached
 * to a pull request: the tables of diff, what has more and less time as a flame graph, and what is
 * gone as another one. It has no script and needs nothing else; the traces are not in it.
 */
#ifndef TV_CLI_COMPARE_CHANGE_PAGE_H
#define TV_CLI_COMPARE_CHANGE_PAGE_H

#include "cli/answers/question.h"
#include "cli/cli.h"
#include "compare/hand_match.h"

struct tv_change_page {
    const char *const *files;     /* the old ones first */
    size_t counts[TV_SIDE_COUNT]; /* of each side, 1 or more */
    const struct tv_cli *old_cli; /* by which the old ones are loaded: it has their mapping */
    const char *out;
    const char *title; /* NULL: none is given */
    const char *note;
    /* Range, threads and clock; the clock may be NULL, and is no wait. */
    const struct tv_scope_options *scope;
    struct tv_hand_matches *matches; /* of methods; none of them was looked up yet */
};

/* Loads all of them, and writes the page. Returns a status, and tells what is wrong. */
int tv_change_page_write(const struct tv_cli *cli, const struct tv_change_page *page);

#endif
