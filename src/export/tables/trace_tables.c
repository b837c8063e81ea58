/*
 * The tables of a trace; see export/tables/trace_tables.h.
 *
 * A table gathers its dictionaries first, of what is shown and nothing else. Then rows are
 * gathered, column by column, and go to the form in batches.
 */
#include "export/tables/trace_tables.h"

#include <stdio.h>

#include "analysis/profile/profile.h"
#include "base/memory/buffer.h"
#include "export/tables/text_set.h"
#include "export/tables/trace_columns.h"

const char *const tv_export_table_words[] = {"calls", "nodes", "methods", "threads", NULL};

/* Rows that wait for the form. */
struct waiting {
    int64_t cells[TV_COLUMN_LIMIT][TV_ROWS_LIMIT];
    size_t len;
};

struct writing {
    struct tv_export_context *context;
    const struct tv_table_form *form;
    void *state; /* of the form */
    struct tv_table table;
    /* Where each column of `table` comes from. */
    const struct tv_column_source *sources[TV_COLUMN_LIMIT];
    struct tv_text_set texts[TV_TEXTS_COUNT];
    uint32_t *entries[TV_TEXTS_COUNT]; /* one per thread or method; NULL where no column asks */
    struct tv_buffer name;
    struct waiting *waiting;
    struct tv_row_subject subject;
};

/* Columns of a clock that the trace has not are left out of the table, rather than filled with
 * nothing. */
static bool is_there(const struct tv_index *index, enum tv_column_need need)
{
    const uint32_t *has_clock = index->info->has_clock;
    switch (need) {
    case TV_NEEDS_NOTHING:
        return true;
    case TV_NEEDS_WALL:
        return has_clock[TV_CLOCK_WALL];
    case TV_NEEDS_CPU:
        return has_clock[TV_CLOCK_CPU];
    case TV_NEEDS_ANY_CLOCK:
        return has_clock[TV_CLOCK_WALL] || has_clock[TV_CLOCK_CPU];
    case TV_NEEDS_BOTH_CLOCKS:
        return has_clock[TV_CLOCK_WALL] && has_clock[TV_CLOCK_CPU];
    case TV_NEEDS_PROCESSES:
        return index->process_count;
    }
    return false;
}

/* Dictionaries */

static size_t count_of(const struct tv_index *index, enum tv_texts_kind kind)
{
    return kind == TV_TEXTS_THREAD ? index->thread_count : index->method_count;
}

/* The text of a method; `room` is for one that is put together. */
static enum tv_code text_of(const struct tv_export_context *context, enum tv_texts_kind kind,
                            uint32_t method_ix, struct tv_buffer *room, struct tv_str *text,
                            struct tv_error *err)
{
    const struct tv_export_method *method = &context->names.methods[method_ix];
    char id[24];
    switch (kind) {
    case TV_TEXTS_CLASS:
        *text = method->class_name;
        break;
    case TV_TEXTS_NAME:
        *text = method->name;
        break;
    case TV_TEXTS_SIGNATURE:
        *text = method->signature;
        break;
    case TV_TEXTS_FILE:
        *text = method->file;
        break;
    case TV_TEXTS_METHOD:
        TV_TRY(tv_export_whole_name(method, room, err));
        *text = tv_buffer_view(room);
        break;
    case TV_TEXTS_ID:
        (void)snprintf(id, sizeof(id), "0x%llx",
                       (unsigned long long)context->index->methods[method_ix].id);
        room->len = 0;
        TV_TRY(tv_buffer_append(room, id, tv_str_from(id).len, err));
        *text = tv_buffer_view(room);
        break;
    case TV_TEXTS_THREAD:
    case TV_TEXTS_COUNT:
        break;
    }
    return TV_OK;
}

/* Texts of methods that no row has stay out of the dictionary: it is written whole. */
static enum tv_code add_methods(struct writing *writing, enum tv_texts_kind kind,
                                const uint8_t *is_used, struct tv_error *err)
{
    const struct tv_export_context *context = writing->context;
    for (uint32_t i = 0; i < context->index->method_count; i++) {
        struct tv_str text = {NULL, 0};
        if (!is_used[i])
            continue;
        TV_TRY(text_of(context, kind, i, &writing->name, &text, err));
        TV_TRY(tv_text_set_add(&writing->texts[kind], text, &writing->entries[kind][i], err));
    }
    return TV_OK;
}

