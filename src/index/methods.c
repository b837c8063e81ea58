/* Keys to methods, and the method profile; see index/methods.h. */
#include "index/methods.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/finding.h"
#include "base/sort.h"
#include "index/block.h"

/* Keys up to this many times the methods get a table, so that it stays a small multiple of the
 * input. */
#define TABLE_FACTOR 8u
#define TABLE_FLOOR 4096u

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

uint32_t tv_methods_of_key(const struct tv_method_list *list, const struct tv_trace *trace,
                           uint32_t key)
{
    if (key / 4 < list->of_key_count)
        return list->of_key[key / 4];
    return look_up(list, trace, key);
}

static enum tv_code note_key(struct tv_method_list *list, struct tv_builder *builder, uint32_t key,
                             uint64_t offset, uint64_t *first_offset, struct tv_error *err)
{
    bool has_slot = key / 4 < list->of_key_count;
    uint32_t method = has_slot ? list->of_key[key / 4] : look_up(list, builder->trace, key);
    if (has_slot && method == TV_NONE)
        method = look_up(list, builder->trace, key);
    if (method == TV_NONE) {
        TV_TRY(tv_alloc_grow(list->alloc, &list->unknown_ids, &list->unknown_cap,
                             list->unknown_count + 1, sizeof(*list->unknown_ids), err));
        uint64_t id = tv_trace_id_of_key(builder->trace, key);
        TV_TRY(tv_map_put(&list->unknown_of_id, id, (uint32_t)list->unknown_count, err));
        method = (uint32_t)(builder->trace->method_count + list->unknown_count);
        list->unknown_ids[list->unknown_count++] = id;
    }
    if (has_slot)
        list->of_key[key / 4] = method;
    if (method >= builder->trace->method_count && offset < *first_offset)
        *first_offset = offset;
    return TV_OK;
}

/* In the order of finished nodes, so that unknown methods are numbered alike by either way to
 * build. */
static enum tv_code note_thread(struct tv_method_list *list, struct tv_builder *builder,
                                const struct tv_build_thread *thread, uint64_t *first_offset,
                                struct tv_error *err)
{
    const struct tv_nodes *nodes = &thread->nodes;
    size_t adopters = thread->adopters ? thread->adopter_count : 0;
    for (size_t i = adopters; i-- > 0;) {
        uint32_t node = thread->adopters[i];
        TV_TRY(note_key(list, builder, nodes->at[node].key, nodes->at[node].first_offset,
                        first_offset, err));
    }
    for (uint32_t i = TV_FIRST_NODE; i < nodes->count; i++) {
        if (i != thread->root)
            TV_TRY(note_key(list, builder, nodes->at[i].key, nodes->at[i].first_offset,
                            first_offset, err));
    }
    return TV_OK;
}

/* Keys of records that made no node, as they were met; the map has them in no order. */
static enum tv_code note_odd_keys(struct tv_method_list *list, struct tv_builder *builder,
                                  uint64_t *first_offset, struct tv_error *err)
{
    uint32_t *keys;
    const struct tv_map *odd = &builder->odd_keys;
    TV_TRY(tv_alloc_new(list->alloc, &keys, builder->odd_count, sizeof(*keys), err));
    for (size_t i = 0; i < odd->cap; i++) {
        if (odd->values[i] != TV_MAP_NONE)
            keys[odd->values[i]] = (uint32_t)odd->keys[i];
    }
    enum tv_code code = TV_OK;
    for (size_t i = 0; i < builder->odd_count && code == TV_OK; i++)
        code = note_key(list, builder, keys[i], builder->odd_offsets[i], first_offset, err);
    tv_alloc_free(list->alloc, keys, builder->odd_count, sizeof(*keys));
    return code;
}

enum tv_code tv_methods_resolve(struct tv_method_list *list, struct tv_builder *builder,
                                struct tv_error *err)
{
    const struct tv_trace *trace = builder->trace;
    *list = (struct tv_method_list){.alloc = builder->alloc};
    tv_map_init(&list->unknown_of_id, builder->alloc);
    size_t slots = trace->method_count * TABLE_FACTOR + TABLE_FLOOR;
    TV_TRY(tv_alloc_new(builder->alloc, &list->of_key, slots, sizeof(*list->of_key), err));
    list->of_key_count = slots;
    memset(list->of_key, 0xff, slots * sizeof(*list->of_key));
    uint64_t first_offset = TV_NO_OFFSET;
    for (size_t i = 0; i < builder->thread_count; i++)
        TV_TRY(note_thread(list, builder, builder->threads[i], &first_offset, err));
    TV_TRY(note_odd_keys(list, builder, &first_offset, err));
    tv_findings_add(&builder->findings, TV_FINDING_UNKNOWN_METHOD, list->unknown_count,
                    first_offset);
    return TV_OK;
}

