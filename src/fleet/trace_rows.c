/*
 * Rows of a trace; see fleet/trace_rows.h.
 *
 * One pass over the nodes adds up their sums: a node knows its method, its thread and whether it
 * lies below another node of what is one method here (analysis/profile/group_rows.h). One pass over
 * the calls finds the longest one of each row. A context is all nodes of one path on threads of one
 * kind; its hash is made of the parent's, and parents come before their children. Hashes are parts
 * of SHA-256, so that they are the same on every machine and nobody makes a path that has another
 * one's.
 */
#include "fleet/trace_rows.h"

#include <string.h>

#include "analysis/insights/insights.h"
#include "analysis/profile/group_rows.h"
#include "analysis/profile/overhead.h"
#include "analysis/selection/names.h"
#include "base/bytes.h"
#include "base/bytes/sha256.h"
#include "base/memory/buffer.h"
#include "base/memory/map.h"
#include "base/memory/sort.h"
#include "base/memory/text_map.h"
#include "base/names/stable_name.h"
#include "compare/comparison.h"

struct making {
    struct tv_trace_rows *out;
    const struct tv_index *index;
    struct tv_text_map place_of_name;
    struct tv_buffer name; /* of the method at hand */
    uint32_t *method_of;   /* of each method of the index: its place; TV_NONE: it has no row */
    uint64_t *hash_of;     /* of each place */
    size_t hash_cap;
    uint32_t *row_of; /* of each place and kind: the row, + 1; 0: none yet */
    size_t row_of_count;
    uint64_t *path_of; /* of each node */
    uint8_t *nesting;  /* of each node: an enum tv_nesting */
    uint8_t *kind_of_thread;
    struct tv_map context_of; /* path -> context */
};

void tv_trace_rows_init(struct tv_trace_rows *rows, const struct tv_alloc *alloc)
{
    *rows = (struct tv_trace_rows){.alloc = alloc, .no_counts = {.code = TV_OK}};
    tv_arena_init(&rows->texts, alloc);
}

void tv_trace_rows_release(struct tv_trace_rows *rows)
{
    const struct tv_alloc *alloc = rows->alloc;
    tv_alloc_release(alloc, &rows->methods, rows->method_cap, sizeof(*rows->methods));
    tv_alloc_release(alloc, &rows->rows, rows->row_cap, sizeof(*rows->rows));
    tv_alloc_release(alloc, &rows->contexts, rows->context_cap, sizeof(*rows->contexts));
    tv_arena_release(&rows->texts);
    tv_trace_rows_init(rows, alloc);
}

static uint64_t hash_of(struct tv_str text)
{
    uint8_t digest[TV_SHA256_LEN];
    tv_sha256(text, digest);
    return tv_load_le64(digest);
}

/* --- methods --- */

/* Appends a part of the key, behind a mark that no name has at this place: a length. */
static enum tv_code append_part(struct tv_buffer *key, const struct tv_stable_name *name,
                                struct tv_error *err)
{
    const uint32_t len = (uint32_t)name->stem.len + name->is_cut;
    uint8_t mark[4];
    tv_store_le32(mark, len);
    TV_TRY(tv_buffer_append(key, mark, sizeof(mark), err));
    TV_TRY(tv_buffer_append(key, name->stem.at, name->stem.len, err));
    return name->is_cut ? tv_buffer_append(key, "*", 1, err) : TV_OK;
}

/* Takes a part from the front of a key. */
static struct tv_str take_part(struct tv_str *key)
{
    const size_t len = tv_load_le32((const uint8_t *)key->at);
    const struct tv_str part = {key->at + 4, len};
    key->at += 4 + len;
    key->len -= 4 + len;
    return part;
}

static enum tv_code add_method(struct making *making, uint32_t *place, struct tv_str key,
                               struct tv_error *err)
{
    struct tv_trace_rows *out = making->out;
    TV_TRY(tv_alloc_grow(out->alloc, &out->methods, &out->method_cap, out->method_count + 1,
                         sizeof(*out->methods), err));
    TV_TRY(tv_alloc_grow(out->alloc, &making->hash_of, &making->hash_cap, out->method_count + 1,
                         sizeof(*making->hash_of), err));
    making->hash_of[out->method_count] = hash_of(key);
    struct tv_fleet_method *method = &out->methods[out->method_count];
    method->class_name = take_part(&key);
    method->name = take_part(&key);
    method->signature = take_part(&key);
    *place = (uint32_t)out->method_count++;
    return TV_OK;
}

