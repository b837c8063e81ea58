/*
 * Finding methods by patterns; see compare/name_index.h.
 *
 * Names are sorted bytewise, so those that begin with a pattern's text before its first star or
 * question mark stand together: a search finds the first of them, and only these are matched.
 */
#include "compare/name_index.h"

#include <string.h>

#include "analysis/selection/spelling.h"
#include "base/compiler.h"
#include "base/memory/buffer.h"
#include "base/memory/sort.h"
#include "base/names/ambiguous_name.h"
#include "base/names/signature_spelling.h"
#include "base/names/stable_name.h"

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
    name.is_cut = method->class_name.is_cut || method->name.is_cut;
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

/* --- the ways in which a pattern may be written --- */

/* One of the ways in which a pattern is understood. */
struct way {
    struct tv_str name;
    struct tv_str signature; /* empty: the name is matched with and without its signature */
    bool is_of_cut;          /* of names that are cut alone */
};

/* As written; with the separators of people, and the signature apart; without the numbers that are
 * cut off names, of the class and the method, or of a class that a star goes on behind. */
#define WAYS_MOST 4u

struct ways {
    struct way of[WAYS_MOST];
    size_t count;
    struct tv_buffer spelled, stable, class_alone; /* texts */
};

static void add_way(struct ways *ways, struct way way)
{
    ways->of[ways->count++] = way;
}

/* Adds the ways without numbers. */
static enum tv_code add_stable(struct ways *ways, struct way spelled, struct tv_error *err)
{
    const struct tv_str name = spelled.name;
    size_t point = name.len;
    while (point && name.at[point - 1] != '.')
        point--;
    const struct tv_str method = {name.at + point, name.len - point};
    const struct tv_stable_name class_part =
        tv_stable_class_pattern((struct tv_str){name.at, point ? point - 1 : 0});
    const struct tv_stable_name method_part = tv_stable_method_pattern(method);
    spelled.is_of_cut = true;
    if (class_part.is_cut || method_part.is_cut) {
        TV_TRY(tv_joined_add_name(&ways->stable, &class_part, err));
        if (point)
            TV_TRY(tv_buffer_append(&ways->stable, ".", 1, err));
        TV_TRY(tv_joined_add_name(&ways->stable, &method_part, err));
        spelled.name = tv_buffer_view(&ways->stable);
        add_way(ways, spelled);
    }
    if (!tv_str_ends_with(name, TV_STR("*")))
        return TV_OK;
    const struct tv_stable_name whole = tv_stable_class_pattern(name);
    if (whole.is_cut) {
        TV_TRY(tv_joined_add_name(&ways->class_alone, &whole, err));
        spelled.name = tv_buffer_view(&ways->class_alone);
        add_way(ways, spelled);
    }
    return TV_OK;
}

static enum tv_code make_ways(struct ways *ways, struct tv_str pattern, struct tv_error *err)
{
    add_way(ways, (struct way){.name = pattern});
    TV_TRY(tv_spelling_of(pattern, &ways->spelled, err));
    struct way way = {.name = tv_buffer_view(&ways->spelled)};
    const size_t at = tv_str_find(way.name, TV_STR("("), TV_CASE_EXACT);
    if (at != SIZE_MAX) {
        way.signature = (struct tv_str){way.name.at + at, way.name.len - at};
        way.name = tv_str_trim((struct tv_str){way.name.at, at});
    }
    if (way.signature.len || !tv_str_equal(way.name, pattern))
        add_way(ways, way);
    return add_stable(ways, way, err);
}

static void release_ways(struct ways *ways)
{
    tv_buffer_release(&ways->spelled);
    tv_buffer_release(&ways->stable);
    tv_buffer_release(&ways->class_alone);
}

/* Whether a name has a signature, and this is a spelling of it. */
static bool has_signature(const struct tv_indexed_name *name, struct tv_str spelled)
{
    if (name->plain_len == name->whole.len)
        return false;
    const struct tv_str signature = {name->whole.at + name->plain_len + 1,
                                     name->whole.len - name->plain_len - 1};
    return tv_str_glob(signature, spelled) || tv_signature_is_spelled(signature, spelled);
}

