/*
 * Keys and stacks of formats with 64-bit ids; see format/keys.h.
 *
 * The index knows methods by 32-bit keys. An id gets the next key when a record first names it,
 * found again through a small cache and then a hash map. The number of keys is bounded where
 * nothing describes the methods, so that a file of invented ids cannot take memory without end.
 *
 * In formats whose exits name no method, a stack of keys per thread tells which method an exit
 * leaves (format/key_stacks.h).
 */
#include "format/keys.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

#define KEY_STEP 4u
#define KEY_LIMIT (UINT32_MAX / KEY_STEP)
#define NO_KEY UINT32_MAX /* keys are multiples of KEY_STEP */

void tv_keys_init(struct tv_keys *keys, const struct tv_alloc *alloc)
{
    *keys = (struct tv_keys){.alloc = alloc};
    tv_map_init(&keys->index_of_id, alloc);
    tv_map_init(&keys->top_of_thread, alloc);
    tv_key_stacks_init(&keys->stacks, alloc);
    memset(keys->cached_key, 0xff, sizeof(keys->cached_key)); /* NO_KEY everywhere */
}

void tv_keys_release(struct tv_keys *keys)
{
    tv_key_stacks_release(&keys->stacks);
    tv_map_release(&keys->index_of_id);
    tv_map_release(&keys->top_of_thread);
    tv_keys_init(keys, keys->alloc);
}

static enum tv_code add_key(struct tv_keys *keys, struct tv_trace *trace, uint64_t id,
                            uint32_t *index, struct tv_error *err)
{
    size_t count = trace->key_count;
    if (count >= KEY_LIMIT)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "more than %u methods", KEY_LIMIT);
    TV_TRY(tv_alloc_grow(trace->alloc, &trace->id_of_key, &trace->key_cap, count + 1,
                         sizeof(*trace->id_of_key), err));
    *index = (uint32_t)count;
    TV_TRY(tv_map_put(&keys->index_of_id, id, *index, err));
    trace->id_of_key[count] = id;
    trace->key_count++;
    return TV_OK;
}

/* The id that a method gets a key by. Once enough undescribed methods have keys, all others share
 * one: a hostile file may name another method with every two bytes, and each key costs memory. */
static uint64_t told_apart(struct tv_keys *keys, const struct tv_trace *trace, uint64_t id)
{
    if (id == TV_METHOD_ID_UNKNOWN || tv_map_get(&trace->method_of_id, id) != TV_MAP_NONE)
        return id;
    if (keys->undescribed_count == TV_MOST_UNDESCRIBED)
        return TV_METHOD_ID_UNKNOWN;
    keys->undescribed_count++;
    return id;
}

/* Gives a key to an id that has none. */
static enum tv_code new_key(struct tv_keys *keys, struct tv_trace *trace, uint64_t id,
                            uint32_t *index, struct tv_error *err)
{
    id = told_apart(keys, trace, id);
    *index = tv_map_get(&keys->index_of_id, id);
    return *index == TV_MAP_NONE ? add_key(keys, trace, id, index, err) : TV_OK;
}

/* Finds the key of an id, or gives it one. */
static enum tv_code find_key(struct tv_keys *keys, struct tv_trace *trace, uint64_t id,
                             uint32_t *key, struct tv_error *err)
{
    size_t slot = (size_t)((id >> 3) ^ (id >> 13)) % TV_KEY_CACHE;
    if (keys->cached_id[slot] == id && keys->cached_key[slot] != NO_KEY) {
        *key = keys->cached_key[slot];
        return TV_OK;
    }
    uint32_t index = tv_map_get(&keys->index_of_id, id);
    if (index == TV_MAP_NONE)
        TV_TRY(new_key(keys, trace, id, &index, err));
    *key = index * KEY_STEP;
    keys->cached_id[slot] = id;
    keys->cached_key[slot] = *key;
    return TV_OK;
}

static enum tv_code append_named(struct tv_keys *keys, struct tv_trace *trace,
                                 const struct tv_raw *raw, uint32_t *key_action,
                                 struct tv_error *err)
{
    for (size_t i = 0; i < raw->count; i++) {
        uint32_t key;
        TV_TRY(find_key(keys, trace, raw->method_id[i], &key, err));
        key_action[i] = key | raw->action[i];
    }
    return TV_OK;
}

/* The key of an enter; pushes it. */
static enum tv_code enter_key(struct tv_keys *keys, struct tv_trace *trace, uint64_t method_id,
                              uint32_t *top, uint32_t *key, struct tv_error *err)
{
    TV_TRY(find_key(keys, trace, method_id, key, err));
    return tv_key_stacks_push(&keys->stacks, top, *key, err);
}

/* The key of a bare exit: that on top of the stack, which is popped. */
static enum tv_code leave_key(struct tv_keys *keys, struct tv_trace *trace, uint32_t *top,
                              uint32_t *key, struct tv_error *err)
{
    if (!*top)
        return find_key(keys, trace, TV_METHOD_ID_UNKNOWN, key, err);
    *key = tv_key_stacks_pop(&keys->stacks, top);
    return TV_OK;
}

/* The stack of a thread lasts from block to block: a call may end in a later block
 * than it began. */
static enum tv_code append_bare(struct tv_keys *keys, struct tv_trace *trace,
                                const struct tv_raw *raw, uint32_t *key_action,
                                struct tv_error *err)
{
    uint32_t *top;
    TV_TRY(tv_map_slot(&keys->top_of_thread, raw->thread_id, 0, &top, err));
    for (size_t i = 0; i < raw->count; i++) {
        uint32_t key;
        bool is_enter = raw->action[i] == TV_ACTION_ENTER;
        TV_TRY(is_enter ? enter_key(keys, trace, raw->method_id[i], top, &key, err)
                        : leave_key(keys, trace, top, &key, err));
        key_action[i] = key | raw->action[i];
    }
    return TV_OK;
}

enum tv_code tv_keys_append(struct tv_keys *keys, struct tv_trace *trace, const struct tv_raw *raw,
                            enum tv_exits exits, struct tv_batch *batch, struct tv_error *err)
{
    uint32_t *key_action = batch->key_action + batch->count;
    TV_TRY(exits == TV_EXITS_BARE ? append_bare(keys, trace, raw, key_action, err)
                                  : append_named(keys, trace, raw, key_action, err));
    for (size_t i = 0; i < raw->count; i++) {
        batch->thread_id[batch->count + i] = raw->thread_id;
        batch->offsets[batch->count + i] = raw->offset[i];
    }
    batch->count += raw->count;
    return TV_OK;
}
