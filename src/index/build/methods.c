/*
 * From keys to methods, and the profile of methods; see index/build/methods.h.
 *
 * Nodes are many and methods are few, so a key must be looked up quickly and by many tasks at once.
 * A table of slots, read only while tasks run, answers for nearly all keys within a line or two of
 * the cache. A key that is more than LONGEST_PROBE slots from its first one is in no slot, and is
 * looked up in the trace's own maps: so an enemy's keys cannot make the table slow.
 *
 * Unknown methods must be numbered in one order by both builders. So tasks only tell that some node
 * has an unknown method; then one thread lists the unknown methods in the order of nodes, and the
 * tasks run once more.
 */
#include "index/build/methods.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/finding.h"
#include "format/wire.h"
#include "index/block.h"
#include "index/build/ranks.h"

/* The key of a free slot: keys of methods are multiples of 4. */
#define NO_KEY 1u
/* Slots in which a key may stand, from its first one on. */
#define LONGEST_PROBE 8u

/* The method of a key by the maps, TV_NONE where it is not listed yet. */
static uint32_t look_up(const struct tv_method_list *list, const struct tv_trace *trace,
                        uint32_t key)
{
    uint64_t id = tv_trace_id_of_key(trace, key);
    uint32_t known = tv_map_get(&trace->method_of_id, id);
    if (known != TV_MAP_NONE)
        return known;
    uint32_t unknown = tv_map_get(&list->unknown_of_id, id);
    return unknown == TV_MAP_NONE ? TV_NONE : (uint32_t)trace->method_count + unknown;
}

/* The first of the slots in which a key may stand. */
static size_t slot_of(const struct tv_method_list *list, uint32_t key)
{
    return (size_t)((key / 4 * 0x9e3779b97f4a7c15u) >> 32) & (list->slot_count - 1);
}

/* The method of a key, TV_NONE where it is not listed yet. */
static uint32_t method_of_key(const struct tv_method_list *list, const struct tv_trace *trace,
                              uint32_t key)
{
    size_t at = slot_of(list, key);
    for (unsigned i = 0; i < LONGEST_PROBE; i++) {
        const struct tv_key_slot *slot = &list->slots[(at + i) & (list->slot_count - 1)];
        if (slot->key == key)
            return slot->method;
        if (slot->key == NO_KEY)
            return TV_NONE;
    }
    return look_up(list, trace, key);
}

/* Puts a key that is not in the table into a free slot, if one is near. */
static void set_slot(struct tv_method_list *list, uint32_t key, uint32_t method)
{
    size_t at = slot_of(list, key);
    for (unsigned i = 0; i < LONGEST_PROBE; i++) {
        struct tv_key_slot *slot = &list->slots[(at + i) & (list->slot_count - 1)];
        if (slot->key == NO_KEY) {
            *slot = (struct tv_key_slot){.key = key, .method = method};
            return;
        }
    }
}

/* Makes a table of the keys of all described methods, with four slots or more for each method. */
static enum tv_code make_slots(struct tv_method_list *list, const struct tv_trace *trace,
                               struct tv_error *err)
{
    size_t count = 16;
    while (count / 4 < trace->method_count)
        count *= 2;
    TV_TRY(tv_alloc_new(list->alloc, &list->slots, count, sizeof(*list->slots), err));
    list->slot_count = count;
    for (size_t i = 0; i < count; i++)
        list->slots[i].key = NO_KEY;
    /* Keys are ids, or 4 x places in the trace's methods; or, below, id_of_key tells their ids. */
    for (size_t i = 0; !trace->id_of_key && i < trace->method_count; i++) {
        uint64_t id = trace->has_keys_by_place ? 4 * i : trace->methods[i].id;
        if (id % 4 == 0 && id <= UINT32_MAX)
            set_slot(list, (uint32_t)id, (uint32_t)i);
    }
    for (size_t i = 0; trace->id_of_key && i < trace->key_count; i++) {
        uint32_t method = tv_map_get(&trace->method_of_id, trace->id_of_key[i]);
        if (method != TV_MAP_NONE)
            set_slot(list, (uint32_t)i * 4, method);
    }
    return TV_OK;
}

/* Lists the method of a key, if nothing describes it and it is not listed yet. */
static enum tv_code add_if_unknown(struct tv_method_list *list, const struct tv_trace *trace,
                                   uint32_t key, struct tv_error *err)
{
    if (method_of_key(list, trace, key) != TV_NONE)
        return TV_OK;
    TV_TRY(tv_alloc_grow(list->alloc, &list->unknown_ids, &list->unknown_cap,
                         list->unknown_count + 1, sizeof(*list->unknown_ids), err));
    uint64_t id = tv_trace_id_of_key(trace, key);
    TV_TRY(tv_map_put(&list->unknown_of_id, id, (uint32_t)list->unknown_count, err));
    set_slot(list, key, (uint32_t)(trace->method_count + list->unknown_count));
    list->unknown_ids[list->unknown_count++] = id;
    return TV_OK;
}

/* Lists the unknown methods of a thread in the order of its finished nodes: adopting calls first,
 * outermost first. So both builders list them alike. */