static bool is_way_of(const struct tv_indexed_name *name, const struct way *way)
{
    const struct tv_str plain = {name->whole.at, name->plain_len};
    if (way->is_of_cut && !name->is_cut)
        return false;
    if (!way->signature.len)
        return tv_str_glob(name->whole, way->name) || tv_str_glob(plain, way->name);
    return tv_str_glob(plain, way->name) && has_signature(name, way->signature);
}

/* Whether a name is of one of the first ways. */
static bool is_of_first(const struct tv_indexed_name *name, const struct ways *ways, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (is_way_of(name, &ways->of[i]))
            return true;
    }
    return false;
}

static bool is_match(const struct tv_indexed_name *name, const struct ways *ways)
{
    return is_of_first(name, ways, ways->count);
}

/* What is found of a method whose name lists several, by one of them that the pattern matches. */
enum match { FOUND_BEFORE, FOUND_MAYBE, FOUND_SURELY };

static enum match judge_part(const struct tv_name_index *names, uint32_t part,
                             const struct ways *ways)
{
    const struct tv_indexed_name *parts = names->parts;
    const uint32_t method = parts[part].method;
    enum match match = FOUND_SURELY;
    for (uint32_t i = part; i > 0 && parts[i - 1].method == method; i--) {
        if (is_match(&parts[i - 1], ways))
            return FOUND_BEFORE;
        match = FOUND_MAYBE;
    }
    for (uint32_t i = part + 1; i < names->part_count && parts[i].method == method; i++) {
        if (!is_match(&parts[i], ways))
            match = FOUND_MAYBE;
    }
    return match;
}

static bool is_list(const struct ways *ways)
{
    return tv_str_find(ways->of[0].name, TV_STR("|"), TV_CASE_EXACT) != SIZE_MAX;
}

/* A pattern that lists methods itself is of whole names; any other is of what a name lists, since
 * its first letters are those of one of them. */
static enum match judge_match(const struct tv_name_index *names, const struct tv_indexed_name *name,
                              const struct ways *ways)
{
    const bool is_whole = name->part == TV_NONE;
    if (is_whole && !name->is_list)
        return FOUND_SURELY;
    if (is_whole != is_list(ways))
        return FOUND_BEFORE;
    return is_whole ? FOUND_SURELY : judge_part(names, name->part, ways);
}

static enum tv_code add_found(struct tv_found_methods *found, uint32_t method, enum match match,
                              struct tv_error *err)
{
    if (match == FOUND_MAYBE) {
        TV_TRY(tv_alloc_grow(found->alloc, &found->maybe, &found->maybe_cap, found->maybe_count + 1,
                             sizeof(*found->maybe), err));
        found->maybe[found->maybe_count++] = method;
    }
    if (match == FOUND_SURELY) {
        TV_TRY(tv_alloc_grow(found->alloc, &found->of, &found->cap, found->count + 1,
                             sizeof(*found->of), err));
        found->of[found->count++] = method;
    }
    return TV_OK;
}

/* Whether a method was found by what it lists, up to the part that may be any. */
static bool is_named(const struct tv_name_index *names, uint32_t open, const struct ways *ways)
{
    const struct tv_indexed_name *parts = names->parts;
    for (uint32_t i = open + 1; i > 0 && parts[i - 1].method == parts[open].method; i--) {
        if (is_match(&parts[i - 1], ways))
            return true;
    }
    return false;
}

static enum tv_code add_open(const struct tv_name_index *names, const struct ways *ways,
                             struct tv_found_methods *found, struct tv_error *err)
{
    found->named_count = found->maybe_count;
    for (size_t i = 0; !is_list(ways) && i < names->open_count; i++) {
        const uint32_t open = names->open[i];
        if (!is_named(names, open, ways))
            TV_TRY(add_found(found, names->parts[open].method, FOUND_MAYBE, err));
    }
    return TV_OK;
}

/* The patterns of people have a literal beginning almost always; one that begins with a star is
 * matched against every name. */
