/*
 * Lists the calls of a method; see analysis/calls/method_calls.h.
 *
 * The nodes of a method tell how many calls each row has, so each row's part of the list is known
 * before the scan, and rows are scanned independently. A scan reads one word per call; it stops
 * with the last call that the row has.
 */
#include "analysis/calls/method_calls.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/memory/search.h"

void tv_method_calls_init(struct tv_method_calls *list, const struct tv_alloc *alloc)
{
    *list = (struct tv_method_calls){.alloc = alloc};
}

void tv_method_calls_release(struct tv_method_calls *list)
{
    tv_alloc_release(list->alloc, &list->calls, list->count, sizeof(*list->calls));
    tv_alloc_release(list->alloc, &list->rows, list->row_cap, sizeof(*list->rows));
    tv_method_calls_init(list, list->alloc);
}

/* How many calls of the method a row has, and of which node. */
struct row_nodes {
    uint64_t calls;
    uint32_t only_node; /* the one node of the method in the row; TV_NONE: several */
};

/* Whose calls are listed. */
struct wanted_calls {
    uint32_t method;
    const struct tv_call_set *set; /* NULL: all calls of the method */
};

TV_INLINE bool is_wanted_node(const struct tv_index *index, const struct wanted_calls *wanted,
                              uint32_t node)
{
    return index->node_method[node] == wanted->method && tv_call_set_lists(wanted->set, node);
}

/* How many calls of a row are wanted, where a set tells single calls. */
static uint64_t count_row(const struct tv_index *index, const struct tv_index_row *row,
                          const struct wanted_calls *wanted)
{
    uint64_t count = 0;
    for (uint64_t call = row->call_first; call < row->call_first + row->call_count; call++) {
        uint32_t node = index->call_node[call];
        count += index->node_method[node] == wanted->method &&
                 tv_call_set_lists_call(wanted->set, node, call);
    }
    return count;
}

/* Counts the wanted calls in each row of a thread. */
static void count_thread(const struct tv_index *index, const struct tv_index_thread *thread,
                         const struct wanted_calls *wanted, struct row_nodes *rows)
{
    for (uint32_t depth = 0; depth < thread->max_depth; depth++)
        rows[depth] = (struct row_nodes){0, TV_NONE};
    for (uint32_t n = 0; n < thread->node_count; n++) {
        uint32_t node = thread->node_first + n;
        if (!is_wanted_node(index, wanted, node))
            continue;
        struct row_nodes *row = &rows[index->node_depth[node]];
        row->only_node = row->calls ? TV_NONE : node;
        row->calls += tv_index_node_calls(index, node);
    }
    for (uint32_t depth = 0; depth < thread->max_depth && wanted->set && wanted->set->own;
         depth++) {
        if (rows[depth].calls)
            rows[depth] = (struct row_nodes){
                count_row(index, &index->rows[thread->row_first + depth], wanted), TV_NONE};
    }
}

/* Lists the rows that have calls of the method, and gives each its part of the list. */
static enum tv_code list_rows(struct tv_method_calls *list, const struct wanted_calls *wanted,
                              struct row_nodes *rows, struct tv_error *err)
{
    const struct tv_index *index = list->index;
    size_t at = 0;
    for (uint32_t i = 0; i < index->thread_count; i++) {
        const struct tv_index_thread *thread = &index->threads[i];
        count_thread(index, thread, wanted, rows);
        for (uint32_t depth = 0; depth < thread->max_depth; depth++) {
            if (!rows[depth].calls)
                continue;
            TV_TRY(tv_alloc_grow(list->alloc, &list->rows, &list->row_cap, list->row_count + 1,
                                 sizeof(*list->rows), err));
            size_t end = at + (size_t)rows[depth].calls;
            list->rows[list->row_count++] =
                (struct tv_method_row_calls){i, depth, at, end, rows[depth].only_node};
            at = end;
        }
    }
    TV_TRY(tv_alloc_new(list->alloc, &list->calls, at, sizeof(*list->calls), err));
    list->count = at;
    return TV_OK;
}