static enum tv_code add_unknown_of_thread(struct tv_method_list *list, const struct tv_trace *trace,
                                          const struct tv_build_thread *thread,
                                          struct tv_error *err)
{
    const struct tv_nodes *nodes = &thread->nodes;
    size_t adopting = thread->adopting_nodes ? thread->adopting_count : 0;
    for (size_t i = adopting; i-- > 0;)
        TV_TRY(add_if_unknown(list, trace, nodes->keys[thread->adopting_nodes[i]], err));
    for (uint32_t i = TV_FIRST_NODE; i < nodes->count; i++) {
        if (i != thread->root)
            TV_TRY(add_if_unknown(list, trace, nodes->keys[i], err));
    }
    return TV_OK;
}

/* Offset of the first record with a method that nothing describes, for the chunked builder, which
 * does not look for one while it reads. */
static uint64_t find_unknown(const struct tv_method_list *list, const struct tv_trace *trace)
{
    const struct tv_fixed_records *fixed = &trace->fixed;
    /* Packed records have described methods only. */
    struct tv_fixed_part part = {.trace = trace, .end = fixed->is_packed ? 0 : fixed->count};
    while (part.first < part.end) {
        const uint8_t *stop;
        for (const uint8_t *at = tv_fixed_take(&part, &stop); at < stop; at += fixed->len) {
            uint32_t key = tv_load_le32(at + fixed->thread_len) & ~TV_WIRE_ACTION_MASK;
            if (method_of_key(list, trace, key) >= trace->method_count)
                return (uint64_t)(at - trace->bytes);
        }
    }
    return TV_NO_OFFSET;
}

/* What the tasks share that give nodes their methods. */
struct naming {
    const struct tv_method_list *list;
    const struct tv_builder *builder;
    const struct tv_layout *layout;
    const struct tv_node_piece *pieces;
    atomic_bool has_unknown;
};

/* Gives the nodes of a piece their methods; TV_NONE where the method is not listed yet. */
static void name_piece(void *arg, size_t i)
{
    struct naming *naming = arg;
    struct tv_node_piece piece = naming->pieces[i];
    struct tv_node_run run;
    bool has_unknown = false;
    while (tv_context_tree_take_run(naming->layout, &piece, &run)) {
        const struct tv_nodes *nodes = &run.thread->nodes;
        for (uint32_t node = run.first; node < run.end; node++) {
            uint32_t key = nodes->keys[node];
            nodes->methods[node] = method_of_key(naming->list, naming->builder->trace, key);
            has_unknown |= nodes->methods[node] == TV_NONE && node != run.thread->root;
        }
    }
    if (has_unknown)
        atomic_store(&naming->has_unknown, true);
}

/* Lists the unknown methods of records that made no node, in the order in which their keys were
 * met: the map has them in no order, but knows the place of each. */
static enum tv_code add_unknown_nodeless(struct tv_method_list *list, struct tv_builder *builder,
                                         struct tv_error *err)
{
    uint32_t *keys;
    uint64_t key;
    uint32_t place;
    const struct tv_map *nodeless = &builder->nodeless_keys;
    TV_TRY(tv_alloc_new(list->alloc, &keys, nodeless->count, sizeof(*keys), err));
    for (size_t at = 0; tv_map_next(nodeless, &at, &key, &place);)
        keys[place] = (uint32_t)key;
    enum tv_code code = TV_OK;
    for (size_t i = 0; i < nodeless->count && code == TV_OK; i++)
        code = add_if_unknown(list, builder->trace, keys[i], err);
    tv_alloc_release(list->alloc, &keys, nodeless->count, sizeof(*keys));
    return code;
}

/* Gives all nodes their methods, and lists the unknown ones. */
static enum tv_code name_nodes(struct naming *naming, struct tv_method_list *list,
                               struct tv_builder *builder, const struct tv_node_pieces *pieces,
                               const struct tv_pool *pool, struct tv_error *err)
{
    for (size_t i = 0; i < builder->thread_count; i++)
        TV_TRY(tv_nodes_make_methods(&builder->threads[i]->nodes, err));
    pool->run(pool->ctx, name_piece, naming, pieces->count);
    if (atomic_load(&naming->has_unknown)) {
        for (size_t i = 0; i < builder->thread_count; i++)
            TV_TRY(add_unknown_of_thread(list, builder->trace, builder->threads[i], err));
        pool->run(pool->ctx, name_piece, naming, pieces->count);
    }
    TV_TRY(add_unknown_nodeless(list, builder, err));
    tv_map_release(&builder->nodeless_keys);
    if (list->unknown_count && builder->unknown_offset == TV_NO_OFFSET)
        builder->unknown_offset = find_unknown(list, builder->trace);
    tv_findings_add(&builder->findings, TV_FINDING_UNKNOWN_METHOD, list->unknown_count,
                    builder->unknown_offset);
    for (size_t i = 0; i < builder->thread_count; i++)
        tv_nodes_drop_keys(&builder->threads[i]->nodes);
    return TV_OK;
}

/* Slots and the map of unknown ids serve only this step, and are released before the block grows.
 */