static enum tv_code find_way(const struct tv_name_index *names, const struct ways *ways,
                             size_t place, struct tv_found_methods *found, struct tv_error *err)
{
    const struct way *way = &ways->of[place];
    struct tv_str beginning = tv_str_glob_beginning(way->name);
    for (size_t i = first_from(names, beginning);
         i < names->count && tv_str_starts_with(names->of[i].whole, beginning); i++) {
        const struct tv_indexed_name *name = &names->of[i];
        if (is_way_of(name, way) && !is_of_first(name, ways, place))
            TV_TRY(add_found(found, name->method, judge_match(names, name, ways), err));
    }
    return TV_OK;
}

static void init_ways(struct ways *ways, const struct tv_alloc *alloc)
{
    ways->count = 0;
    tv_buffer_init(&ways->spelled, alloc);
    tv_buffer_init(&ways->stable, alloc);
    tv_buffer_init(&ways->class_alone, alloc);
}

enum tv_code tv_name_index_find(const struct tv_name_index *names, struct tv_str pattern,
                                struct tv_found_methods *found, struct tv_error *err)
{
    struct ways ways;
    found->count = found->maybe_count = 0;
    init_ways(&ways, names->alloc);
    enum tv_code code = make_ways(&ways, pattern, err);
    for (size_t i = 0; code == TV_OK && i < ways.count; i++)
        code = find_way(names, &ways, i, found, err);
    if (code == TV_OK)
        code = add_open(names, &ways, found, err);
    release_ways(&ways);
    return code;
}

static bool ends_behind_point(struct tv_str name, struct tv_str end)
{
    return name.len > end.len && tv_str_ends_with(name, end) &&
           memchr(".$", name.at[name.len - end.len - 1], 2);
}

static bool is_ending(const struct tv_indexed_name *name, const struct way *way)
{
    const struct tv_str plain = {name->whole.at, name->plain_len};
    if (!way->signature.len)
        return ends_behind_point(plain, way->name) || ends_behind_point(name->whole, way->name);
    return ends_behind_point(plain, way->name) && has_signature(name, way->signature);
}

static bool has_point(struct tv_str name)
{
    return name.len && memchr(name.at, '.', name.len);
}

/* Whether some method has a name of a single word. */
static bool has_single_words(const struct tv_name_index *names)
{
    for (size_t i = 0; i < names->count; i++) {
        if (!has_point((struct tv_str){names->of[i].whole.at, names->of[i].plain_len}))
            return true;
    }
    return false;
}

enum tv_code tv_name_index_find_ending(const struct tv_name_index *names, struct tv_str pattern,
                                       struct tv_found_methods *found, struct tv_error *err)
{
    struct ways ways;
    found->count = found->maybe_count = 0;
    if (tv_str_is_glob(pattern))
        return TV_OK;
    init_ways(&ways, names->alloc);
    enum tv_code code = make_ways(&ways, pattern, err);
    /* The last way is spelled as names are, with * for the numbers that are cut off them, too. */
    const struct way *way = code == TV_OK ? &ways.of[ways.count - 1] : NULL;
    const bool is_open = way && (has_point(way->name) || !has_single_words(names));
    for (size_t i = 0; code == TV_OK && is_open && i < names->count; i++) {
        if (is_ending(&names->of[i], way))
            code = add_found(found, names->of[i].method, FOUND_SURELY, err);
    }
    release_ways(&ways);
    return code;
}

enum tv_code tv_name_index_is_group(const struct tv_name_index *names, struct tv_str pattern,
                                    bool *is_group, struct tv_error *err)
{
    struct tv_buffer text;
    *is_group = false;
    if (tv_str_is_glob(pattern))
        return TV_OK;
    tv_buffer_init(&text, names->alloc);
    enum tv_code code = tv_spelling_of(pattern, &text, err);
    if (code == TV_OK)
        code = tv_buffer_append(&text, ".", 1, err);
    if (code == TV_OK) {
        const size_t at = first_from(names, tv_buffer_view(&text));
        *is_group =
            at < names->count && tv_str_starts_with(names->of[at].whole, tv_buffer_view(&text));
    }
    tv_buffer_release(&text);
    return code;
}
