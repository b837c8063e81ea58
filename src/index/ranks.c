/* Ranking methods; see index/ranks.h. */
#include "index/ranks.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"
#include "index/block.h"

/* Of a shown name: class, dot, name, space, signature. */
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

/* Compares two texts given in five pieces, as if they were joined. */
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

/* Methods with calls: of each its inclusive time on the default clock. */
struct ranking {
    const struct tv_index *index;
    const uint64_t *weights;
};

static int compare_weights(const void *ctx, uint32_t a, uint32_t b)
{
    const struct ranking *ranking = ctx;
    if (ranking->weights[a] != ranking->weights[b])
        return ranking->weights[a] > ranking->weights[b] ? -1 : 1;
    return compare_names(ranking->index, a, b);
}

/* Bytes of a name in the order of memcmp, the first ones that names differ in. */
struct name_head {
    uint64_t words[2];
};

/* Methods without calls, which may be very many: of each the head of its name. */
struct naming {
    const struct tv_index *index;
    const struct name_head *heads;
};

static int compare_heads(const void *ctx, uint32_t a, uint32_t b)
{
    const struct naming *naming = ctx;
    const struct name_head *left = &naming->heads[a];
    const struct name_head *right = &naming->heads[b];
    for (unsigned i = 0; i < 2; i++) {
        if (left->words[i] != right->words[i])
            return left->words[i] < right->words[i] ? -1 : 1;
    }
    return compare_names(naming->index, a, b);
}

/* Bytes that the classes of all methods begin with. */
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

/* Where a name ends, zeros go on; two such heads may be alike and their names not. */
static struct name_head head_of(const struct tv_index *index, uint32_t method, size_t skip)
{
    struct tv_str pieces[PIECES];
    struct name_head head = {{0, 0}};
    unsigned count = 0;
    name_pieces(index, &index->methods[method], pieces);
    for (unsigned i = 0; i < PIECES; i++) {
        for (size_t k = i ? 0 : skip; k < pieces[i].len && count < sizeof(head.words); k++) {
            uint64_t byte = (uint8_t)pieces[i].at[k];
            head.words[count / 8] |= byte << (56 - count % 8 * 8);
            count++;
        }
    }
    return head;
}

/* `of_rank`: so many methods without calls. */
static enum tv_code rank_uncalled(const struct tv_index *index, const struct tv_alloc *alloc,
                                  uint32_t *of_rank, uint32_t count, struct tv_error *err)
{
    struct name_head *heads; /* of any method */
    const size_t skip = common_len(index);
    TV_TRY(tv_alloc_new(alloc, &heads, index->method_count, sizeof(*heads), err));
    for (uint32_t i = 0; i < count; i++)
        heads[of_rank[i]] = head_of(index, of_rank[i], skip);
    const struct naming naming = {.index = index, .heads = heads};
    enum tv_code code = tv_sort(alloc, of_rank, count, compare_heads, &naming, err);
    tv_alloc_free(alloc, heads, index->method_count, sizeof(*heads));
    return code;
}

static enum tv_code rank_called(const struct tv_index *index, const struct tv_alloc *alloc,
                                uint32_t *of_rank, uint32_t count, struct tv_error *err)
{
    uint64_t *weights; /* of any method */
    enum tv_clock clock = tv_index_default_clock(index);
    TV_TRY(tv_alloc_new(alloc, &weights, index->method_count, sizeof(*weights), err));
    for (uint32_t i = 0; i < count; i++)
        weights[of_rank[i]] = index->methods[of_rank[i]].inclusive[clock];
    const struct ranking ranking = {.index = index, .weights = weights};
    enum tv_code code = tv_sort(alloc, of_rank, count, compare_weights, &ranking, err);
    tv_alloc_free(alloc, weights, index->method_count, sizeof(*weights));
    return code;
}

/* Methods with calls first; by inclusive time on the default clock, then by name, then by id. */
enum tv_code tv_methods_rank(struct tv_index *index, const struct tv_alloc *alloc,
                             struct tv_error *err)
{
    struct tv_index_method *methods = tv_block_section(index, TV_SECTION_METHODS);
    uint32_t *of_rank = tv_block_section(index, TV_SECTION_METHOD_OF_RANK);
    struct tv_index_info *info = tv_block_section(index, TV_SECTION_INFO);
    uint32_t called = 0;
    uint32_t end = index->method_count;
    for (uint32_t i = 0; i < index->method_count; i++) {
        bool has_calls = methods[i].calls + methods[i].recursive_calls;
        of_rank[has_calls ? called++ : --end] = i;
    }
    info->ranked_count += called;
    TV_TRY(rank_called(index, alloc, of_rank, called, err));
    TV_TRY(rank_uncalled(index, alloc, of_rank + called, index->method_count - called, err));
    for (uint32_t i = 0; i < index->method_count; i++)
        methods[of_rank[i]].rank = i;
    return TV_OK;
}
