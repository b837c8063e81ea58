/*
 * The branches before the rows of a tree: which levels have a line depends on the rows that follow,
 * so all rows are known before the first is written.
 */
#ifndef TV_CLI_TERMINAL_BRANCHES_H
#define TV_CLI_TERMINAL_BRANCHES_H

#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "cli/terminal/terminal.h"
#include "cli/wording.h"

/* Columns of one level. */
#define TV_BRANCH_WIDTH 2u

struct tv_branch_row;

struct tv_branches {
    const struct tv_alloc *alloc;
    struct tv_branch_row *rows;
    size_t count;
    size_t cap;
    uint32_t deepest; /* the largest level */
};

void tv_branches_init(struct tv_branches *branches, const struct tv_alloc *alloc);
void tv_branches_release(struct tv_branches *branches);
/* Adds a row behind the others; level 0 is a root. */
enum tv_code tv_branches_row(struct tv_branches *branches, uint32_t level,
                             struct tv_error *err) TV_MUST_CHECK;
/* Finds out which rows have siblings below them, when all rows are there. */
enum tv_code tv_branches_find(struct tv_branches *branches, struct tv_error *err) TV_MUST_CHECK;
/*
 * Writes what stands before the name of a row, in at most `most` columns; returns how many. Rows
 * that are deeper than that hang below each other, with the number of their level. Without a
 * terminal, levels are blanks.
 */
size_t tv_branches_add(const struct tv_branches *branches, struct tv_text *out,
                       const struct tv_terminal *terminal, size_t row, size_t most);

#endif
