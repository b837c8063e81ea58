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
#include "base/names/ambiguous_name.h"

void tv_name_index_init(struct tv_name_index *names, const struct tv_alloc *alloc)
{
    *names = (struct tv_name_index){.alloc = alloc};
    tv_arena_init(&names->texts, alloc);
}

void tv_name_index_release(struct tv_name_index *names)
{
    tv_alloc_release(names->alloc, &names->open, names->open_cap, sizeof(*names->open));
    tv_alloc_release(names->alloc, &names->parts, names->part_cap, sizeof(*names->parts));
    tv_alloc_release(names->alloc, &names->of, names->cap, sizeof(*names->of));
    tv_arena_release(&names->texts);
    tv_name_index_init(names, names->alloc);
}

void tv_found_methods_release(struct tv_found_methods *found)
{
    tv_alloc_release(found->alloc, &found->of, found->cap, sizeof(*found->of));
    tv_alloc_release(found->alloc, &found->maybe, found->maybe_cap, sizeof(*found->maybe));
    *found = (struct tv_found_methods){.alloc = found->alloc};
}

/* Notes a name as people write it, with and without its signature: a pattern may match either, and
 * the shorter one is a beginning of the other. */
static enum tv_code add_name(struct tv_name_index *names, const struct tv_joined_method *method,
                             struct tv_indexed_name name, struct tv_buffer *text,
                             struct tv_error *err)
{
    char *copy;
    TV_TRY(tv_joined_text(method, text, err));
    TV_TRY(tv_arena_take(&names->texts, text->len, &copy, err));
    memcpy(copy, text->bytes, text->len);
    name.whole = (struct tv_str){copy, text->len};
    name.plain_len = text->len;
    if (method->signature.len && method->signature.len < text->len)
        name.plain_len -= method->signature.len + 1;
    TV_TRY(tv_alloc_grow(names->alloc, &names->of, &names->cap, names->count + 1,
                         sizeof(*names->of), err));
    names->of[names->count++] = name;
    if (name.part != TV_NONE)
        names->parts[name.part] = name;
    return TV_OK;
}

/* One of the methods that a name lists. */
static struct tv_joined_method alternative_of(const struct tv_joined_method *method,
                                              const struct tv_alternative *alternative)
{
    const bool is_of_class = alternative->class_name.at == method->class_name.stem.at;
    return (struct tv_joined_method){
        .class_name = {alternative->class_name, is_of_class && method->class_name.is_cut},
        .name = {.stem = alternative->name},
        .signature = method->signature};
}

/* Notes what a name lists. */
static enum tv_code add_parts(struct tv_name_index *names, const struct tv_joined_method *method,
                              uint32_t place, struct tv_buffer *text, struct tv_error *err)
{
    struct tv_str rest = method->alternatives;
    struct tv_alternative alternative;
    while (tv_alternative_next(method->class_name.stem, &rest, &alternative)) {
        const struct tv_joined_method one = alternative_of(method, &alternative);
        const struct tv_indexed_name part = {.method = place, .part = (uint32_t)names->part_count};
        TV_TRY(tv_alloc_grow(names->alloc, &names->parts, &names->part_cap, names->part_count + 1,
                             sizeof(*names->parts), err));
        names->parts[names->part_count++] = part;
        if (!alternative.is_any) {
            TV_TRY(add_name(names, &one, part, text, err));
            continue;
        }
        TV_TRY(tv_alloc_grow(names->alloc, &names->open, &names->open_cap, names->open_count + 1,
                             sizeof(*names->open), err));
        names->open[names->open_count++] = part.part;
    }
    return TV_OK;
}

static int compare_names(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_indexed_name *names = ctx;
    return tv_str_compare(names[a].whole, names[b].whole);
}

