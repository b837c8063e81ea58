/*
 * Finding methods by patterns; see compare/name_index.h.
 *
 * Names are sorted bytewise, so those that begin with a pattern's text before its first star or
 * question mark stand together: a search finds the first of them, and only these are matched.
 */
#include "compare/name_index.h"

#include <string.h>

#include "base/memory/buffer.h"
#include "base/memory/sort.h"

void tv_name_index_init(struct tv_name_index *names, const struct tv_alloc *alloc)
{
    *names = (struct tv_name_index){.alloc = alloc};
    tv_arena_init(&names->texts, alloc);
}

void tv_name_index_release(struct tv_name_index *names)
{
    tv_alloc_release(names->alloc, &names->of, names->count, sizeof(*names->of));
    tv_arena_release(&names->texts);
    tv_name_index_init(names, names->alloc);
}

/* Notes a name as people write it, with and without its signature: a pattern may match either, and
 * the shorter one is a beginning of the other. */
static enum tv_code add_name(struct tv_name_index *names, const struct tv_joined_method *method,
                             uint32_t place, struct tv_buffer *text,
                             struct tv_indexed_name *unsorted, struct tv_error *err)
{
    char *copy;
    TV_TRY(tv_joined_text(method, text, err));
    TV_TRY(tv_arena_take(&names->texts, text->len, &copy, err));
    memcpy(copy, text->bytes, text->len);
    unsorted[place] = (struct tv_indexed_name){{copy, text->len}, text->len, place};
    if (method->signature.len && method->signature.len < text->len)
        unsorted[place].plain_len -= method->signature.len + 1;
    return TV_OK;
}

static int compare_names(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_indexed_name *names = ctx;
    return tv_str_compare(names[a].whole, names[b].whole);
}

static enum tv_code sort_names(struct tv_name_index *names, const struct tv_indexed_name *unsorted,
                               struct tv_error *err)
{
    uint32_t *order;
    TV_TRY(tv_alloc_new(names->alloc, &order, names->count, sizeof(*order), err));
    for (size_t i = 0; i < names->count; i++)
        order[i] = (uint32_t)i;
    enum tv_code code = tv_sort(names->alloc, order, names->count, compare_names, unsorted, err);
    for (size_t i = 0; code == TV_OK && i < names->count; i++)
        names->of[i] = unsorted[order[i]];
    tv_alloc_release(names->alloc, &order, names->count, sizeof(*order));
    return code;
}

enum tv_code tv_name_index_make(struct tv_name_index *names, const struct tv_join *join,
                                struct tv_error *err)
{
    struct tv_indexed_name *unsorted = NULL;
    struct tv_buffer text;
    tv_name_index_release(names);
    TV_TRY(tv_alloc_new(names->alloc, &names->of, join->count, sizeof(*names->of), err));
    names->count = join->count;
    tv_buffer_init(&text, names->alloc);
    enum tv_code code = tv_alloc_new(names->alloc, &unsorted, join->count, sizeof(*unsorted), err);
    for (size_t i = 0; code == TV_OK && i < join->count; i++)
        code = add_name(names, &join->methods[i], (uint32_t)i, &text, unsorted, err);
    if (code == TV_OK)
        code = sort_names(names, unsorted, err);
    tv_alloc_release(names->alloc, &unsorted, join->count, sizeof(*unsorted));
    tv_buffer_release(&text);
    if (code != TV_OK)
        tv_name_index_release(names);
    return code;
}

/* The pattern's text before its first * or ?. */
static struct tv_str literal_beginning(struct tv_str pattern)
{
    size_t len = 0;
    while (len < pattern.len && pattern.at[len] != '*' && pattern.at[len] != '?')
        len++;
    return (struct tv_str){pattern.at, len};
}

/* The first name that is not before a text. */
static size_t first_from(const struct tv_name_index *names, struct tv_str text)
{
    size_t low = 0;
    size_t high = names->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tv_str_compare(names->of[middle].whole, text) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The patterns of people have a literal beginning almost always; one that begins with a star is
 * matched against every name. */
enum tv_code tv_name_index_find(const struct tv_name_index *names, struct tv_str pattern,
                                struct tv_found_methods *found, struct tv_error *err)
{
    struct tv_str beginning = literal_beginning(pattern);
    found->count = 0;
    for (size_t i = first_from(names, beginning);
         i < names->count && tv_str_starts_with(names->of[i].whole, beginning); i++) {
        const struct tv_indexed_name *name = &names->of[i];
        struct tv_str plain = {name->whole.at, name->plain_len};
        if (!tv_str_glob(name->whole, pattern) && !tv_str_glob(plain, pattern))
            continue;
        TV_TRY(tv_alloc_grow(found->alloc, &found->of, &found->cap, found->count + 1,
                             sizeof(*found->of), err));
        found->of[found->count++] = name->method;
    }
    return TV_OK;
}
