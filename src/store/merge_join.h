/* Rows of files and files, side by side in the order of their names: for who compares them. */
#ifndef TV_STORE_MERGE_JOIN_H
#define TV_STORE_MERGE_JOIN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/error.h"
#include "store/store.h"

#define TV_MERGE_JOIN_PAGE 256u

struct tv_merge_join {
    struct tv_store *store;
    struct tv_file_row rows[TV_MERGE_JOIN_PAGE];
    struct tv_hash names[TV_MERGE_JOIN_PAGE];
    size_t row, row_count, name, name_count;
    struct tv_hash last_row, last_name; /* of the pages before; empty: these are the first */
    bool no_more_rows, no_more_names;
};

struct tv_merge_join_file {
    struct tv_hash name;
    const struct tv_file_row *row; /* NULL: a file without a row; until the next one */
    bool is_file;                  /* false: a row without a file */
};

/* A store changes while it is gone through: what was added or removed meanwhile may look as if its
 * other half were missing, so whoever finds that looks at the two halves again. */
void tv_merge_join_init(struct tv_merge_join *merged, struct tv_store *store);
/* *has is false at the end. */
enum tv_code tv_merge_join_next(struct tv_merge_join *merged, struct tv_merge_join_file *file,
                                bool *has, struct tv_error *err) TV_MUST_CHECK;

#endif