/* Finds the place of a method of the index, by its stable name. A method that nothing describes has
 * no name that another run could have, and no row. */
static enum tv_code place_method(struct making *making, uint32_t method_ix, struct tv_error *err)
{
    const struct tv_index *index = making->index;
    const struct tv_stable_name class_name = tv_stable_class(tv_method_class(index, method_ix));
    const struct tv_stable_name name = tv_stable_method(tv_method_name(index, method_ix));
    const struct tv_stable_name signature = {.stem = tv_method_signature(index, method_ix)};
    const size_t len = class_name.stem.len + name.stem.len + signature.stem.len;
    struct tv_str kept;
    uint32_t *slot;
    making->method_of[method_ix] = TV_NONE;
    if (!len || len > TV_FLEET_NAME_MOST)
        return TV_OK;
    making->name.len = 0;
    TV_TRY(append_part(&making->name, &class_name, err));
    TV_TRY(append_part(&making->name, &name, err));
    TV_TRY(append_part(&making->name, &signature, err));
    const struct tv_str key = tv_buffer_view(&making->name);
    making->method_of[method_ix] = tv_text_map_get(&making->place_of_name, key);
    if (making->method_of[method_ix] != TV_NONE)
        return TV_OK;
    TV_TRY(tv_arena_keep(&making->out->texts, key, &kept, err));
    TV_TRY(tv_text_map_slot(&making->place_of_name, kept, TV_NONE, &slot, err));
    TV_TRY(add_method(making, slot, kept, err));
    making->method_of[method_ix] = *slot;
    return TV_OK;
}

static enum tv_code place_methods(struct making *making, struct tv_error *err)
{
    const struct tv_index *index = making->index;
    const uint32_t writing = tv_writing_method(index);
    for (uint32_t i = 0; i < index->method_count; i++) {
        const struct tv_index_method *method = &index->methods[i];
        making->method_of[i] = TV_NONE;
        if (i != writing && (method->calls || method->recursive_calls))
            TV_TRY(place_method(making, i, err));
    }
    making->row_of_count = making->out->method_count * TV_THREAD_KIND_COUNT;
    return tv_alloc_new(making->out->alloc, &making->row_of, making->row_of_count,
                        sizeof(*making->row_of), err);
}

/* --- sums of nodes --- */

/* What a node adds to the row of its method: times of recursive calls are in those of the outermost
 * ones. */
static struct tv_method_row numbers_of(const struct making *making, uint32_t node)
{
    const struct tv_index *index = making->index;
    const bool is_recursive = making->nesting[node] == TV_NESTING_NESTED;
    const uint64_t calls = tv_index_node_calls(index, node);
    struct tv_method_row row = {.numbers = {.calls = is_recursive ? 0 : calls},
                                .recursive_calls = is_recursive ? calls : 0};
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (!is_recursive)
            row.numbers.inclusive_ns[clock] =
                tv_index_node_inclusive(index, clock, node) * index->info->unit_ns;
        row.numbers.exclusive_ns[clock] =
            tv_index_node_exclusive(index, clock, node) * index->info->unit_ns;
    }
    return row;
}

static void add_numbers(struct tv_method_row *to, const struct tv_method_row *more)
{
    tv_numbers_add(&to->numbers, &more->numbers);
    to->recursive_calls += more->recursive_calls;
}

/* Several methods of the index may have one name, and call each other. */
static enum tv_code find_nesting(struct making *making, struct tv_error *err)
{
    const struct tv_alloc *alloc = making->out->alloc;
    const struct tv_index *index = making->index;
    const struct tv_selection all = {.has_range = false};
    const struct tv_method_groups groups = {making->method_of, making->out->method_count, TV_NONE};
    struct tv_sums sums;
    TV_TRY(tv_alloc_new(alloc, &making->nesting, index->node_count, 1, err));
    tv_sums_init(&sums, alloc);
    enum tv_code code = tv_sums_compute(&sums, index, &all, NULL, err);
    if (code == TV_OK)
        code = tv_groups_nesting(&groups, &sums, making->nesting, alloc, err);
    tv_sums_release(&sums);
    return code;
}

