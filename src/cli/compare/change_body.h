/*
 * What changed from one trace to another, or from some runs to others, for a page to be attached to
 * a pull request: the tables of diff, what has more and less time as a flame graph, and what is
 * gone as another one, both of the most typical run of each side. It is markup without a script and
 * without a style.
 */
#ifndef TV_CLI_COMPARE_CHANGE_BODY_H
#define TV_CLI_COMPARE_CHANGE_BODY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text/out.h"
#include "cli/answers/question.h"
#include "compare/change.h"
#include "compare/hand_match.h"
#include "export/flame/flame.h"

struct tv_change_body {
    const struct tv_cli *cli;
    struct tv_asking *const *runs; /* loaded, the old ones first */
    size_t counts[TV_SIDE_COUNT];  /* of each side, 1 or more */
    /* Range, threads and clock; the clock may be NULL, and is no wait. */
    const struct tv_scope_options *scope;
    struct tv_hand_matches *matches; /* of methods; NULL: none are matched by hand */
    bool is_part;                    /* the traces are parts of others already */
    uint64_t most_rows;              /* of each list; five stand open, and the others are folded */
    struct tv_flame_look look;
};

/* Writes the body, and notes in the matches which methods they name. Returns a status, and tells
 * what is wrong. */
int tv_change_body_put(const struct tv_change_body *body, struct tv_out *out);

#endif
