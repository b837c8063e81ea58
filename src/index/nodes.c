/* The growing calling context tree; see index/nodes.h. */
#include "index/nodes.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

/* So many children are a ring that is searched; that is as fast as a hash map. */
#define LISTED_CHILDREN 16u
/* Room at first, for none, the root and a child: a file may name very many threads that do very
 * little; and how much more is made room for at least. */
#define FIRST_ROOM 3u
#define ROOM_AT_ONCE 2u
/* Ordinals stay below 2^31, so that they and adopting calls fit 32 bits together. */
#define LARGEST_COUNT 0x40000000u

/* Keys of methods are multiples of 4. */
#define NO_KEY 1u

/* Children in a line of the table, as many as are compared at once; and so many, on average, from
 * which on there are more lines. */
#define LINE_LEN 4u
#define MOST_IN_LINE 3u
/* Lines from the first that a child may be in; by chance none is so far away. */
#define LONGEST_PROBE 64u
/* Nodes from one whose line is asked for to the one that is looked up. */
#define AHEAD 16u

/* Some children of any parents; where node is 0 there is none, and none behind. */
struct line {
    uint32_t key[LINE_LEN];
    uint32_t parent[LINE_LEN];
    uint32_t node[LINE_LEN];
    uint32_t hash[LINE_LEN];
};

struct tv_node_table {
    struct line *lines; /* by hash: the first have the smallest */
    size_t line_count;
    struct tv_map far; /* (parent << 32 | key) -> node: what found no place near its own */
};

/* Grows by a quarter: a tree is one of few blocks that are large, and moves by its pages. */
static enum tv_code grow(const struct tv_nodes *nodes, void *pointer, size_t *cap, size_t need,
                         size_t elem_len, struct tv_error *err)
{
    size_t new_cap = *cap + *cap / 4;
    size_t len;
    void *old;
    if (need <= *cap)
        return TV_OK;
    new_cap = new_cap < need ? need : new_cap;
    if (!tv_size_mul(new_cap, elem_len, &len))
        return tv_fail_memory(err, UINT64_MAX);
    memcpy(&old, pointer, sizeof(old));
    void *block = nodes->alloc->resize(nodes->alloc->ctx, old, *cap * elem_len, len);
    if (!block)
        return tv_fail_memory(err, len);
    memcpy(pointer, &block, sizeof(block));
    *cap = new_cap;
    return TV_OK;
}

static TV_NOINLINE enum tv_code add_room(struct tv_nodes *nodes, uint64_t offset,
                                         struct tv_error *err)
{
    if (nodes->count >= LARGEST_COUNT)
        return tv_fail(err, TV_ERR_LIMIT, offset, "more than %u calling contexts on one thread",
                       LARGEST_COUNT);
    size_t need = nodes->count ? nodes->count + ROOM_AT_ONCE : FIRST_ROOM;
    if (nodes->table)
        TV_TRY(grow(nodes, &nodes->keys, &nodes->key_cap, need, sizeof(*nodes->keys), err));
    else
        TV_TRY(grow(nodes, &nodes->guesses, &nodes->guess_cap, need, sizeof(*nodes->guesses), err));
    TV_TRY(grow(nodes, &nodes->parent, &nodes->parent_cap, need, sizeof(*nodes->parent), err));
    if (nodes->has_offsets)
        TV_TRY(grow(nodes, &nodes->first_offset, &nodes->offset_cap, need,
                    sizeof(*nodes->first_offset), err));
    nodes->cap = nodes->table ? nodes->key_cap : nodes->guess_cap;
    nodes->cap = nodes->cap < nodes->parent_cap ? nodes->cap : nodes->parent_cap;
    if (nodes->has_offsets && nodes->offset_cap < nodes->cap)
        nodes->cap = nodes->offset_cap;
    return TV_OK;
}

TV_MUST_CHECK TV_INLINE enum tv_code add_node(struct tv_nodes *nodes, uint32_t key, uint32_t parent,
                                              uint64_t offset, uint32_t *ordinal,
                                              struct tv_error *err)
{
    if (TV_UNLIKELY(nodes->count == nodes->cap))
        TV_TRY(add_room(nodes, offset, err));
    *ordinal = (uint32_t)nodes->count;
    if (nodes->table)
        nodes->keys[nodes->count] = key;
    else
        nodes->guesses[nodes->count] = (struct tv_node_guess){.key = key};
    nodes->parent[nodes->count] = parent;
    if (nodes->has_offsets)
        nodes->first_offset[nodes->count] = offset;
    nodes->count++;
    return TV_OK;
}

