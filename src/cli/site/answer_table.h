/* A list of a JSON answer as a table: rows are objects, and each column is a value that a path
 * names. */
#ifndef TV_CLI_SITE_ANSWER_TABLE_H
#define TV_CLI_SITE_ANSWER_TABLE_H

#include <stddef.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/wording.h"

enum tv_answer_kind {
    TV_ANSWER_TEXT, /* as it stands there */
    TV_ANSWER_COUNT,
    TV_ANSWER_MS,    /* of nanoseconds */
    TV_ANSWER_RANGE, /* the path is that of an array of two: "old.calls" */
    TV_ANSWER_METHOD /* the last column: class, name and signature of the row */
};
struct tv_answer_column {
    const char *header; /* static */
    const char *path;   /* "old.time_ns", "worst.0.name"; empty for a method */
    enum tv_answer_kind kind;
};
#define TV_ANSWER_COLUMNS_MOST 12u

struct tv_answered_list {
    const char *key; /* of the answer: an array of objects */
    const struct tv_answer_column *columns;
    size_t column_count;
};

/* Adds the table of a list to `out`; *count (may be NULL) is how many rows there are. A list
 * without rows adds nothing. TV_ERR_FORMAT: the answer is no JSON. */
enum tv_code tv_answer_table_add(const struct tv_cli *cli, struct tv_str answer,
                                 const struct tv_answered_list *list, struct tv_text *out,
                                 size_t *count, struct tv_error *err) TV_MUST_CHECK;
/* The value at a path of the whole answer, as it stands there between its quotes; empty: there is
 * none. */
enum tv_code tv_answer_value(struct tv_str answer, const char *path, struct tv_str *raw,
                             struct tv_error *err) TV_MUST_CHECK;

#endif
