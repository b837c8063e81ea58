/*
 * The builds of an app; see fleet/fleet_trace.h. Names are found by a map of texts, so that labels
 * of strangers cost no more than their number.
 */
#include "fleet/fleet_trace.h"

#include "base/memory/sort.h"
#include "base/memory/text_map.h"

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

static struct tv_str without_v(struct tv_str name)
{
    return name.len > 1 && name.at[0] == 'v' ? (struct tv_str){name.at + 1, name.len - 1} : name;
}

bool tv_build_is_number(struct tv_str name)
{
    bool was_digit = false;
    name = without_v(name);
    for (size_t i = 0; i < name.len; i++) {
        if (!is_digit(name.at[i]) && (name.at[i] != '.' || !was_digit))
            return false;
        was_digit = is_digit(name.at[i]);
    }
    return was_digit;
}

/* Compares two texts of digits by their numbers, however long they are. */
static int compare_digits(struct tv_str a, struct tv_str b)
{
    while (a.len > 1 && a.at[0] == '0')
        a = (struct tv_str){a.at + 1, a.len - 1};
    while (b.len > 1 && b.at[0] == '0')
        b = (struct tv_str){b.at + 1, b.len - 1};
    if (a.len != b.len)
        return a.len < b.len ? -1 : 1;
    return tv_str_compare(a, b);
}

int tv_build_compare_numbers(struct tv_str a, struct tv_str b)
{
    const bool is_a = tv_build_is_number(a);
    const bool is_b = tv_build_is_number(b);
    struct tv_str rest_a = without_v(a);
    struct tv_str rest_b = without_v(b);
    struct tv_str part_a, part_b;
    if (!is_a || !is_b)
        return is_a == is_b ? tv_str_compare(a, b) : is_a ? -1 : 1;
    for (;;) {
        const bool has_a = tv_str_split(&rest_a, '.', &part_a);
        const bool has_b = tv_str_split(&rest_b, '.', &part_b);
        if (!has_a || !has_b)
            return has_a == has_b ? tv_str_compare(a, b) : has_a ? 1 : -1;
        const int order = compare_digits(part_a, part_b);
        if (order)
            return order;
    }
}

static int compare_builds(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_fleet_builds *builds = ctx;
    const struct tv_fleet_build *of = builds->of;
    if (builds->is_by_number)
        return tv_build_compare_numbers(of[a].name, of[b].name);
    if (of[a].first != of[b].first)
        return of[a].first < of[b].first ? -1 : 1;
    /* In one second: the first trace is that which stands behind the other. */
    return of[a].traces[of[a].count - 1] > of[b].traces[of[b].count - 1] ? -1 : 1;
}

static bool is_of(const struct tv_fleet_trace *trace, struct tv_str app)
{
    return trace->build.len && tv_str_equal(trace->app, app);
}

/* Finds the build of each trace, and how many traces each build has. */
static enum tv_code count_traces(struct tv_fleet_builds *builds, struct tv_text_map *place_of,
                                 const struct tv_fleet_trace *traces, size_t count,
                                 struct tv_str app, struct tv_error *err)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t *place;
        if (!is_of(&traces[i], app))
            continue;
        TV_TRY(tv_text_map_slot(place_of, traces[i].build, TV_MAP_NONE, &place, err));
        if (*place == TV_MAP_NONE) {
            *place = (uint32_t)builds->count;
            builds->of[builds->count++] = (struct tv_fleet_build){
                .name = traces[i].build, .first = traces[i].created, .last = traces[i].created};
        }
        struct tv_fleet_build *build = &builds->of[*place];
        build->count++;
        build->first = traces[i].created < build->first ? traces[i].created : build->first;
        build->last = traces[i].created > build->last ? traces[i].created : build->last;
    }
    return TV_OK;
}

/* Gives each build its part of one list of traces. */
static void share_traces(const struct tv_fleet_builds *builds, const struct tv_text_map *place_of,
                         const struct tv_fleet_trace *traces, size_t count, struct tv_str app,
                         const struct tv_fleet_trace **list)
{
    for (size_t i = 0; i < builds->count; i++) {
        builds->of[i].traces = list;
        list += builds->of[i].count;
        builds->of[i].count = 0;
    }
    for (size_t i = 0; i < count; i++) {
        if (!is_of(&traces[i], app))
            continue;
        struct tv_fleet_build *build = &builds->of[tv_text_map_get(place_of, traces[i].build)];
        build->traces[build->count++] = &traces[i];
    }
}

static enum tv_code find(struct tv_fleet_builds *builds, struct tv_text_map *place_of,
                         const struct tv_fleet_trace *traces, size_t count, struct tv_str app,
                         struct tv_arena *arena, struct tv_error *err)
{
    const struct tv_fleet_trace **list;
    if (!count)
        return TV_OK;
    TV_TRY(tv_arena_take(arena, count * sizeof(*builds->of), &builds->of, err));
    TV_TRY(tv_arena_take(arena, count * sizeof(*list), &list, err));
    TV_TRY(count_traces(builds, place_of, traces, count, app, err));
    share_traces(builds, place_of, traces, count, app, list);
    builds->is_by_number = true;
    for (size_t i = 0; i < builds->count; i++)
        builds->is_by_number = builds->is_by_number && tv_build_is_number(builds->of[i].name);
    return tv_sort_rows(arena->alloc, builds->of, builds->count, sizeof(*builds->of),
                        compare_builds, builds, err);
}

enum tv_code tv_fleet_builds_find(struct tv_fleet_builds *builds,
                                  const struct tv_fleet_trace *traces, size_t count,
                                  struct tv_str app, struct tv_arena *arena, struct tv_error *err)
{
    struct tv_text_map place_of;
    *builds = (struct tv_fleet_builds){.count = 0};
    tv_text_map_init(&place_of, arena->alloc);
    const enum tv_code code = find(builds, &place_of, traces, count, app, arena, err);
    tv_text_map_release(&place_of);
    return code;
}