static enum tv_code add_threads(struct writing *writing, struct tv_error *err)
{
    const struct tv_export_context *context = writing->context;
    for (uint32_t i = 0; i < tv_export_context_thread_count(context); i++) {
        uint32_t thread_ix = tv_selection_thread(&context->opts->scope.selection, i);
        TV_TRY(tv_text_set_add(&writing->texts[TV_TEXTS_THREAD], context->names.threads[thread_ix],
                               &writing->entries[TV_TEXTS_THREAD][thread_ix], err));
    }
    return TV_OK;
}

/* Marks the methods of the nodes that are shown. */
static void mark_used(const struct tv_export_context *context, uint8_t *is_used)
{
    const struct tv_sums *sums = &context->stacks.sums;
    for (uint32_t i = 0; i < tv_export_context_thread_count(context); i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        for (uint32_t node = nodes.first; node < nodes.end; node++)
            is_used[sums->method[node]] |= tv_sums_is_touched(sums, node);
    }
}

static enum tv_code add_texts(struct writing *writing, enum tv_texts_kind kind,
                              const uint8_t *is_used, struct tv_error *err)
{
    TV_TRY(tv_alloc_new(writing->context->alloc, &writing->entries[kind],
                        count_of(writing->context->index, kind), sizeof(uint32_t), err));
    return kind == TV_TEXTS_THREAD ? add_threads(writing, err)
                                   : add_methods(writing, kind, is_used, err);
}

/* Several columns may share a kind of texts; a kind is gathered once, and columns have a view of
 * it. */
static enum tv_code make_dictionaries(struct writing *writing, struct tv_error *err)
{
    const struct tv_export_context *context = writing->context;
    uint32_t method_count = context->index->method_count;
    uint8_t *is_used;
    enum tv_code code = TV_OK;
    TV_TRY(tv_alloc_new(context->alloc, &is_used, method_count, 1, err));
    mark_used(context, is_used);
    for (size_t c = 0; c < writing->table.column_count && code == TV_OK; c++) {
        struct tv_column *column = &writing->table.columns[c];
        enum tv_texts_kind kind = writing->sources[c]->texts;
        if (column->type != TV_COLUMN_TEXT)
            continue;
        if (!writing->entries[kind])
            code = add_texts(writing, kind, is_used, err);
        column->dictionary = tv_text_set_view(&writing->texts[kind]);
    }
    tv_alloc_release(context->alloc, &is_used, method_count, 1);
    return code;
}

/* The sources are kept beside the columns, because a table of any form knows nothing of traces. */
static void choose_columns(const struct tv_index *index, enum tv_export_table which,
                           struct tv_table *table, const struct tv_column_source **sources)
{
    const struct tv_table_source *source = &tv_table_sources[which];
    *table = (struct tv_table){.name = tv_export_table_words[which]};
    for (size_t i = 0; i < source->count; i++) {
        const struct tv_column_source *column = &source->columns[i];
        if (!is_there(index, column->need))
            continue;
        sources[table->column_count] = column;
        table->columns[table->column_count++] =
            (struct tv_column){.name = column->name,
                               .type = column->type,
                               .may_be_absent = column->may_be_absent,
                               .is_repeated = column->is_repeated};
    }
}

void tv_trace_table_describe(const struct tv_index *index, enum tv_export_table which,
                             struct tv_table *table)
{
    const struct tv_column_source *sources[TV_COLUMN_LIMIT];
    choose_columns(index, which, table, sources);
}

/* Rows */

static enum tv_code give(struct writing *writing, struct tv_error *err)
{
    struct tv_rows rows = {.len = writing->waiting->len};
    for (size_t c = 0; c < writing->table.column_count; c++)
        rows.cells[c] = writing->waiting->cells[c];
    writing->waiting->len = 0;
    return rows.len ? writing->form->take(writing->state, &rows, err) : TV_OK;
}