/* The row of a method on threads of a kind, which is made where it is not there. */
static enum tv_code find_row(struct making *making, uint32_t method, enum tv_thread_kind kind,
                             struct tv_fleet_row **row, struct tv_error *err)
{
    struct tv_trace_rows *out = making->out;
    uint32_t *place = &making->row_of[method * TV_THREAD_KIND_COUNT + (uint32_t)kind];
    if (!*place) {
        TV_TRY(tv_alloc_grow(out->alloc, &out->rows, &out->row_cap, out->row_count + 1,
                             sizeof(*out->rows), err));
        out->rows[out->row_count++] = (struct tv_fleet_row){.method = method, .kind = kind};
        *place = (uint32_t)out->row_count;
    }
    *row = &out->rows[*place - 1];
    return TV_OK;
}

static uint64_t join_hashes(uint64_t parent, uint64_t method)
{
    uint8_t both[16];
    tv_store_le64(both, parent);
    tv_store_le64(both + 8, method);
    return hash_of((struct tv_str){(const char *)both, sizeof(both)});
}

/* A context's own time: of a path that has its method twice, too. */
static enum tv_code add_context(struct making *making, uint32_t node, enum tv_thread_kind kind,
                                struct tv_error *err)
{
    struct tv_trace_rows *out = making->out;
    const struct tv_index *index = making->index;
    const uint32_t parent = index->node_parent[node];
    struct tv_method_row numbers = {.numbers = {.calls = tv_index_node_calls(index, node)}};
    uint32_t *place;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        numbers.numbers.inclusive_ns[clock] =
            tv_index_node_inclusive(index, clock, node) * index->info->unit_ns;
        numbers.numbers.exclusive_ns[clock] =
            tv_index_node_exclusive(index, clock, node) * index->info->unit_ns;
    }
    TV_TRY(tv_map_slot(&making->context_of, making->path_of[node], (uint32_t)out->context_count,
                       &place, err));
    if (*place == out->context_count) {
        TV_TRY(tv_alloc_grow(out->alloc, &out->contexts, &out->context_cap, out->context_count + 1,
                             sizeof(*out->contexts), err));
        out->contexts[out->context_count++] =
            (struct tv_fleet_context){.path = making->path_of[node],
                                      .parent = parent == TV_NONE ? 0 : making->path_of[parent],
                                      .method = making->method_of[index->node_method[node]],
                                      .depth = index->node_depth[node],
                                      .kind = kind};
    }
    add_numbers(&out->contexts[*place].numbers, &numbers);
    return TV_OK;
}

/* The least time of a context that may get a row; nodes of the same path on several threads may
 * reach it together, so that nodes with a tenth of it are added up. */
static uint64_t least_of_context(const struct tv_trace_rows *out, enum tv_clock clock)
{
    const uint64_t least_ns = out->total_ns[clock] / TV_FLEET_CONTEXT_SHARE;
    return least_ns ? least_ns : 1;
}

static enum tv_code add_node(struct making *making, uint32_t node, enum tv_thread_kind kind,
                             struct tv_error *err)
{
    const struct tv_index *index = making->index;
    const enum tv_clock clock = tv_index_default_clock(index);
    const uint32_t method = making->method_of[index->node_method[node]];
    const uint32_t parent = index->node_parent[node];
    const uint64_t above = parent == TV_NONE ? (uint64_t)kind : making->path_of[parent];
    const struct tv_method_row numbers = numbers_of(making, node);
    struct tv_fleet_row *row;
    making->path_of[node] = join_hashes(above, method == TV_NONE ? 0 : making->hash_of[method]);
    if (method == TV_NONE)
        return TV_OK;
    TV_TRY(find_row(making, method, kind, &row, err));
    add_numbers(&row->numbers, &numbers);
    const uint64_t inclusive_ns =
        tv_index_node_inclusive(index, (unsigned)clock, node) * index->info->unit_ns;
    return inclusive_ns >= (least_of_context(making->out, clock) + 9) / 10
               ? add_context(making, node, kind, err)
               : TV_OK;
}

static enum tv_code add_nodes(struct making *making, struct tv_error *err)
{
    const struct tv_index *index = making->index;
    for (uint32_t i = 0; i < index->thread_count; i++) {
        const struct tv_index_thread *thread = &index->threads[i];
        for (uint32_t node = 0; node < thread->node_count; node++)
            TV_TRY(add_node(making, thread->node_first + node,
                            (enum tv_thread_kind)making->kind_of_thread[i], err));
    }
    return TV_OK;
}

