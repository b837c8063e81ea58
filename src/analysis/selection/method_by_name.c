/*
 * Finds the method that a user means; see analysis/selection/method_by_name.h.
 *
 * A number is a rank, and "0x" with digits an id that some method has. All else is a name, which is
 * looked for among all methods: it is typed once, and an index of names would be needed for this
 * only.
 */
#include "analysis/selection/method_by_name.h"

#include "analysis/selection/names.h"
#include "base/buffer.h"
#include "base/error.h"

enum tv_code tv_method_by_rank(const struct tv_index *index, uint64_t rank, uint32_t *method_ix,
                               struct tv_error *err)
{
    if (rank >= index->method_count)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "no method has the rank %llu",
                       (unsigned long long)rank);
    *method_ix = index->method_of_rank[rank];
    return TV_OK;
}

/* The methods of a name, as far as they are known. */
struct named {
    uint32_t whole;       /* the method of this whole name, or TV_NONE */
    uint32_t short_first; /* the first method called "class.name", or TV_NONE */
    uint32_t short_count; /* how many are called so */
};

/* Goes over the methods by rank, and stops at the first that has the whole name. */
static enum tv_code compare_names(const struct tv_index *index, struct tv_str name,
                                  struct tv_buffer *text, struct named *named, struct tv_error *err)
{
    for (uint32_t rank = 0; rank < index->method_count && named->whole == TV_NONE; rank++) {
        uint32_t at = index->method_of_rank[rank];
        TV_TRY(tv_method_text(index, at, text, err));
        struct tv_str whole = tv_buffer_view(text);
        size_t tail_len = tv_method_signature(index, at).len + 1; /* a space and the signature */
        if (tv_str_equal(whole, name))
            named->whole = at;
        if (whole.len > tail_len && whole.len - tail_len == name.len &&
            tv_str_starts_with(whole, name)) {
            named->short_first = named->short_count ? named->short_first : at;
            named->short_count++;
        }
    }
    return TV_OK;
}

/* A whole name counts first; "class.name" counts if only one method has it. */
static enum tv_code find_by_name(const struct tv_index *index, struct tv_str name,
                                 const struct tv_alloc *alloc, uint32_t *method_ix,
                                 struct tv_error *err)
{
    struct named named = {.whole = TV_NONE, .short_first = TV_NONE};
    struct tv_buffer text;
    tv_buffer_init(&text, alloc);
    enum tv_code code = compare_names(index, name, &text, &named, err);
    tv_buffer_release(&text);
    if (code != TV_OK)
        return code;
    if (named.whole == TV_NONE && named.short_count > 1)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "%u methods are called \"%.*s\": add the signature", named.short_count,
                       tv_str_shown_len(name), name.at);
    *method_ix = named.whole == TV_NONE ? named.short_first : named.whole;
    if (*method_ix == TV_NONE)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "no method is called \"%.*s\"",
                       tv_str_shown_len(name), name.at);
    return TV_OK;
}

enum tv_code tv_method_by_name(const struct tv_index *index, struct tv_str text,
                               const struct tv_alloc *alloc, uint32_t *method_ix,
                               struct tv_error *err)
{
    uint64_t number;
    if (tv_str_to_u64(text, 10, &number))
        return tv_method_by_rank(index, number, method_ix, err);
    *method_ix = TV_NONE;
    if (tv_str_starts_with(text, TV_STR("0x")) &&
        tv_str_to_u64((struct tv_str){text.at + 2, text.len - 2}, 16, &number))
        *method_ix = tv_index_method_of_id(index, number);
    return *method_ix == TV_NONE ? find_by_name(index, text, alloc, method_ix, err) : TV_OK;
}
