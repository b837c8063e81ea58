/*
 * The columns of the tables; see export/tables/trace_columns.h.
 *
 * For each column there is one function, which takes its cell from the subject of the row (struct
 * tv_row_subject), and one row of a table with name, type and what the trace must have. A cell of a
 * text is an entry of its dictionary. A new column is a function and a row here, and a line in
 * docs/export.md.
 */
#include "export/tables/trace_columns.h"

#include "base/compiler.h"

/* Times and counts are signed in every table, so that differences of them are numbers too. More
 * than 292 years have only broken files. */
static int64_t signed_of(uint64_t value)
{
    return value < INT64_MAX ? (int64_t)value : INT64_MAX;
}

static int64_t text_of(const struct tv_row_subject *subject, enum tv_texts_kind kind, uint32_t of)
{
    return subject->entry_of[kind][of];
}

static int64_t number(const struct tv_row_subject *subject)
{
    return subject->number;
}

static int64_t outer(const struct tv_row_subject *subject)
{
    return subject->outer;
}

static int64_t level(const struct tv_row_subject *subject)
{
    return subject->level;
}

static int64_t is_recursive(const struct tv_row_subject *subject)
{
    return subject->is_recursive;
}

static int64_t thread_id(const struct tv_row_subject *subject)
{
    return subject->index->threads[subject->thread_ix].id;
}

static int64_t thread_name(const struct tv_row_subject *subject)
{
    return text_of(subject, TV_TEXTS_THREAD, subject->thread_ix);
}

static int64_t process_id(const struct tv_row_subject *subject)
{
    return signed_of(subject->process_id);
}

/* Of a method */

static int64_t rank(const struct tv_row_subject *subject)
{
    return subject->index->methods[subject->method_ix].rank;
}

static int64_t id(const struct tv_row_subject *subject)
{
    return text_of(subject, TV_TEXTS_ID, subject->method_ix);
}

static int64_t class_name(const struct tv_row_subject *subject)
{
    return text_of(subject, TV_TEXTS_CLASS, subject->method_ix);
}

static int64_t method(const struct tv_row_subject *subject)
{
    return text_of(subject, TV_TEXTS_METHOD, subject->method_ix);
}

static int64_t name(const struct tv_row_subject *subject)
{
    return text_of(subject, TV_TEXTS_NAME, subject->method_ix);
}

static int64_t signature(const struct tv_row_subject *subject)
{
    return text_of(subject, TV_TEXTS_SIGNATURE, subject->method_ix);
}

static int64_t file(const struct tv_row_subject *subject)
{
    return text_of(subject, TV_TEXTS_FILE, subject->method_ix);
}

static int64_t line(const struct tv_row_subject *subject)
{
    return subject->line;
}

/* Of one call */

static int64_t call_node(const struct tv_row_subject *subject)
{
    return subject->event->node;
}

static int64_t start(const struct tv_row_subject *subject)
{
    return signed_of(subject->event->start_ns[tv_index_axis(subject->index)]);
}

static int64_t start_cpu(const struct tv_row_subject *subject)
{
    return signed_of(subject->event->start_ns[TV_CLOCK_CPU]);
}

static int64_t call_duration(const struct tv_call_event *event, enum tv_clock clock)
{
    return signed_of(event->end_ns[clock] - event->start_ns[clock]);
}

static int64_t call_wall(const struct tv_row_subject *subject)
{
    return call_duration(subject->event, TV_CLOCK_WALL);
}

static int64_t call_cpu(const struct tv_row_subject *subject)
{
    return call_duration(subject->event, TV_CLOCK_CPU);
}

static int64_t call_exclusive_wall(const struct tv_row_subject *subject)
{
    return signed_of(subject->event->exclusive_ns[TV_CLOCK_WALL]);
}

static int64_t call_exclusive_cpu(const struct tv_row_subject *subject)
{
    return signed_of(subject->event->exclusive_ns[TV_CLOCK_CPU]);
}

static int64_t is_adopted(const struct tv_row_subject *subject)
{
    return subject->event->is_adopted;
}

static int64_t is_open_at_end(const struct tv_row_subject *subject)
{
    return subject->event->is_open_at_end;
}

static int64_t is_cut(const struct tv_row_subject *subject)
{
    return subject->event->is_cut;
}

/* Sums */

static int64_t calls(const struct tv_row_subject *subject)
{
    return signed_of(subject->numbers.calls);
}

static int64_t recursive_calls(const struct tv_row_subject *subject)
{
    return signed_of(subject->recursive_calls);
}

static int64_t inclusive_wall(const struct tv_row_subject *subject)
{
    return signed_of(subject->numbers.inclusive_ns[TV_CLOCK_WALL]);
}

static int64_t inclusive_cpu(const struct tv_row_subject *subject)
{
    return signed_of(subject->numbers.inclusive_ns[TV_CLOCK_CPU]);
}

static int64_t exclusive_wall(const struct tv_row_subject *subject)
{
    return signed_of(subject->numbers.exclusive_ns[TV_CLOCK_WALL]);
}

static int64_t exclusive_cpu(const struct tv_row_subject *subject)
{
    return signed_of(subject->numbers.exclusive_ns[TV_CLOCK_CPU]);
}

/* The columns that several tables have. */
#define THREAD_ID                                                                                  \
    {                                                                                              \
        .name = "thread_id", .type = TV_COLUMN_U32, .cell = thread_id                              \
    }
