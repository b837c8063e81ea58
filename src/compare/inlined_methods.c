/*
 * Marking methods that were inlined; see compare/inlined_methods.h.
 *
 * What a mapping tells of a run is kept as text, since runs are closed one by one and a method may
 * come with a later one. The runs of a side have one mapping nearly always, so a text that is known
 * is not copied. When all runs are there, names become places, and the lists of both sides are
 * compared by stamps.
 */
#include "compare/inlined_methods.h"

#include <string.h>

#include "analysis/selection/names.h"
#include "base/names/ambiguous_name.h"

void tv_inlined_methods_init(struct tv_inlined_methods *inlined, const struct tv_alloc *alloc)
{
    *inlined = (struct tv_inlined_methods){.alloc = alloc};
    tv_arena_init(&inlined->texts, alloc);
}

void tv_inlined_methods_release(struct tv_inlined_methods *inlined)
{
    tv_alloc_release(inlined->alloc, &inlined->lists, inlined->cap, sizeof(*inlined->lists));
    tv_arena_release(&inlined->texts);
    tv_inlined_methods_init(inlined, inlined->alloc);
}

static enum tv_code hold_place(struct tv_inlined_methods *inlined, size_t place,
                               struct tv_error *err)
{
    TV_TRY(tv_alloc_grow(inlined->alloc, &inlined->lists, &inlined->cap, place + 1,
                         sizeof(*inlined->lists), err));
    while (inlined->count <= place)
        inlined->lists[inlined->count++] = (struct tv_inlined_lists){.of = {{NULL, 0}}};
    return TV_OK;
}

/* Another list of the same side, as of a second method of one name, goes behind the first. */
static enum tv_code add_list(struct tv_inlined_methods *inlined, struct tv_str *list,
                             struct tv_str more, struct tv_error *err)
{
    char *text;
    if (tv_str_find(*list, more, TV_CASE_EXACT) != SIZE_MAX)
        return TV_OK;
    const size_t between = list->len ? 1 : 0;
    const size_t len = list->len + between + more.len;
    TV_TRY(tv_arena_take(&inlined->texts, len, &text, err));
    if (list->len)
        memcpy(text, list->at, list->len);
    memcpy(text + list->len, "\n", between);
    memcpy(text + list->len + between, more.at, more.len);
    *list = (struct tv_str){text, len};
    return TV_OK;
}

enum tv_code tv_inlined_methods_add(struct tv_inlined_methods *inlined, enum tv_side side,
                                    const struct tv_index *index, const uint32_t *places,
                                    struct tv_error *err)
{
    for (uint32_t i = 0; i < index->method_count; i++) {
        if (places[i] == TV_NONE || !index->methods[i].inlined_len)
            continue;
        TV_TRY(hold_place(inlined, places[i], err));
        TV_TRY(add_list(inlined, &inlined->lists[places[i]].of[side], tv_method_inlined(index, i),
                        err));
    }
    return TV_OK;
}

/* The methods that stand in lists, while one method's are compared. */
struct marking {
    struct tv_join *join;
    size_t old_count;
    uint32_t *stamps[TV_SIDE_COUNT]; /* by place: the method whose list had it last, from 1 */
};

static bool is_called(const struct marking *marking, uint32_t place, enum tv_side side)
{
    const size_t first = side == TV_SIDE_NEW ? marking->old_count : 0;
    const size_t end = side == TV_SIDE_NEW ? marking->join->run_count : marking->old_count;
    for (size_t run = first; run < end; run++) {
        if (tv_join_calls(marking->join, place, run))
            return true;
    }
    return false;
}

static enum tv_code stamp(const struct marking *marking, uint32_t into, enum tv_side side,
                          struct tv_str list, struct tv_error *err)
{
    struct tv_inlined_name name;
    uint32_t place;
    while (tv_inlined_next(&list, &name)) {
        TV_TRY(tv_join_find_inlined(marking->join, &name, &place, err));
        if (place == TV_NONE)
            continue;
        marking->stamps[side][place] = into + 1;
        marking->join->methods[place].is_inlined_on[side] = true;
    }
    return TV_OK;
}

/* The exclusive time of a method is another one where a side has in it what the other calls. */
static enum tv_code compare(const struct marking *marking, uint32_t into, enum tv_side side,
                            struct tv_str list, struct tv_error *err)
{
    const enum tv_side other = side == TV_SIDE_NEW ? TV_SIDE_OLD : TV_SIDE_NEW;
    struct tv_joined_method *method = &marking->join->methods[into];
    struct tv_inlined_name name;
    uint32_t place;
    while (!method->has_other_inlined && tv_inlined_next(&list, &name)) {
        TV_TRY(tv_join_find_inlined(marking->join, &name, &place, err));
        method->has_other_inlined = place != TV_NONE && marking->stamps[other][place] != into + 1 &&
                                    is_called(marking, place, other);
    }
    return TV_OK;
}

static enum tv_code mark_all(const struct marking *marking,
                             const struct tv_inlined_methods *inlined, struct tv_error *err)
{
    for (uint32_t into = 0; into < inlined->count; into++) {
        const struct tv_str *lists = inlined->lists[into].of;
        for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
            TV_TRY(stamp(marking, into, (enum tv_side)side, lists[side], err));
        for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
            TV_TRY(compare(marking, into, (enum tv_side)side, lists[side], err));
    }
    return TV_OK;
}

/* Marks a method that may be one of several, and the others. */
static enum tv_code mark_list(const struct marking *marking, uint32_t at, struct tv_error *err)
{
    struct tv_joined_method *methods = marking->join->methods;
    struct tv_str rest = methods[at].alternatives;
    struct tv_alternative one;
    uint32_t place;
    while (tv_alternative_next(methods[at].class_name.stem, &rest, &one)) {
        const struct tv_inlined_name name = {one.class_name, one.name, methods[at].signature};
        TV_TRY(tv_join_find_inlined(marking->join, &name, &place, err));
        if (place == TV_NONE || place == at)
            continue;
        for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
            methods[place].is_listed_on[side] |= is_called(marking, at, (enum tv_side)side);
            methods[at].is_listed_on[side] |= is_called(marking, place, (enum tv_side)side);
        }
    }
    return TV_OK;
}

static enum tv_code mark_lists(const struct marking *marking, struct tv_error *err)
{
    for (uint32_t i = 0; i < marking->join->count; i++) {
        if (marking->join->methods[i].alternatives.len)
            TV_TRY(mark_list(marking, i, err));
    }
    return TV_OK;
}

enum tv_code tv_inlined_methods_mark(const struct tv_inlined_methods *inlined, struct tv_join *join,
                                     size_t old_count, struct tv_error *err)
{
    const struct tv_alloc *alloc = inlined->alloc;
    const size_t count = inlined->count ? join->count : 0;
    struct marking marking = {.join = join, .old_count = old_count};
    enum tv_code code = mark_lists(&marking, err);
    for (unsigned side = 0; code == TV_OK && side < TV_SIDE_COUNT; side++)
        code = tv_alloc_new(alloc, &marking.stamps[side], count, sizeof(uint32_t), err);
    if (code == TV_OK)
        code = mark_all(&marking, inlined, err);
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
        tv_alloc_release(alloc, &marking.stamps[side], count, sizeof(uint32_t));
    return code;
}
