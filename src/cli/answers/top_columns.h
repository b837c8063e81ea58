/*
 * The columns of top, by the words of --columns. The last column is always the name, since it alone
 * fits itself to the terminal.
 */
#ifndef TV_CLI_ANSWERS_TOP_COLUMNS_H
#define TV_CLI_ANSWERS_TOP_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/question/top_question.h"
#include "base/compiler.h"
#include "base/error.h"
#include "cli/answers/profile_table.h"

#define TV_TOP_COLUMN_LIMIT 22u

struct tv_top_columns {
    uint8_t of[TV_TOP_COLUMN_LIMIT]; /* places in the list of all columns, in order */
    size_t count;
};

/* What a column needs that costs a look at more than the profile. */
enum {
    TV_TOP_NEEDS_PERCENTILES = 1, /* of single calls */
    TV_TOP_NEEDS_OVERHEAD = 2,    /* of tracing */
    TV_TOP_NEEDS_STAYED = 4,      /* the CPU time of samples that is certain */
    TV_TOP_NEEDS_ALLOCATED = 8    /* the bytes that methods allocated */
};

/* What the columns depend on besides the words of the user. */
struct tv_top_columns_for {
    enum tv_top_rows rows;
    enum tv_measure measure;
    bool has_wall; /* wall time is shown beside CPU time: a method may wait longer than it works */
    bool has_per_call;  /* the standard columns include those of single calls */
    bool has_overhead;  /* and what tracing costs */
    bool has_allocated; /* and the bytes that methods allocated */
    bool has_stayed;    /* and the CPU time of samples that is certain */
};

/* The words of all columns for help, whose texts are constants. The table in top_columns.c has them
 * too; tests/checks/words.py compares help and manual with the table. */
#define TV_TOP_COLUMN_WORDS                                                                        \
    "excl, excl%, cum%, incl, incl%, wall, calls, mean, min, p50, p95, max, tracing, margin, "     \
    "net, stayed, alloc, alloc-incl, rank, id, file, methods"

/* Looks over a list of --columns before any file is read; NULL is none. TV_ERR_ARGUMENT: there is
 * no such column, rows of this kind have none, or the list has it twice. */
enum tv_code tv_top_columns_check(const char *list, enum tv_top_rows rows,
                                  struct tv_error *err) TV_MUST_CHECK;
/* Takes the standard columns; or those of a checked list, "rank,excl"; or with a "+" before the
 * list both, each once. TV_ERR_ARGUMENT: the measure has no such column. */
enum tv_code tv_top_columns_take(struct tv_top_columns *columns, const char *list,
                                 const struct tv_top_columns_for *what,
                                 struct tv_error *err) TV_MUST_CHECK;
/* What the columns need beside times and calls: the sum of some TV_TOP_NEEDS_... */
unsigned tv_top_columns_needs(const struct tv_top_columns *columns);
/* Adds the columns, and the rows of the answer's slice. */
void tv_top_columns_write(const struct tv_top_columns *columns, struct tv_profile_table *table,
                          const struct tv_top *top, const struct tv_top_question *question);

#endif