void tv_methods_release(struct tv_method_list *list)
{
    if (!list->alloc)
        return;
    tv_alloc_free(list->alloc, list->unknown_ids, list->unknown_cap, sizeof(*list->unknown_ids));
    tv_alloc_free(list->alloc, list->of_key, list->of_key_count, sizeof(*list->of_key));
    tv_map_release(&list->unknown_of_id);
    *list = (struct tv_method_list){.alloc = NULL};
}

static void sum_nodes(struct tv_index *index, struct tv_index_method *methods)
{
    for (uint32_t node = 0; node < index->node_count; node++) {
        struct tv_index_method *method = &methods[index->node_method[node]];
        bool is_recursive = index->node_flags[node] & TV_NODE_RECURSIVE;
        if (is_recursive)
            method->recursive_calls += tv_index_node_calls(index, node);
        else
            method->calls += tv_index_node_calls(index, node);
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
            method->exclusive[clock] += tv_index_node_exclusive(index, clock, node);
            if (!is_recursive)
                method->inclusive[clock] += tv_index_node_inclusive(index, clock, node);
        }
    }
}

/* The pieces of a method's shown name, `class.name signature`, one after the other. */
static void name_pieces(const struct tv_index *index, const struct tv_index_method *method,
                        struct tv_str pieces[5])
{
    bool has_name = method->name_len;
    bool has_signature = has_name && method->signature_len;
    pieces[0] = tv_index_text(index, method->class_off, method->class_len);
    pieces[1] = has_name ? TV_STR(".") : TV_STR("");
    pieces[2] = tv_index_text(index, method->name_off, method->name_len);
    pieces[3] = has_signature ? TV_STR(" ") : TV_STR("");
    pieces[4] = has_signature ? tv_index_text(index, method->signature_off, method->signature_len)
                              : TV_STR("");
}

/* Compares two texts given in five pieces, as if they were joined. */
static int compare_pieces(struct tv_str a[5], struct tv_str b[5])
{
    unsigned i = 0;
    unsigned j = 0;
    for (;;) {
        while (i < 5 && !a[i].len)
            i++;
        while (j < 5 && !b[j].len)
            j++;
        if (i == 5 || j == 5)
            return (i < 5) - (j < 5);
        size_t len = a[i].len < b[j].len ? a[i].len : b[j].len;
        int order = memcmp(a[i].at, b[j].at, len);
        if (order)
            return order;
        a[i] = (struct tv_str){a[i].at + len, a[i].len - len};
        b[j] = (struct tv_str){b[j].at + len, b[j].len - len};
    }
}

/* Methods with calls first; by inclusive time on the default clock, then by name, then by id. */
static int compare_rank(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_index *index = ctx;
    const struct tv_index_method *left = &index->methods[a];
    const struct tv_index_method *right = &index->methods[b];
    bool left_has_calls = left->calls + left->recursive_calls;
    bool right_has_calls = right->calls + right->recursive_calls;
    if (left_has_calls != right_has_calls)
        return left_has_calls ? -1 : 1;
    enum tv_clock clock = tv_index_default_clock(index);
    if (left->inclusive[clock] != right->inclusive[clock])
        return left->inclusive[clock] > right->inclusive[clock] ? -1 : 1;
    struct tv_str left_name[5];
    struct tv_str right_name[5];
    name_pieces(index, left, left_name);
    name_pieces(index, right, right_name);
    int order = compare_pieces(left_name, right_name);
    if (order)
        return order;
    return (left->id > right->id) - (left->id < right->id);
}

enum tv_code tv_methods_profile(struct tv_index *index, const struct tv_alloc *alloc,
                                struct tv_error *err)
{
    struct tv_index_method *methods = tv_block_section(index, TV_SECTION_METHODS);
    uint32_t *of_rank = tv_block_section(index, TV_SECTION_METHOD_OF_RANK);
    struct tv_index_info *info = tv_block_section(index, TV_SECTION_INFO);
    sum_nodes(index, methods);
    for (uint32_t i = 0; i < index->method_count; i++) {
        of_rank[i] = i;
        info->ranked_count += methods[i].calls + methods[i].recursive_calls > 0;
    }
    TV_TRY(tv_sort(alloc, of_rank, index->method_count, compare_rank, index, err));
    for (uint32_t i = 0; i < index->method_count; i++)
        methods[of_rank[i]].rank = i;
    return TV_OK;
}