enum tv_code tv_nodes_init(struct tv_nodes *nodes, const struct tv_alloc *alloc, bool has_offsets,
                           struct tv_error *err)
{
    uint32_t ordinal;
    *nodes = (struct tv_nodes){.alloc = alloc, .has_offsets = has_offsets};
    TV_TRY(add_node(nodes, NO_KEY, 0, 0, &ordinal, err));
    return add_node(nodes, NO_KEY, TV_FIRST_NODE, 0, &ordinal, err);
}

static void release_guesses(struct tv_nodes *nodes)
{
    tv_alloc_free(nodes->alloc, nodes->guesses, nodes->guess_cap, sizeof(*nodes->guesses));
    nodes->guesses = NULL;
    nodes->guess_cap = 0;
    if (nodes->hashed)
        tv_map_release(nodes->hashed);
    tv_alloc_free(nodes->alloc, nodes->hashed, 1, sizeof(*nodes->hashed));
    nodes->hashed = NULL;
    if (nodes->table) {
        tv_alloc_free(nodes->alloc, nodes->table->lines, nodes->table->line_count,
                      sizeof(*nodes->table->lines));
        tv_map_release(&nodes->table->far);
    }
    tv_alloc_free(nodes->alloc, nodes->table, 1, sizeof(*nodes->table));
    nodes->table = NULL;
}

void tv_nodes_drop_keys(struct tv_nodes *nodes)
{
    release_guesses(nodes);
    tv_alloc_free(nodes->alloc, nodes->first_offset, nodes->offset_cap,
                  sizeof(*nodes->first_offset));
    tv_alloc_free(nodes->alloc, nodes->keys, nodes->key_cap, sizeof(*nodes->keys));
    nodes->first_offset = NULL;
    nodes->keys = NULL;
    nodes->offset_cap = nodes->key_cap = 0;
}

void tv_nodes_release(struct tv_nodes *nodes)
{
    if (!nodes->alloc)
        return;
    tv_nodes_drop_keys(nodes);
    tv_alloc_free(nodes->alloc, nodes->parent, nodes->parent_cap, sizeof(*nodes->parent));
    tv_alloc_free(nodes->alloc, nodes->sums, nodes->sum_cap, sizeof(*nodes->sums));
    tv_alloc_free(nodes->alloc, nodes->methods, nodes->count, sizeof(*nodes->methods));
    *nodes = (struct tv_nodes){.alloc = NULL};
}

enum tv_code tv_nodes_make_methods(struct tv_nodes *nodes, struct tv_error *err)
{
    size_t cap = 0;
    return grow(nodes, &nodes->methods, &cap, nodes->count, sizeof(*nodes->methods), err);
}

/* Keys move together in the block of guesses, whose rest is given back. */
void tv_nodes_finish(struct tv_nodes *nodes)
{
    const struct tv_alloc *alloc = nodes->alloc;
    const size_t ratio = sizeof(*nodes->guesses) / sizeof(*nodes->keys);
    char *block = (char *)nodes->guesses;
    for (size_t i = 0; i < nodes->count; i++) {
        uint32_t key = nodes->guesses[i].key;
        memcpy(block + i * sizeof(key), &key, sizeof(key));
    }
    nodes->keys = (uint32_t *)(void *)block;
    nodes->key_cap = nodes->guess_cap * ratio;
    nodes->guesses = NULL; /* not released: they are the keys now */
    release_guesses(nodes);
    tv_alloc_shrink(alloc, &nodes->keys, &nodes->key_cap, nodes->count, sizeof(*nodes->keys));
    tv_alloc_shrink(alloc, &nodes->parent, &nodes->parent_cap, nodes->count,
                    sizeof(*nodes->parent));
    if (nodes->has_offsets)
        tv_alloc_shrink(alloc, &nodes->first_offset, &nodes->offset_cap, nodes->count,
                        sizeof(*nodes->first_offset));
    nodes->cap = nodes->count;
}

