/*
 * Ranking methods; see index/build/ranks.h.
 *
 * Comparing names in full is slow, and methods without calls all compare by name. So each method
 * has a short key: its weight, and the first 16 bytes of its name behind what all classes begin
 * with. Only methods with equal keys are compared in full.
 */
#include "index/build/ranks.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/memory/sort.h"
#include "index/block.h"

/* Pieces of a shown name: class, dot, name, space, signature. */
#define PIECES 5u

/* The pieces of a method's shown name, `class.name signature`, one after the other. */
static void name_pieces(const struct tv_index *index, const struct tv_index_method *method,
                        struct tv_str pieces[PIECES])
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

/* Compares two texts that are given in pieces as if the pieces were joined. */
static int compare_pieces(struct tv_str a[PIECES], struct tv_str b[PIECES])
{
    unsigned i = 0;
    unsigned j = 0;
    for (;;) {
        while (i < PIECES && !a[i].len)
            i++;
        while (j < PIECES && !b[j].len)
            j++;
        if (i == PIECES || j == PIECES)
            return (i < PIECES) - (j < PIECES);
        size_t len = a[i].len < b[j].len ? a[i].len : b[j].len;
        int order = memcmp(a[i].at, b[j].at, len);
        if (order)
            return order;
        a[i] = (struct tv_str){a[i].at + len, a[i].len - len};
        b[j] = (struct tv_str){b[j].at + len, b[j].len - len};
    }
}

/* By shown name, then by id, which no two methods share. */
static int compare_names(const struct tv_index *index, uint32_t a, uint32_t b)
{
    const struct tv_index_method *left = &index->methods[a];
    const struct tv_index_method *right = &index->methods[b];
    struct tv_str left_name[PIECES];
    struct tv_str right_name[PIECES];
    name_pieces(index, left, left_name);
    name_pieces(index, right, right_name);
    int order = compare_pieces(left_name, right_name);
    if (order)
        return order;
    return (left->id > right->id) - (left->id < right->id);
}

/* What decides between nearly all pairs of methods. */
struct rank_key {
    uint64_t weight;  /* inclusive time on the default clock, plus 1; 0 without calls */
    uint64_t head[2]; /* 16 bytes of the name, the first in the highest bits, as memcmp compares */
};

struct ranking {
    const struct tv_index *index;
    const struct rank_key *keys; /* by method */
};

/* Methods with calls first; by inclusive time on the default clock, then by name, then by id. */
static int compare_ranks(const void *ctx, uint32_t a, uint32_t b)
{
    const struct ranking *ranking = ctx;
    const struct rank_key *left = &ranking->keys[a];
    const struct rank_key *right = &ranking->keys[b];
    if (left->weight != right->weight)
        return left->weight > right->weight ? -1 : 1;
    for (unsigned i = 0; i < TV_COUNT_OF(left->head); i++) {
        if (left->head[i] != right->head[i])
            return left->head[i] < right->head[i] ? -1 : 1;
    }
    return compare_names(ranking->index, a, b);
}

/* How many bytes the class names of all methods have in common at their beginning. */
static size_t common_len(const struct tv_index *index)
{
    struct tv_str first = {NULL, 0};
    for (uint32_t i = 0; i < index->method_count; i++) {
        const struct tv_index_method *method = &index->methods[i];
        struct tv_str name = tv_index_text(index, method->class_off, method->class_len);
        size_t len = 0;
        if (!i)
            first = name;
        while (len < name.len && len < first.len && name.at[len] == first.at[len])
            len++;
        first.len = len;
    }
    return first.len;
}

/* Sets the head of a key to the name from byte `skip` on, padded with zeros. Names with equal heads
 * may still differ. */
static void read_head(const struct tv_index *index, const struct tv_index_method *method,
                      size_t skip, struct rank_key *key)
{
    struct tv_str pieces[PIECES];
    unsigned count = 0;
    name_pieces(index, method, pieces);
    for (unsigned i = 0; i < PIECES; i++) {
        for (size_t k = i ? 0 : skip; k < pieces[i].len && count < sizeof(key->head); k++) {
            uint64_t byte = (uint8_t)pieces[i].at[k];
            key->head[count / 8] |= byte << (56 - count % 8 * 8);
            count++;
        }
    }
}

/* A called method weighs its inclusive time plus 1, so it ranks before every method without calls,
 * even where the clock never moved. */
enum tv_code tv_methods_rank(struct tv_index *index, const struct tv_alloc *alloc,
                             struct tv_error *err)
{
    struct tv_index_method *methods = tv_block_section(index, TV_SECTION_METHODS);
    uint32_t *of_rank = tv_block_section(index, TV_SECTION_METHOD_OF_RANK);
    struct tv_index_info *info = tv_block_section(index, TV_SECTION_INFO);
    enum tv_clock clock = tv_index_default_clock(index);
    const size_t skip = common_len(index);
    struct rank_key *keys;
    TV_TRY(tv_alloc_new(alloc, &keys, index->method_count, sizeof(*keys), err));
    for (uint32_t i = 0; i < index->method_count; i++) {
        of_rank[i] = i;
        read_head(index, &methods[i], skip, &keys[i]);
        if (methods[i].calls + methods[i].recursive_calls) {
            info->ranked_count++;
            keys[i].weight = methods[i].inclusive[clock] + 1;
        }
    }
    const struct ranking ranking = {.index = index, .keys = keys};
    enum tv_code code = tv_sort(alloc, of_rank, index->method_count, compare_ranks, &ranking, err);
    tv_alloc_release(alloc, &keys, index->method_count, sizeof(*keys));
    for (uint32_t i = 0; i < index->method_count && code == TV_OK; i++)
        methods[of_rank[i]].rank = i;
    return code;
}
