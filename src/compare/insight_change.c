/*
 * Matching the insights of two traces; see compare/insight_change.h.
 *
 * Lists are short, so each insight of one side is held against each of the other. What a trace
 * without an insight has of its method costs one look at all its methods.
 */
#include "compare/insight_change.h"

#include "compare/method_join.h"

const char *const tv_insight_standing_words[] = {[TV_INSIGHT_IS_NEW] = "new",
                                                 [TV_INSIGHT_IS_GONE] = "gone",
                                                 [TV_INSIGHT_CHANGED] = "changed",
                                                 [TV_INSIGHT_STAYED] = "stayed"};

struct matching {
    struct tv_insight_changes *out;
    const struct tv_index *const *indexes;
};

bool tv_insight_is_of_method(const struct tv_insight *insight)
{
    return insight->method != TV_NONE && insight->kind != TV_INSIGHT_OWN &&
           insight->kind != TV_INSIGHT_PACKAGE;
}

/* Kinds without a method are about the whole trace. */
static bool is_same(const struct matching *matching, const struct tv_insight *old_insight,
                    const struct tv_insight *new_insight)
{
    if (old_insight->kind != new_insight->kind)
        return false;
    if (old_insight->kind == TV_INSIGHT_PACKAGE)
        return tv_str_equal(tv_insight_package(matching->indexes[TV_SIDE_OLD], old_insight),
                            tv_insight_package(matching->indexes[TV_SIDE_NEW], new_insight));
    if (!tv_insight_is_of_method(old_insight) || !tv_insight_is_of_method(new_insight))
        return tv_insight_is_of_method(old_insight) == tv_insight_is_of_method(new_insight);
    return tv_joined_is_same(matching->indexes[TV_SIDE_OLD], old_insight->method,
                             matching->indexes[TV_SIDE_NEW], new_insight->method);
}

/* Whether an old insight is matched already: two lambdas may have one stable name. */
static bool is_taken(const struct tv_insight_changes *changes, size_t place)
{
    for (size_t i = 0; i < changes->count; i++) {
        if (changes->of[i].places[TV_SIDE_OLD] == place)
            return true;
    }
    return false;
}

static size_t find_old(const struct matching *matching, const struct tv_insight *insight)
{
    const struct tv_insights *old_side = &matching->out->sides[TV_SIDE_OLD];
    for (size_t i = 0; i < old_side->count; i++) {
        if (!is_taken(matching->out, i) && is_same(matching, &old_side->of[i], insight))
            return i;
    }
    return SIZE_MAX;
}

/* What `side`, which lacks the insight of the other side, has of its method. */
static struct tv_insight_method look_up(const struct matching *matching, enum tv_side side,
                                        const struct tv_insight *insight)
{
    const struct tv_index *index = matching->indexes[side];
    const struct tv_index *other =
        matching->indexes[side == TV_SIDE_OLD ? TV_SIDE_NEW : TV_SIDE_OLD];
    struct tv_insight_method found = {.calls = 0};
    if (!tv_insight_is_of_method(insight))
        return found;
    for (uint32_t i = 0; i < index->method_count; i++) {
        const struct tv_index_method *of = &index->methods[i];
        if ((!of->calls && !of->recursive_calls) ||
            !tv_joined_is_same(other, insight->method, index, i))
            continue;
        found.calls += of->calls + of->recursive_calls;
        found.time_ns += of->inclusive[matching->out->sides[side].clock] * index->info->unit_ns;
    }
    return found;
}

static void add(struct tv_insight_changes *changes, const struct tv_insight_change *change)
{
    changes->of[changes->count++] = *change;
    changes->counts[change->standing]++;
}

/* What the new side has: new, changed or stayed. */
static void match_new(struct matching *matching)
{
    struct tv_insight_changes *changes = matching->out;
    for (size_t i = 0; i < changes->sides[TV_SIDE_NEW].count; i++) {
        const struct tv_insight *insight = &changes->sides[TV_SIDE_NEW].of[i];
        struct tv_insight_change change = {.places = {find_old(matching, insight), i}};
        size_t place = change.places[TV_SIDE_OLD];
        if (place == SIZE_MAX) {
            change.standing = TV_INSIGHT_IS_NEW;
            change.lacking = look_up(matching, TV_SIDE_OLD, insight);
        } else {
            const struct tv_insight *before = &changes->sides[TV_SIDE_OLD].of[place];
            bool is_equal =
                before->calls == insight->calls && before->of_calls == insight->of_calls;
            change.standing = is_equal ? TV_INSIGHT_STAYED : TV_INSIGHT_CHANGED;
        }
        add(changes, &change);
    }
}

static void match_gone(struct matching *matching)
{
    struct tv_insight_changes *changes = matching->out;
    for (size_t i = 0; i < changes->sides[TV_SIDE_OLD].count; i++) {
        const struct tv_insight *insight = &changes->sides[TV_SIDE_OLD].of[i];
        if (is_taken(changes, i))
            continue;
        add(changes,
            &(struct tv_insight_change){.standing = TV_INSIGHT_IS_GONE,
                                        .places = {i, SIZE_MAX},
                                        .lacking = look_up(matching, TV_SIDE_NEW, insight)});
    }
}

/* Insights were added with the most at stake first, and that order is kept within a standing. */
static void order_by_standing(struct tv_insight_changes *changes)
{
    struct tv_insight_change sorted[2 * TV_INSIGHTS_MOST] = {{.places = {0}}};
    size_t count = 0;
    for (unsigned standing = 0; standing < TV_INSIGHT_STANDING_COUNT; standing++) {
        for (size_t i = 0; i < changes->count; i++) {
            if (changes->of[i].standing == standing)
                sorted[count++] = changes->of[i];
        }
    }
    for (size_t i = 0; i < count; i++)
        changes->of[i] = sorted[i];
}

enum tv_code tv_insight_changes_find(struct tv_insight_changes *changes,
                                     const struct tv_index *const indexes[TV_SIDE_COUNT],
                                     const struct tv_alloc *alloc, const struct tv_pool *pool,
                                     struct tv_error *err)
{
    struct matching matching = {.out = changes, .indexes = indexes};
    *changes = (struct tv_insight_changes){.count = 0};
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
        TV_TRY(tv_insights_find(&changes->sides[side], indexes[side], alloc, pool, err));
    match_new(&matching);
    match_gone(&matching);
    order_by_standing(changes);
    return TV_OK;
}
