/*
 * The columns of the tables of a trace: name, type, and how a cell is taken from what a row is
 * about.
 */
#ifndef TV_EXPORT_TABLES_TRACE_COLUMNS_H
#define TV_EXPORT_TABLES_TRACE_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/selection/sums.h"
#include "export/export.h"
#include "export/tables/table.h"
#include "export/walk/call_walk.h"
#include "index/index.h"

/* Whose texts a column has: those of threads, or one of six of each method. */
enum tv_texts_kind {
    TV_TEXTS_THREAD,
    TV_TEXTS_CLASS,
    TV_TEXTS_METHOD, /* class, name and signature */
    TV_TEXTS_NAME,
    TV_TEXTS_SIGNATURE,
    TV_TEXTS_FILE,
    TV_TEXTS_ID,
    TV_TEXTS_COUNT
};

/* What a row is about. A table sets what its columns ask for. */
struct tv_row_subject {
    const struct tv_index *index;
    /* The number of each thread's, or method's, text among the texts of a kind. */
    const uint32_t *const *entry_of;
    uint32_t thread_ix;
    uint64_t process_id; /* of the thread's process */
    uint32_t method_ix;
    int64_t number; /* of the call or the node */
    int64_t outer;  /* of the call that made it, or the node above it; TV_ABSENT: none */
    uint32_t level; /* 0: nothing shown is around it */
    bool is_recursive;
    int64_t line;                      /* of a method; TV_ABSENT: not known */
    const struct tv_call_event *event; /* of a call */
    struct tv_numbers numbers;
    uint64_t recursive_calls;
};

/* Which traces have a column. */
enum tv_column_need {
    TV_NEEDS_NOTHING,
    TV_NEEDS_WALL,
    TV_NEEDS_CPU,
    TV_NEEDS_ANY_CLOCK,
    TV_NEEDS_BOTH_CLOCKS,
    TV_NEEDS_PROCESSES,
};

struct tv_column_source {
    const char *name;
    enum tv_column_type type;
    enum tv_column_need need;
    bool may_be_absent;
    bool is_repeated;         /* as in struct tv_column */
    enum tv_texts_kind texts; /* of TV_COLUMN_TEXT */
    int64_t (*cell)(const struct tv_row_subject *subject);
};

struct tv_table_source {
    const struct tv_column_source *columns;
    size_t count; /* at most TV_COLUMN_LIMIT */
};

/* The columns of each table, by enum tv_export_table. The first one is the table's key. */
extern const struct tv_table_source tv_table_sources[];

#endif