#define THREAD(is_elsewhere)                                                                       \
    {                                                                                              \
        .name = "thread", .type = TV_COLUMN_TEXT, .is_repeated = (is_elsewhere),                   \
        .texts = TV_TEXTS_THREAD, .cell = thread_name                                              \
    }
#define DEPTH                                                                                      \
    {                                                                                              \
        .name = "depth", .type = TV_COLUMN_U32, .cell = level                                      \
    }
#define RANK                                                                                       \
    {                                                                                              \
        .name = "rank", .type = TV_COLUMN_U32, .cell = rank                                        \
    }
#define RECURSIVE                                                                                  \
    {                                                                                              \
        .name = "recursive", .type = TV_COLUMN_TRUTH, .cell = is_recursive                         \
    }
#define METHOD_TEXT(column, kind, is_elsewhere, of)                                                \
    {                                                                                              \
        .name = (column), .type = TV_COLUMN_TEXT, .is_repeated = (is_elsewhere), .texts = (kind),  \
        .cell = (of)                                                                               \
    }
#define TIME(column, needed, of)                                                                   \
    {                                                                                              \
        .name = (column), .type = TV_COLUMN_I64, .need = (needed), .cell = (of)                    \
    }
#define INCLUSIVE                                                                                  \
    TIME("inclusive_wall_ns", TV_NEEDS_WALL, inclusive_wall),                                      \
        TIME("inclusive_cpu_ns", TV_NEEDS_CPU, inclusive_cpu)
#define EXCLUSIVE                                                                                  \
    TIME("exclusive_wall_ns", TV_NEEDS_WALL, exclusive_wall),                                      \
        TIME("exclusive_cpu_ns", TV_NEEDS_CPU, exclusive_cpu)

static const struct tv_column_source call_columns[] = {
    {.name = "call", .type = TV_COLUMN_I64, .cell = number},
    {.name = "caller", .type = TV_COLUMN_I64, .may_be_absent = true, .cell = outer},
    THREAD_ID,
    THREAD(true),
    DEPTH,
    {.name = "node", .type = TV_COLUMN_U32, .cell = call_node},
    RANK,
    METHOD_TEXT("class", TV_TEXTS_CLASS, true, class_name),
    METHOD_TEXT("method", TV_TEXTS_METHOD, true, method),
    TIME("start_ns", TV_NEEDS_ANY_CLOCK, start),
    TIME("wall_ns", TV_NEEDS_WALL, call_wall),
    TIME("exclusive_wall_ns", TV_NEEDS_WALL, call_exclusive_wall),
    TIME("start_cpu_ns", TV_NEEDS_BOTH_CLOCKS, start_cpu),
    TIME("cpu_ns", TV_NEEDS_CPU, call_cpu),
    TIME("exclusive_cpu_ns", TV_NEEDS_CPU, call_exclusive_cpu),
    RECURSIVE,
    {.name = "adopted", .type = TV_COLUMN_TRUTH, .cell = is_adopted},
    {.name = "open_at_end", .type = TV_COLUMN_TRUTH, .cell = is_open_at_end},
    {.name = "cut", .type = TV_COLUMN_TRUTH, .cell = is_cut},
};

static const struct tv_column_source node_columns[] = {
    {.name = "node", .type = TV_COLUMN_I64, .cell = number},
    {.name = "parent", .type = TV_COLUMN_I64, .may_be_absent = true, .cell = outer},
    THREAD_ID,
    THREAD(true),
    DEPTH,
    RANK,
    METHOD_TEXT("class", TV_TEXTS_CLASS, true, class_name),
    METHOD_TEXT("method", TV_TEXTS_METHOD, true, method),
    RECURSIVE,
    {.name = "calls", .type = TV_COLUMN_I64, .cell = calls},
    INCLUSIVE,
    EXCLUSIVE,
};

static const struct tv_column_source method_columns[] = {
    RANK,
    METHOD_TEXT("id", TV_TEXTS_ID, false, id),
    METHOD_TEXT("class", TV_TEXTS_CLASS, false, class_name),
    METHOD_TEXT("name", TV_TEXTS_NAME, false, name),
    METHOD_TEXT("signature", TV_TEXTS_SIGNATURE, false, signature),
    METHOD_TEXT("method", TV_TEXTS_METHOD, false, method),
    METHOD_TEXT("file", TV_TEXTS_FILE, false, file),
    {.name = "line", .type = TV_COLUMN_I64, .may_be_absent = true, .cell = line},
    {.name = "calls", .type = TV_COLUMN_I64, .cell = calls},
    {.name = "recursive_calls", .type = TV_COLUMN_I64, .cell = recursive_calls},
    INCLUSIVE,
    EXCLUSIVE,
};

static const struct tv_column_source thread_columns[] = {
    THREAD_ID,
    THREAD(false),
    {.name = "process_id", .type = TV_COLUMN_I64, .need = TV_NEEDS_PROCESSES, .cell = process_id},
    {.name = "calls", .type = TV_COLUMN_I64, .cell = calls},
    TIME("wall_ns", TV_NEEDS_WALL, inclusive_wall),
    TIME("cpu_ns", TV_NEEDS_CPU, inclusive_cpu),
};

const struct tv_table_source tv_table_sources[] = {
    [TV_EXPORT_CALLS] = {call_columns, TV_COUNT_OF(call_columns)},
    [TV_EXPORT_NODES] = {node_columns, TV_COUNT_OF(node_columns)},
    [TV_EXPORT_METHODS] = {method_columns, TV_COUNT_OF(method_columns)},
    [TV_EXPORT_THREADS] = {thread_columns, TV_COUNT_OF(thread_columns)},
};