/* Adds a row about the subject. */
static enum tv_code add_row(struct writing *writing, struct tv_error *err)
{
    struct waiting *waiting = writing->waiting;
    for (size_t c = 0; c < writing->table.column_count; c++)
        waiting->cells[c][waiting->len] = writing->sources[c]->cell(&writing->subject);
    return ++waiting->len == TV_ROWS_LIMIT ? give(writing, err) : TV_OK;
}

/* The numbers of the calls that are open, by level. */
struct numbering {
    int64_t *open; /* one per row of the thread */
    int64_t next;
    /* Calls that are open, by method; NULL without a set of calls, where a node tells of all its
     * calls whether they are recursive. */
    uint32_t *open_of_method;
};

/* Whether a call that ends now is recursive. In a set it is where a call of its method around it is
 * of the set or was made by it (docs/numbers.md, "A set of calls"). */
static bool ends_recursive(const struct numbering *numbering, const struct tv_index *index,
                           const struct tv_call_event *event)
{
    if (!numbering->open_of_method)
        return index->node_flags[event->node] & TV_NODE_RECURSIVE;
    return --numbering->open_of_method[event->method];
}

/* A call is written at its exit, when its duration is known; its number was given at its enter, so
 * that callers have smaller numbers than their callees. */
static enum tv_code add_call(struct writing *writing, const struct tv_call_event *event,
                             const struct numbering *numbering, struct tv_error *err)
{
    struct tv_row_subject *subject = &writing->subject;
    const int64_t *open = numbering->open;
    subject->event = event;
    subject->method_ix = event->method;
    subject->number = open[event->level];
    subject->outer = event->level ? open[event->level - 1] : TV_ABSENT;
    subject->level = event->level;
    subject->is_recursive = ends_recursive(numbering, subject->index, event);
    TV_TRY(add_row(writing, err));
    return tv_export_context_tell(writing->context, 1, err);
}

/* numbering->open has the numbers of the calls that are open, level by level. */
static enum tv_code add_calls_of(struct writing *writing, struct tv_call_walk *walk,
                                 struct numbering *numbering, struct tv_error *err)
{
    struct tv_call_event event;
    TV_TRY(tv_call_walk_begin(walk, writing->context, writing->subject.thread_ix, err));
    for (;;) {
        tv_call_walk_next(walk, &event);
        if (event.kind == TV_CALL_END)
            return TV_OK;
        if (event.kind == TV_CALL_EXIT) {
            TV_TRY(add_call(writing, &event, numbering, err));
            continue;
        }
        numbering->open[event.level] = numbering->next++;
        if (numbering->open_of_method)
            numbering->open_of_method[event.method]++;
    }
}

/* Calls are numbered when they begin and written when they end, so the numbers of open calls wait
 * in an array by depth. */
static enum tv_code add_calls(struct writing *writing, struct tv_error *err)
{
    struct tv_export_context *context = writing->context;
    const struct tv_index *index = context->index;
    struct numbering numbering = {.next = 0};
    struct tv_call_walk walk;
    enum tv_code code = TV_OK;
    if (context->opts->scope.selection.set)
        TV_TRY(tv_alloc_new(context->alloc, &numbering.open_of_method, index->method_count,
                            sizeof(uint32_t), err));
    tv_call_walk_init(&walk, context->alloc);
    for (uint32_t i = 0; i < tv_export_context_thread_count(context) && code == TV_OK; i++) {
        uint32_t thread_ix = tv_export_context_ordered(context, i);
        if (thread_ix == TV_NONE)
            continue;
        uint32_t depths = index->threads[thread_ix].max_depth;
        writing->subject.thread_ix = thread_ix;
        code = tv_alloc_new(context->alloc, &numbering.open, depths, sizeof(int64_t), err);
        if (code == TV_OK)
            code = add_calls_of(writing, &walk, &numbering, err);
        tv_alloc_release(context->alloc, &numbering.open, depths, sizeof(int64_t));
    }
    tv_call_walk_release(&walk);
    tv_alloc_release(context->alloc, &numbering.open_of_method, index->method_count,
                     sizeof(uint32_t));
    return code;
}