enum tv_code tv_nodes_adopt(struct tv_nodes *nodes, uint32_t *root, uint32_t key, uint64_t offset,
                            struct tv_error *err)
{
    uint32_t adopter = *root;
    TV_TRY(add_node(nodes, NO_KEY, (uint32_t)nodes->count, 0, root, err));
    nodes->guesses[*root].last_child = adopter;
    nodes->guesses[adopter].key = key;
    nodes->guesses[adopter].next_sibling = adopter;
    nodes->parent[adopter] = *root;
    if (nodes->has_offsets)
        nodes->first_offset[adopter] = offset;
    return TV_OK;
}

static uint64_t edge_of(uint32_t parent, uint32_t key)
{
    return (uint64_t)parent << 32 | key;
}

/* Takes the ring that `child` is in apart. */
static enum tv_code hash_ring(struct tv_nodes *nodes, uint32_t parent, uint32_t child,
                              struct tv_error *err)
{
    if (!nodes->hashed) {
        TV_TRY(tv_alloc_new(nodes->alloc, &nodes->hashed, 1, sizeof(*nodes->hashed), err));
        tv_map_init(nodes->hashed, nodes->alloc);
    }
    while (nodes->guesses[child].next_sibling) {
        uint32_t next = nodes->guesses[child].next_sibling;
        TV_TRY(tv_map_put(nodes->hashed, edge_of(parent, nodes->guesses[child].key), child, err));
        nodes->guesses[child].next_sibling = 0;
        child = next;
    }
    return TV_OK;
}

/* A child of `parent`, which has none of that key; `last` is one of its children or 0. */
static enum tv_code add_child(struct tv_nodes *nodes, uint32_t parent, uint32_t key,
                              uint64_t offset, uint32_t last, uint32_t *child, struct tv_error *err)
{
    TV_TRY(add_node(nodes, key, parent, offset, child, err));
    struct tv_node_guess *guesses = nodes->guesses;
    if (!last) {
        guesses[*child].next_sibling = *child;
        guesses[parent].last_child = *child;
    } else if (guesses[last].next_sibling) {
        guesses[*child].next_sibling = guesses[last].next_sibling;
        guesses[last].next_sibling = *child;
    } else {
        return tv_map_put(nodes->hashed, edge_of(parent, key), *child, err);
    }
    return TV_OK;
}

/* The child of `parent` for `key`, 0 for none. *others counts those that were looked at. */
TV_INLINE uint32_t search_children(const struct tv_nodes *nodes, uint32_t parent, uint32_t key,
                                   unsigned *others)
{
    const struct tv_node_guess *guesses = nodes->guesses;
    const uint32_t last = guesses[parent].last_child;
    *others = 0;
    if (!last)
        return 0;
    if (!guesses[last].next_sibling) {
        uint32_t found = tv_map_get(nodes->hashed, edge_of(parent, key));
        return found == TV_MAP_NONE ? 0 : found;
    }
    uint32_t child = last;
    do {
        child = guesses[child].next_sibling;
        if (guesses[child].key == key)
            return child;
        ++*others;
    } while (child != last);
    return 0;
}

enum tv_code tv_nodes_find_child(struct tv_nodes *nodes, uint32_t parent, uint32_t key,
                                 uint64_t offset, uint32_t *child, struct tv_error *err)
{
    unsigned others;
    const uint32_t last = nodes->guesses[parent].last_child;
    *child = search_children(nodes, parent, key, &others);
    if (!*child) {
        if (others >= LISTED_CHILDREN)
            TV_TRY(hash_ring(nodes, parent, last, err));
        TV_TRY(add_child(nodes, parent, key, offset, last, child, err));
    }
    if (last) /* node 0 has no successor: it is not a child of this parent */
        nodes->guesses[last].successor = *child;
    nodes->guesses[parent].last_child = *child;
    return TV_OK;
}