enum tv_code tv_name_index_make(struct tv_name_index *names, const struct tv_join *join,
                                struct tv_error *err)
{
    struct tv_buffer text;
    tv_name_index_release(names);
    tv_buffer_init(&text, names->alloc);
    enum tv_code code =
        tv_alloc_grow(names->alloc, &names->of, &names->cap, join->count, sizeof(*names->of), err);
    for (uint32_t i = 0; code == TV_OK && i < join->count; i++) {
        const struct tv_joined_method *method = &join->methods[i];
        code = add_name(names, method,
                        (struct tv_indexed_name){
                            .method = i, .part = TV_NONE, .is_list = method->alternatives.len},
                        &text, err);
        if (code == TV_OK && method->alternatives.len)
            code = add_parts(names, method, i, &text, err);
    }
    if (code == TV_OK)
        code = tv_sort_rows(names->alloc, names->of, names->count, sizeof(*names->of),
                            compare_names, names->of, err);
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

static bool is_match(const struct tv_indexed_name *name, struct tv_str pattern)
{
    const struct tv_str plain = {name->whole.at, name->plain_len};
    return tv_str_glob(name->whole, pattern) || tv_str_glob(plain, pattern);
}

/* What is found of a method whose name lists several, by one of them that the pattern matches. */
enum finding { FOUND_BEFORE, FOUND_MAYBE, FOUND_SURELY };

static enum finding judge_part(const struct tv_name_index *names, uint32_t part,
                               struct tv_str pattern)
{
    const struct tv_indexed_name *parts = names->parts;
    const uint32_t method = parts[part].method;
    enum finding finding = FOUND_SURELY;
    for (uint32_t i = part; i > 0 && parts[i - 1].method == method; i--) {
        if (is_match(&parts[i - 1], pattern))
            return FOUND_BEFORE;
        finding = FOUND_MAYBE;
    }
    for (uint32_t i = part + 1; i < names->part_count && parts[i].method == method; i++) {
        if (!is_match(&parts[i], pattern))
            finding = FOUND_MAYBE;
    }
    return finding;
}

static bool is_list(struct tv_str pattern)
{
    return tv_str_find(pattern, TV_STR("|"), TV_CASE_EXACT) != SIZE_MAX;
}

/* A pattern that lists methods itself is of whole names; any other is of what a name lists, since
 * its first letters are those of one of them. */
static enum finding judge_match(const struct tv_name_index *names,
                                const struct tv_indexed_name *name, struct tv_str pattern)
{
    const bool is_whole = name->part == TV_NONE;
    if (is_whole && !name->is_list)
        return FOUND_SURELY;
    if (is_whole != is_list(pattern))
        return FOUND_BEFORE;
    return is_whole ? FOUND_SURELY : judge_part(names, name->part, pattern);
}

static enum tv_code add_found(struct tv_found_methods *found, uint32_t method, enum finding finding,
                              struct tv_error *err)
{
    if (finding == FOUND_MAYBE) {
        TV_TRY(tv_alloc_grow(found->alloc, &found->maybe, &found->maybe_cap, found->maybe_count + 1,
                             sizeof(*found->maybe), err));
        found->maybe[found->maybe_count++] = method;
    }
    if (finding == FOUND_SURELY) {
        TV_TRY(tv_alloc_grow(found->alloc, &found->of, &found->cap, found->count + 1,
                             sizeof(*found->of), err));
        found->of[found->count++] = method;
    }
    return TV_OK;
}

/* Whether a method was found by what it lists, up to the part that may be any. */
static bool is_named(const struct tv_name_index *names, uint32_t open, struct tv_str pattern)
{
    const struct tv_indexed_name *parts = names->parts;
    for (uint32_t i = open + 1; i > 0 && parts[i - 1].method == parts[open].method; i--) {
        if (is_match(&parts[i - 1], pattern))
            return true;
    }
    return false;
}

static enum tv_code add_open(const struct tv_name_index *names, struct tv_str pattern,
                             struct tv_found_methods *found, struct tv_error *err)
{
    found->named_count = found->maybe_count;
    for (size_t i = 0; !is_list(pattern) && i < names->open_count; i++) {
        const uint32_t open = names->open[i];
        if (!is_named(names, open, pattern))
            TV_TRY(add_found(found, names->parts[open].method, FOUND_MAYBE, err));
    }
    return TV_OK;
}

/* The patterns of people have a literal beginning almost always; one that begins with a star is
 * matched against every name. */
enum tv_code tv_name_index_find(const struct tv_name_index *names, struct tv_str pattern,
                                struct tv_found_methods *found, struct tv_error *err)
{
    struct tv_str beginning = literal_beginning(pattern);
    found->count = found->maybe_count = 0;
    for (size_t i = first_from(names, beginning);
         i < names->count && tv_str_starts_with(names->of[i].whole, beginning); i++) {
        const struct tv_indexed_name *name = &names->of[i];
        if (is_match(name, pattern))
            TV_TRY(add_found(found, name->method, judge_match(names, name, pattern), err));
    }
    return add_open(names, pattern, found, err);
}