enum tv_code tv_methods_resolve(struct tv_method_list *list, struct tv_builder *builder,
                                const struct tv_layout *layout, const struct tv_node_pieces *pieces,
                                const struct tv_pool *pool, struct tv_error *err)
{
    const struct tv_trace *trace = builder->trace;
    *list = (struct tv_method_list){.alloc = builder->alloc};
    tv_map_init(&list->unknown_of_id, builder->alloc);
    TV_TRY(make_slots(list, trace, err));
    struct naming naming = {
        .list = list, .builder = builder, .layout = layout, .pieces = pieces->at};
    enum tv_code code = name_nodes(&naming, list, builder, pieces, pool, err);
    tv_alloc_release(list->alloc, &list->slots, list->slot_count, sizeof(*list->slots));
    list->slots = NULL;
    list->slot_count = 0;
    tv_map_release(&list->unknown_of_id);
    return code;
}

void tv_methods_release(struct tv_method_list *list)
{
    if (!list->alloc)
        return;
    tv_alloc_release(list->alloc, &list->unknown_ids, list->unknown_cap,
                     sizeof(*list->unknown_ids));
    tv_alloc_release(list->alloc, &list->slots, list->slot_count, sizeof(*list->slots));
    tv_map_release(&list->unknown_of_id);
    *list = (struct tv_method_list){.alloc = NULL};
}

/* A method's times on one clock. */
struct method_times {
    uint64_t inclusive, exclusive;
};

struct summing {
    const struct tv_index *index;
    struct method_times *times[TV_CLOCK_COUNT]; /* by method */
};

/* Goes from the last node to the first. Children have higher ordinals than their parent, so when a
 * node is reached its column `exclusive` has the inclusive times of its children added up, from
 * which its exclusive time follows. */
#define DEFINE_SUM_TIMES(name, type)                                                               \
    static void name(const struct tv_index *index, const type *inclusive, type *exclusive,         \
                     struct method_times *times)                                                   \
    {                                                                                              \
        for (uint32_t i = index->node_count; i-- > 0;) {                                           \
            struct method_times *to = &times[index->node_method[i]];                               \
            type own = (type)(inclusive[i] - exclusive[i]);                                        \
            if (index->node_parent[i] != TV_NONE)                                                  \
                exclusive[index->node_parent[i]] += inclusive[i];                                  \
            exclusive[i] = own;                                                                    \
            to->exclusive += own;                                                                  \
            to->inclusive += index->node_flags[i] & TV_NODE_RECURSIVE ? 0 : inclusive[i];          \
        }                                                                                          \
    }

DEFINE_SUM_TIMES(sum_times_narrow, uint32_t)
DEFINE_SUM_TIMES(sum_times_wide, uint64_t)

static void sum_times(const struct summing *summing, unsigned clock)
{
    static const enum tv_section sections[TV_CLOCK_COUNT] = {TV_SECTION_NODE_EXCLUSIVE_WALL,
                                                             TV_SECTION_NODE_EXCLUSIVE_CPU};
    const struct tv_index *index = summing->index;
    void *exclusive = tv_block_section(index, sections[clock]);
    size_t len = index->has_wide_sums ? sizeof(uint64_t) : sizeof(uint32_t);
    memset(exclusive, 0, index->node_count * len);
    if (index->has_wide_sums)
        sum_times_wide(index, index->node_inclusive[clock], exclusive, summing->times[clock]);
    else
        sum_times_narrow(index, index->node_inclusive[clock], exclusive, summing->times[clock]);
}

/* One task per clock: the clocks share no column. */
static void sum_task(void *arg, size_t clock)
{
    sum_times(arg, (unsigned)clock);
}

static enum tv_code sum_nodes(struct tv_index *index, const struct tv_pool *pool,
                              const struct tv_alloc *alloc, struct tv_error *err)
{
    struct tv_index_method *methods = tv_block_section(index, TV_SECTION_METHODS);
    struct summing summing = {.index = index};
    struct method_times *times;
    if (!index->method_count) /* and so no nodes */
        return TV_OK;
    TV_TRY(tv_alloc_new(alloc, &times, (size_t)index->method_count * TV_CLOCK_COUNT, sizeof(*times),
                        err));
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        summing.times[clock] = times + (size_t)clock * index->method_count;
    pool->run(pool->ctx, sum_task, &summing, TV_CLOCK_COUNT);
    for (size_t i = 0; i < (size_t)index->method_count * TV_CLOCK_COUNT; i++) {
        methods[i % index->method_count].inclusive[i / index->method_count] = times[i].inclusive;
        methods[i % index->method_count].exclusive[i / index->method_count] = times[i].exclusive;
    }
    tv_alloc_release(alloc, &times, (size_t)index->method_count * TV_CLOCK_COUNT, sizeof(*times));
    return TV_OK;
}

enum tv_code tv_methods_profile(struct tv_index *index, const struct tv_pool *pool,
                                const struct tv_alloc *alloc, struct tv_error *err)
{
    TV_TRY(sum_nodes(index, pool, alloc, err));
    return tv_methods_rank(index, alloc, err);
}
