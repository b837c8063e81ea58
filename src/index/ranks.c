/* Ranking methods; see index/ranks.h. */
#include "index/ranks.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"
#include "index/block.h"

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

/* Of each method its inclusive time on the default clock and 1, without calls 0: what most of them
 * differ by. */
struct ranking {
    const struct tv_index *index;
    const uint64_t *weights;
};

/* Methods with calls first; by inclusive time on the default clock, then by name, then by id. */
static int compare_rank(const void *ctx, uint32_t a, uint32_t b)
{
    const struct ranking *ranking = ctx;
    const struct tv_index_method *left = &ranking->index->methods[a];
    const struct tv_index_method *right = &ranking->index->methods[b];
    if (ranking->weights[a] != ranking->weights[b])
        return ranking->weights[a] > ranking->weights[b] ? -1 : 1;
    struct tv_str left_name[5];
    struct tv_str right_name[5];
    name_pieces(ranking->index, left, left_name);
    name_pieces(ranking->index, right, right_name);
    int order = compare_pieces(left_name, right_name);
    if (order)
        return order;
    return (left->id > right->id) - (left->id < right->id);
}

enum tv_code tv_methods_rank(struct tv_index *index, const struct tv_alloc *alloc,
                             struct tv_error *err)
{
    struct tv_index_method *methods = tv_block_section(index, TV_SECTION_METHODS);
    uint32_t *of_rank = tv_block_section(index, TV_SECTION_METHOD_OF_RANK);
    struct tv_index_info *info = tv_block_section(index, TV_SECTION_INFO);
    enum tv_clock clock = tv_index_default_clock(index);
    uint64_t *weights;
    TV_TRY(tv_alloc_new(alloc, &weights, index->method_count, sizeof(*weights), err));
    for (uint32_t i = 0; i < index->method_count; i++) {
        of_rank[i] = i;
        if (methods[i].calls + methods[i].recursive_calls) {
            info->ranked_count++;
            weights[i] = methods[i].inclusive[clock] + 1;
        }
    }
    const struct ranking ranking = {.index = index, .weights = weights};
    enum tv_code code = tv_sort(alloc, of_rank, index->method_count, compare_rank, &ranking, err);
    tv_alloc_free(alloc, weights, index->method_count, sizeof(*weights));
    for (uint32_t i = 0; i < index->method_count && code == TV_OK; i++)
        methods[of_rank[i]].rank = i;
    return code;
}