static enum tv_code add_sums(struct tv_nodes *nodes, const struct tv_nodes *from,
                             const uint32_t *node_of, size_t known, struct tv_error *err)
{
    TV_TRY(grow(nodes, &nodes->sums, &nodes->sum_cap, nodes->count, sizeof(*nodes->sums), err));
    memset(nodes->sums + known, 0, (nodes->count - known) * sizeof(*nodes->sums));
    for (size_t i = TV_FIRST_NODE; i < from->count; i++) {
        struct tv_node_sums *to = &nodes->sums[node_of[i]];
        to->calls += from->sums[i].calls;
        to->inclusive[0] += from->sums[i].inclusive[0];
        to->inclusive[1] += from->sums[i].inclusive[1];
    }
    return TV_OK;
}

static uint32_t hash_of(uint32_t parent_hash, uint32_t key)
{
    return (parent_hash ^ key) * 0x9e3779b1u;
}

TV_INLINE size_t first_line(const struct tv_node_table *table, uint32_t hash)
{
    return (size_t)((uint64_t)hash * table->line_count >> 32);
}

TV_INLINE size_t next_line(const struct tv_node_table *table, size_t at)
{
    return at + 1 == table->line_count ? 0 : at + 1;
}

/* False where there is no place near. */
static bool put_near(struct tv_node_table *table, uint32_t hash, uint32_t parent, uint32_t key,
                     uint32_t node)
{
    size_t at = first_line(table, hash);
    for (unsigned probe = 0; probe < LONGEST_PROBE; probe++, at = next_line(table, at)) {
        struct line *line = &table->lines[at];
        for (unsigned i = 0; i < LINE_LEN; i++) {
            if (line->node[i])
                continue;
            line->key[i] = key;
            line->parent[i] = parent;
            line->node[i] = node;
            line->hash[i] = hash;
            return true;
        }
    }
    return false;
}

static enum tv_code put_child(struct tv_node_table *table, uint32_t hash, uint32_t parent,
                              uint32_t key, uint32_t node, struct tv_error *err)
{
    if (put_near(table, hash, parent, key, node))
        return TV_OK;
    return tv_map_put(&table->far, edge_of(parent, key), node, err);
}

/* Room for half as many nodes more. The lines keep their order, so both are gone through from the
 * first to the last. */
static enum tv_code widen_table(const struct tv_nodes *nodes, struct tv_error *err)
{
    struct tv_node_table *table = nodes->table;
    struct tv_node_table wider = {.line_count = nodes->count / 2 + 1, .far = table->far};
    TV_TRY(tv_alloc_new(nodes->alloc, &wider.lines, wider.line_count, sizeof(*wider.lines), err));
    enum tv_code code = TV_OK;
    for (size_t i = 0; i < table->line_count; i++) {
        const struct line *line = &table->lines[i];
        for (unsigned k = 0; k < LINE_LEN && line->node[k] && code == TV_OK; k++)
            code =
                put_child(&wider, line->hash[k], line->parent[k], line->key[k], line->node[k], err);
    }
    tv_alloc_free(nodes->alloc, table->lines, table->line_count, sizeof(*table->lines));
    *table = wider;
    return code;
}

/* The child of `parent` in the line, or 0. */
TV_INLINE uint32_t find_in_line(const struct line *line, uint32_t parent, uint32_t key)
{
    tv_u32x4 keys;
    tv_u32x4 parents;
    tv_u32x4 nodes;
    memcpy(&keys, line->key, sizeof(keys));
    memcpy(&parents, line->parent, sizeof(parents));
    memcpy(&nodes, line->node, sizeof(nodes));
    tv_u64x2 found = (tv_u64x2)((tv_u32x4)(keys == key) & (tv_u32x4)(parents == parent) & nodes);
    uint64_t either = found[0] | found[1];
    return (uint32_t)(either | either >> 32);
}

TV_INLINE uint32_t find_joined(const struct tv_node_table *table, uint32_t hash, uint32_t parent,
                               uint32_t key)
{
    size_t at = first_line(table, hash);
    for (unsigned probe = 0; probe < LONGEST_PROBE; probe++, at = next_line(table, at)) {
        uint32_t node = find_in_line(&table->lines[at], parent, key);
        if (node)
            return node;
        if (!table->lines[at].node[LINE_LEN - 1])
            break;
    }
    if (!table->far.count)
        return 0;
    uint32_t node = tv_map_get(&table->far, edge_of(parent, key));
    return node == TV_MAP_NONE ? 0 : node;
}

