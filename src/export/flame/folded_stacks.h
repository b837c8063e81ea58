/*
 * Reading folded stacks, the text that flamegraph.pl draws: a stack a line, `a;b;c 12`, its frames
 * from the outermost on, then how much was spent in the last of them.
 *
 * The number may have decimals. Two numbers are those of a comparison, `a;b;c 12 15`: a file has
 * them in all its lines or is none; the second one counts then. Empty frames at the end of a stack
 * count as none. Lines that begin with "# " are comments. Any other line is counted as bad, and
 * nothing is made of it. The text may hold any bytes.
 */
#ifndef TV_EXPORT_FLAME_FOLDED_STACKS_H
#define TV_EXPORT_FLAME_FOLDED_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"
#include "export/flame/stack_tree.h"

/* Where numbers have decimals, the tree's values are thousandths. */
#define TV_FOLDED_SCALE 1000u

struct tv_folded_opts {
    bool is_in_order; /* the tree is in the order of the lines; else merged */
    /* Stacks begin with the outermost frame of this name; others are left out. Empty: whole stacks.
     */
    struct tv_str root;
};

/* What was found. */
struct tv_folded {
    uint64_t lines; /* that have a stack */
    uint64_t bad_lines;
    uint64_t first_bad_line; /* counted from 1 */
    bool has_decimals;       /* values are in TV_FOLDED_SCALE-ths */
    bool is_comparison;      /* all lines have two numbers */
};

/* Whether the first line that is no comment has a stack and a number, however long it is, and
 * nothing up to its end is a byte that text has not. What is a trace has to be known before. */
bool tv_folded_begins(struct tv_str text);
/* Fills an initialised tree and ends it; the text is borrowed by the tree. TV_ERR_FORMAT: no line
 * has a stack with something spent in it. */
enum tv_code tv_folded_read(struct tv_str text, const struct tv_folded_opts *opts,
                            struct tv_stack_tree *tree, struct tv_folded *found,
                            struct tv_error *err) TV_MUST_CHECK;

#endif