/* What is not recorded of the calls that a thread was in at the end. */
static void add_unrecorded(struct making *making, uint32_t thread_ix)
{
    const struct tv_selection all = {.has_range = false};
    const struct tv_index *index = making->index;
    const struct tv_index_thread *thread = &index->threads[thread_ix];
    const uint64_t ns = tv_thread_unrecorded_ns(index, thread_ix, &all);
    for (uint32_t depth = 0; ns && depth < thread->open_depth; depth++) {
        const uint32_t node = tv_open_node(index, thread, depth);
        const uint32_t method = making->method_of[index->node_method[node]];
        if (method == TV_NONE)
            continue;
        const uint32_t row =
            making->row_of[method * TV_THREAD_KIND_COUNT + making->kind_of_thread[thread_ix]] - 1;
        struct tv_numbers *to = &making->out->rows[row].numbers.numbers;
        if (making->nesting[node] != TV_NESTING_NESTED)
            to->unrecorded_ns[0] += ns;
        if (depth + 1 == thread->open_depth)
            to->unrecorded_ns[1] += ns;
    }
}

/* --- the longest calls --- */

static void look_at_calls(struct making *making, uint32_t thread_ix)
{
    const struct tv_index *index = making->index;
    const struct tv_index_thread *thread = &index->threads[thread_ix];
    const enum tv_clock axis = tv_index_axis(index);
    for (uint64_t i = 0; i < thread->calls; i++) {
        const uint64_t call = thread->call_first + i;
        const uint32_t method = making->method_of[index->node_method[index->call_node[call]]];
        if (method == TV_NONE)
            continue;
        struct tv_fleet_row *row =
            &making->out->rows[making->row_of[method * TV_THREAD_KIND_COUNT +
                                              making->kind_of_thread[thread_ix]] -
                               1];
        const uint64_t len_ns = tv_index_duration(index, thread, axis, call) * index->info->unit_ns;
        if (len_ns <= row->slowest_ns)
            continue;
        row->slowest_ns = len_ns;
        row->slowest_at_ns = tv_index_start(index, thread, axis, call) * index->info->unit_ns;
    }
}

/* --- what is kept --- */

static int compare_contexts(const void *ctx, uint32_t a, uint32_t b)
{
    const struct making *making = ctx;
    const struct tv_fleet_context *of = making->out->contexts;
    const enum tv_clock clock = tv_index_default_clock(making->index);
    const uint64_t a_ns = of[a].numbers.numbers.inclusive_ns[clock];
    const uint64_t b_ns = of[b].numbers.numbers.inclusive_ns[clock];
    if (a_ns != b_ns)
        return a_ns > b_ns ? -1 : 1;
    return (of[a].path > of[b].path) - (of[a].path < of[b].path);
}

static enum tv_code choose_contexts(struct making *making, struct tv_error *err)
{
    struct tv_trace_rows *out = making->out;
    const enum tv_clock clock = tv_index_default_clock(making->index);
    const uint64_t least_ns = least_of_context(out, clock);
    TV_TRY(tv_sort_rows(out->alloc, out->contexts, out->context_count, sizeof(*out->contexts),
                        compare_contexts, making, err));
    if (out->context_count > TV_FLEET_CONTEXTS_MOST)
        out->context_count = TV_FLEET_CONTEXTS_MOST;
    while (out->context_count &&
           out->contexts[out->context_count - 1].numbers.numbers.inclusive_ns[clock] < least_ns)
        out->context_count--;
    return TV_OK;
}

/* The exclusive time of a method on all kinds of threads, while rows stand where they were made. */
static uint64_t own_time(const struct making *making, uint32_t method)
{
    const enum tv_clock clock = tv_index_default_clock(making->index);
    uint64_t sum_ns = 0;
    for (uint32_t kind = 0; kind < TV_THREAD_KIND_COUNT; kind++) {
        const uint32_t place = making->row_of[method * TV_THREAD_KIND_COUNT + kind];
        if (place)
            sum_ns += making->out->rows[place - 1].numbers.numbers.exclusive_ns[clock];
    }
    return sum_ns;
}

static int compare_by_time(const void *ctx, uint32_t a, uint32_t b)
{
    const struct making *making = ctx;
    const struct tv_fleet_row *of = making->out->rows;
    const uint64_t a_ns = own_time(making, of[a].method);
    const uint64_t b_ns = own_time(making, of[b].method);
    if (a_ns != b_ns)
        return a_ns > b_ns ? -1 : 1;
    return of[a].method == of[b].method
               ? (a > b) - (a < b)
               : (of[a].method > of[b].method) - (of[a].method < of[b].method);
}