/* The hashes of the paths to the nodes of a tree, as they come to be needed. */
struct hashing {
    uint32_t *hash; /* of each node, up to here: */
    size_t end;
};

static enum tv_code begin_hashing(struct hashing *hashing, const struct tv_nodes *nodes,
                                  struct tv_error *err)
{
    TV_TRY(tv_alloc_new(nodes->alloc, &hashing->hash, nodes->count, sizeof(uint32_t), err));
    hashing->end = TV_FIRST_CHILD;
    return TV_OK;
}

/* The hash for a node, once it and those soon after it have their lines of the table asked for. */
TV_INLINE uint32_t hash_ahead(struct hashing *hashing, const struct tv_nodes *nodes, size_t node,
                              const struct tv_node_table *table)
{
    for (; hashing->end < nodes->count && hashing->end < node + AHEAD; hashing->end++) {
        size_t i = hashing->end;
        hashing->hash[i] = hash_of(hashing->hash[nodes->parent[i]], tv_nodes_key(nodes, i));
        TV_PREFETCH_WRITE(&table->lines[first_line(table, hashing->hash[i])]);
    }
    return hashing->hash[node];
}

/* Makes the table, of the nodes that there are. */
static enum tv_code make_table(struct tv_nodes *nodes, struct tv_error *err)
{
    struct hashing hashing;
    const struct tv_alloc *alloc = nodes->alloc;
    tv_nodes_finish(nodes);
    TV_TRY(tv_alloc_new(alloc, &nodes->table, 1, sizeof(*nodes->table), err));
    tv_map_init(&nodes->table->far, alloc);
    TV_TRY(widen_table(nodes, err));
    TV_TRY(begin_hashing(&hashing, nodes, err));
    enum tv_code code = TV_OK;
    for (size_t i = TV_FIRST_CHILD; i < nodes->count && code == TV_OK; i++) {
        uint32_t hash = hash_ahead(&hashing, nodes, i, nodes->table);
        code = put_child(nodes->table, hash, nodes->parent[i], nodes->keys[i], (uint32_t)i, err);
    }
    tv_alloc_free(alloc, hashing.hash, nodes->count, sizeof(uint32_t));
    return code;
}

static enum tv_code join_child(struct tv_nodes *nodes, uint32_t hash, uint32_t parent, uint32_t key,
                               uint32_t *child, struct tv_error *err)
{
    *child = find_joined(nodes->table, hash, parent, key);
    if (*child)
        return TV_OK;
    if (nodes->count >= nodes->table->line_count * MOST_IN_LINE)
        TV_TRY(widen_table(nodes, err));
    TV_TRY(add_node(nodes, key, parent, 0, child, err));
    return put_child(nodes->table, hash, parent, key, *child, err);
}

enum tv_code tv_nodes_graft(struct tv_nodes *nodes, const struct tv_nodes *from, uint32_t *node_of,
                            struct tv_error *err)
{
    const size_t known = nodes->count;
    struct hashing hashing;
    if (!nodes->table)
        TV_TRY(make_table(nodes, err));
    TV_TRY(begin_hashing(&hashing, from, err));
    enum tv_code code = TV_OK;
    node_of[TV_FIRST_NODE] = TV_FIRST_NODE;
    for (size_t i = TV_FIRST_CHILD; i < from->count && code == TV_OK; i++) {
        uint32_t hash = hash_ahead(&hashing, from, i, nodes->table);
        code = join_child(nodes, hash, node_of[from->parent[i]], tv_nodes_key(from, i), &node_of[i],
                          err);
    }
    tv_alloc_free(nodes->alloc, hashing.hash, from->count, sizeof(uint32_t));
    TV_TRY(code);
    return from->sums ? add_sums(nodes, from, node_of, known, err) : TV_OK;
}

enum tv_code tv_nodes_make_sums(struct tv_nodes *nodes, struct tv_error *err)
{
    TV_TRY(tv_alloc_new(nodes->alloc, &nodes->sums, nodes->count, sizeof(*nodes->sums), err));
    nodes->sum_cap = nodes->count;
    return TV_OK;
}