/* A node stands behind its caller in the sums, so the level of the caller is known. Nodes without
 * calls in the part have a level too, but no row. */
static enum tv_code add_node(struct writing *writing, uint32_t node, uint32_t *levels,
                             struct tv_error *err)
{
    const struct tv_sums *sums = &writing->context->stacks.sums;
    struct tv_row_subject *subject = &writing->subject;
    uint32_t parent = sums->parent[node];
    levels[node] = parent == TV_NONE ? 0 : levels[parent] + 1;
    if (!tv_sums_is_touched(sums, node))
        return TV_OK;
    subject->method_ix = sums->method[node];
    subject->number = tv_sums_index_node(sums, node);
    subject->outer = parent == TV_NONE ? TV_ABSENT : tv_sums_index_node(sums, parent);
    subject->level = levels[node];
    subject->is_recursive = sums->flags[node] & TV_NODE_RECURSIVE;
    subject->numbers = tv_sums_numbers(sums, node);
    TV_TRY(add_row(writing, err));
    return tv_export_context_tell(writing->context, subject->numbers.calls, err);
}

/* Levels of all nodes are filled in as they come, since a node's parent comes before it. */
static enum tv_code add_nodes(struct writing *writing, struct tv_error *err)
{
    struct tv_export_context *context = writing->context;
    const struct tv_sums *sums = &context->stacks.sums;
    uint32_t *levels;
    enum tv_code code = TV_OK;
    TV_TRY(tv_export_context_check_nodes(context, err));
    TV_TRY(tv_alloc_new(context->alloc, &levels, sums->node_count, sizeof(*levels), err));
    for (uint32_t i = 0; i < tv_export_context_thread_count(context); i++) {
        const uint32_t position = tv_export_context_position(context, i);
        struct tv_node_range nodes = tv_sums_nodes(sums, position);
        writing->subject.thread_ix = tv_selection_thread(&context->opts->scope.selection, position);
        for (uint32_t node = nodes.first; node < nodes.end && code == TV_OK; node++)
            code = add_node(writing, node, levels, err);
    }
    tv_alloc_release(context->alloc, &levels, sums->node_count, sizeof(*levels));
    return code;
}

/* A line of a file; the trace has numbers below 1 for none. */
static int64_t line_of(const struct tv_export_method *method)
{
    return method->line > 0 ? method->line : TV_ABSENT;
}

/* In the order of ranks, by which every other answer names methods. */
static enum tv_code add_methods_by_rank(struct writing *writing, const struct tv_profile *profile,
                                        struct tv_error *err)
{
    struct tv_export_context *context = writing->context;
    const struct tv_index *index = context->index;
    struct tv_row_subject *subject = &writing->subject;
    for (uint32_t i = 0; i < index->method_count; i++) {
        uint32_t method_ix = index->method_of_rank[i];
        const struct tv_method_row *row = &profile->rows[method_ix];
        if (!tv_profile_has(profile, method_ix))
            continue;
        subject->method_ix = method_ix;
        subject->line = line_of(&context->names.methods[method_ix]);
        subject->numbers = row->numbers;
        subject->recursive_calls = row->recursive_calls;
        TV_TRY(add_row(writing, err));
        TV_TRY(tv_export_context_tell(context, row->numbers.calls + row->recursive_calls, err));
    }
    return TV_OK;
}

/* The profile is made of the sums of the part, so `methods` has the numbers of `traceview top` for
 * that part. */
static enum tv_code add_profile(struct writing *writing, struct tv_error *err)
{
    struct tv_export_context *context = writing->context;
    struct tv_profile profile;
    tv_profile_init(&profile, context->alloc);
    enum tv_code code = tv_profile_of_sums(&profile, &context->stacks.sums, err);
    if (code == TV_OK)
        code = add_methods_by_rank(writing, &profile, err);
    tv_profile_release(&profile);
    return code;
}