static int compare_by_method(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_fleet_row *of = ctx;
    if (of[a].method != of[b].method)
        return of[a].method < of[b].method ? -1 : 1;
    return (int)of[a].kind - (int)of[b].kind;
}

/* A method has all of its rows or none: so a method with a row has all its numbers, and of one
 * without nothing is known. */
static enum tv_code cut_rows(struct making *making, struct tv_error *err)
{
    struct tv_trace_rows *out = making->out;
    size_t kept = TV_FLEET_ROWS_MOST;
    TV_TRY(tv_sort_rows(out->alloc, out->rows, out->row_count, sizeof(*out->rows), compare_by_time,
                        making, err));
    while (kept && out->rows[kept - 1].method == out->rows[kept].method)
        kept--;
    for (size_t i = kept; i < out->row_count; i++)
        out->cut_calls += out->rows[i].numbers.numbers.calls + out->rows[i].numbers.recursive_calls;
    out->row_count = kept;
    return TV_OK;
}

static enum tv_code choose_rows(struct making *making, struct tv_error *err)
{
    struct tv_trace_rows *out = making->out;
    if (out->row_count > TV_FLEET_ROWS_MOST)
        TV_TRY(cut_rows(making, err));
    return tv_sort_rows(out->alloc, out->rows, out->row_count, sizeof(*out->rows),
                        compare_by_method, out->rows, err);
}

/* --- all of it --- */

static void look_at_trace(struct making *making)
{
    struct tv_trace_rows *out = making->out;
    const struct tv_index *index = making->index;
    const uint32_t main_thread = tv_main_thread(index);
    out->calls = index->info->calls;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        out->total_ns[clock] = index->info->total[clock] * index->info->unit_ns;
    tv_run_clocks_take(&out->clocks, index, TV_STR(""));
    out->fell_back = tv_run_fell_back(index);
    out->odd_wall = tv_run_odd_wall(index);
    out->build = tv_run_build_of(index);
    const enum tv_code counted = tv_run_counts_check(index, &out->no_counts);
    if (counted == TV_OK)
        out->no_counts.code = TV_OK;
    for (uint32_t i = 0; i < index->thread_count; i++)
        making->kind_of_thread[i] =
            (uint8_t)tv_thread_kind_of(tv_index_thread_name(index, i), i == main_thread);
}

static enum tv_code make(struct making *making, struct tv_error *err)
{
    const struct tv_alloc *alloc = making->out->alloc;
    const struct tv_index *index = making->index;
    TV_TRY(tv_alloc_new(alloc, &making->method_of, index->method_count, sizeof(uint32_t), err));
    TV_TRY(tv_alloc_new(alloc, &making->path_of, index->node_count, sizeof(uint64_t), err));
    TV_TRY(tv_alloc_new(alloc, &making->kind_of_thread, index->thread_count, 1, err));
    look_at_trace(making);
    TV_TRY(place_methods(making, err));
    TV_TRY(find_nesting(making, err));
    TV_TRY(add_nodes(making, err));
    for (uint32_t i = 0; i < index->thread_count; i++) {
        look_at_calls(making, i);
        add_unrecorded(making, i);
    }
    TV_TRY(choose_contexts(making, err));
    return choose_rows(making, err);
}

enum tv_code tv_trace_rows_make(struct tv_trace_rows *rows, const struct tv_index *index,
                                struct tv_error *err)
{
    const struct tv_alloc *alloc = rows->alloc;
    struct making making = {.out = rows, .index = index};
    tv_text_map_init(&making.place_of_name, alloc);
    tv_buffer_init(&making.name, alloc);
    tv_map_init(&making.context_of, alloc);
    const enum tv_code code = make(&making, err);
    tv_map_release(&making.context_of);
    tv_buffer_release(&making.name);
    tv_text_map_release(&making.place_of_name);
    tv_alloc_release(alloc, &making.kind_of_thread, index->thread_count, 1);
    tv_alloc_release(alloc, &making.nesting, index->node_count, 1);
    tv_alloc_release(alloc, &making.path_of, index->node_count, sizeof(uint64_t));
    tv_alloc_release(alloc, &making.method_of, index->method_count, sizeof(uint32_t));
    tv_alloc_release(alloc, &making.row_of, making.row_of_count, sizeof(uint32_t));
    tv_alloc_release(alloc, &making.hash_of, making.hash_cap, sizeof(uint64_t));
    return code;
}