struct call_search {
    const struct tv_method_calls *list;
    const uint64_t *wanted; /* a bit per node, so that the bits of all nodes stay in the cache */
    const struct tv_call_set *set; /* that tells single calls; NULL: nodes tell all */
};

TV_INLINE bool is_wanted(const struct call_search *search, uint32_t node)
{
    return search->wanted[node / 64] >> node % 64 & 1;
}

/* Most rows have one node of the method: comparing with it is quicker than asking for a bit. */
static void search_row(void *arg, size_t task_ix)
{
    const struct call_search *search = arg;
    const struct tv_method_calls *list = search->list;
    const struct tv_index *index = list->index;
    const struct tv_method_row_calls *of = &list->rows[task_ix];
    const struct tv_index_row *row =
        &index->rows[index->threads[of->thread_ix].row_first + of->depth];
    uint64_t end = row->call_first + row->call_count;
    size_t at = of->first;
    if (of->only_node != TV_NONE) {
        for (uint64_t call = row->call_first; call < end && at < of->end; call++) {
            if (index->call_node[call] == of->only_node)
                list->calls[at++] = call;
        }
        return;
    }
    for (uint64_t call = row->call_first; call < end && at < of->end; call++) {
        uint32_t node = index->call_node[call];
        if (is_wanted(search, node) &&
            (!search->set || tv_call_set_lists_call(search->set, node, call)))
            list->calls[at++] = call;
    }
}

/* The nodes of the method are marked as bits, so a scan looks at one bit per call. */
static enum tv_code find(struct tv_method_calls *list, const struct wanted_calls *of,
                         const struct tv_pool *pool, struct tv_error *err)
{
    const struct tv_index *index = list->index;
    const struct tv_alloc *alloc = list->alloc;
    uint32_t deepest = 0;
    struct row_nodes *rows = NULL;
    uint64_t *wanted = NULL;
    size_t word_count = (size_t)index->node_count / 64 + 1;
    for (uint32_t i = 0; i < index->thread_count; i++) {
        if (index->threads[i].max_depth > deepest)
            deepest = index->threads[i].max_depth;
    }
    enum tv_code code = tv_alloc_new(alloc, &rows, deepest, sizeof(*rows), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &wanted, word_count, sizeof(*wanted), err);
    if (code == TV_OK)
        code = list_rows(list, of, rows, err);
    if (code == TV_OK) {
        struct call_search search = {list, wanted, of->set && of->set->own ? of->set : NULL};
        for (uint32_t node = 0; node < index->node_count; node++)
            wanted[node / 64] |= (uint64_t)is_wanted_node(index, of, node) << node % 64;
        pool->run(pool->ctx, search_row, &search, list->row_count);
    }
    tv_alloc_release(alloc, &wanted, word_count, sizeof(*wanted));
    tv_alloc_release(alloc, &rows, deepest, sizeof(*rows));
    return code;
}

enum tv_code tv_method_calls_find_in(struct tv_method_calls *list, const struct tv_index *index,
                                     uint32_t method, const struct tv_call_set *set,
                                     const struct tv_pool *pool, struct tv_error *err)
{
    const struct wanted_calls wanted = {.method = method, .set = set};
    tv_method_calls_release(list);
    list->index = index;
    enum tv_code code = find(list, &wanted, pool ? pool : tv_pool_serial(), err);
    if (code != TV_OK)
        tv_method_calls_release(list);
    return code;
}

enum tv_code tv_method_calls_find(struct tv_method_calls *list, const struct tv_index *index,
                                  uint32_t method, const struct tv_pool *pool, struct tv_error *err)
{
    return tv_method_calls_find_in(list, index, method, NULL, pool, err);
}

/* Finds the row by halving: the last one that begins at or before i. */
struct tv_call_ref tv_method_calls_ref(const struct tv_method_calls *list, size_t i)
{
    const struct tv_method_row_calls *row = &list->rows[tv_search_containing(
        TV_ASCENDING_FIELD(list->rows, list->row_count, struct tv_method_row_calls, first), i)];
    return (struct tv_call_ref){row->thread_ix, row->depth, list->calls[i]};
}