/* The calls of a thread, and the time of its root calls. */
static struct tv_numbers thread_numbers(const struct tv_sums *sums, uint32_t position)
{
    struct tv_node_range nodes = tv_sums_nodes(sums, position);
    struct tv_numbers sum = {.calls = 0};
    for (uint32_t node = nodes.first; node < nodes.end; node++) {
        struct tv_numbers numbers = tv_sums_numbers(sums, node);
        sum.calls += numbers.calls;
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
            if (sums->parent[node] == TV_NONE)
                sum.inclusive_ns[clock] += numbers.inclusive_ns[clock];
        }
    }
    return sum;
}

/* A thread without calls in the part has a row with zeros: that it did nothing is an answer, too.
 */
static enum tv_code add_all_threads(struct writing *writing, struct tv_error *err)
{
    const struct tv_export_context *context = writing->context;
    for (uint32_t i = 0; i < tv_export_context_thread_count(context); i++) {
        const uint32_t position = tv_export_context_position(context, i);
        writing->subject.thread_ix = tv_selection_thread(&context->opts->scope.selection, position);
        writing->subject.process_id =
            tv_export_pid(&context->names, context->index, writing->subject.thread_ix);
        writing->subject.numbers = thread_numbers(&context->stacks.sums, position);
        TV_TRY(add_row(writing, err));
    }
    return TV_OK;
}

/* One function for each table; the walks differ, and what a row has is decided by its columns. */
static enum tv_code add_rows(struct writing *writing, enum tv_export_table which,
                             struct tv_error *err)
{
    switch (which) {
    case TV_EXPORT_CALLS:
        return add_calls(writing, err);
    case TV_EXPORT_NODES:
        return add_nodes(writing, err);
    case TV_EXPORT_METHODS:
        return add_profile(writing, err);
    case TV_EXPORT_THREADS:
        return add_all_threads(writing, err);
    }
    return TV_OK;
}

/* Dictionaries come before the first row, because some forms write them at once. */
static enum tv_code write_all(struct writing *writing, enum tv_export_table which,
                              const struct tv_table_target *target, struct tv_error *err)
{
    TV_TRY(tv_alloc_new(target->alloc, &writing->waiting, 1, sizeof(*writing->waiting), err));
    choose_columns(writing->context->index, which, &writing->table, writing->sources);
    TV_TRY(make_dictionaries(writing, err));
    TV_TRY(writing->form->begin(&writing->table, target, &writing->state, err));
    TV_TRY(add_rows(writing, which, err));
    TV_TRY(give(writing, err));
    return writing->form->finish(writing->state, err);
}

/* The state of the form is released here whether writing succeeded or not. */
enum tv_code tv_trace_table_write(struct tv_export_context *context, enum tv_export_table which,
                                  const struct tv_table_form *form,
                                  const struct tv_table_target *target, struct tv_error *err)
{
    const struct tv_alloc *alloc = context->alloc;
    struct writing writing = {.context = context, .form = form};
    writing.subject.index = context->index;
    writing.subject.entry_of = (const uint32_t *const *)writing.entries;
    tv_buffer_init(&writing.name, alloc);
    for (unsigned kind = 0; kind < TV_TEXTS_COUNT; kind++)
        tv_text_set_init(&writing.texts[kind], alloc);
    enum tv_code code = write_all(&writing, which, target, err);
    form->release(writing.state);
    tv_alloc_release(target->alloc, &writing.waiting, 1, sizeof(*writing.waiting));
    for (unsigned kind = 0; kind < TV_TEXTS_COUNT; kind++) {
        tv_text_set_release(&writing.texts[kind]);
        tv_alloc_release(alloc, &writing.entries[kind],
                         count_of(context->index, (enum tv_texts_kind)kind), sizeof(uint32_t));
    }
    tv_buffer_release(&writing.name);
    return code;
}

enum tv_code tv_trace_table_export(struct tv_export_context *context,
                                   const struct tv_table_form *form, struct tv_error *err)
{
    const struct tv_table_target target = {
        .alloc = context->alloc, .sink = context->out.sink, .packer = context->opts->packer};
    return tv_trace_table_write(context, context->opts->table, form, &target, err);
}
