/*
 * Builds one after the other; see fleet/build_history.h. The methods of a build are those of its
 * newest few runs: their rows are read run by run into a table of a column for each run, of which
 * the medians are made.
 */
#include "fleet/build_history.h"

#include "base/memory/map.h"
#include "base/memory/sort.h"
#include "base/memory/text_map.h"
#include "base/numbers/median.h"

/* --- apps --- */

static enum tv_code add_app(struct tv_text_map *place_of, const struct tv_fleet_trace *trace,
                            struct tv_fleet_app *apps, size_t *count, struct tv_error *err)
{
    uint32_t *place;
    if (!trace->app.len)
        return TV_OK;
    TV_TRY(tv_text_map_slot(place_of, trace->app, TV_MAP_NONE, &place, err));
    if (*place == TV_MAP_NONE) {
        *place = (uint32_t)*count;
        apps[(*count)++] = (struct tv_fleet_app){.name = trace->app, .last = trace->created};
    }
    struct tv_fleet_app *app = &apps[*place];
    app->traces++;
    app->last = trace->created > app->last ? trace->created : app->last;
    return TV_OK;
}

static int compare_apps(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_fleet_app *of = ctx;
    return tv_str_compare(of[a].name, of[b].name);
}

/* The traces of an app as the builds are found of: in the order of apps, so that each app costs its
 * own traces alone. */
struct by_app {
    const struct tv_fleet_trace *traces;
};

static int compare_traces(const void *ctx, uint32_t a, uint32_t b)
{
    const struct by_app *by = ctx;
    const int order = tv_str_compare(by->traces[a].app, by->traces[b].app);
    return order ? order : (a > b) - (a < b);
}

static enum tv_code find_builds(const struct tv_fleet_trace *traces, struct tv_fleet_app *apps,
                                size_t count, struct tv_arena *arena, struct tv_error *err)
{
    for (size_t i = 0; i < count; i++) {
        struct tv_fleet_builds builds;
        TV_TRY(tv_fleet_builds_find(&builds, traces, apps[i].traces, apps[i].name, arena, err));
        traces += apps[i].traces;
        apps[i].builds = builds.count;
        if (builds.count)
            apps[i].last_build = builds.of[builds.count - 1].name;
    }
    return TV_OK;
}

static enum tv_code find_apps(const struct tv_fleet_trace *traces, size_t count,
                              struct tv_text_map *place_of, struct tv_arena *arena,
                              struct tv_fleet_app **apps, size_t *app_count, struct tv_error *err)
{
    struct tv_fleet_trace *sorted;
    const struct by_app by = {traces};
    size_t without = 0;
    if (!count)
        return TV_OK;
    TV_TRY(tv_arena_take(arena, count * sizeof(**apps), apps, err));
    TV_TRY(tv_arena_take(arena, count * sizeof(*sorted), &sorted, err));
    for (size_t i = 0; i < count; i++) {
        sorted[i] = traces[i];
        without += !traces[i].app.len;
        TV_TRY(add_app(place_of, &traces[i], *apps, app_count, err));
    }
    TV_TRY(tv_sort_rows(arena->alloc, sorted, count, sizeof(*sorted), compare_traces, &by, err));
    TV_TRY(tv_sort_rows(arena->alloc, *apps, *app_count, sizeof(**apps), compare_apps, *apps, err));
    return find_builds(sorted + without, *apps, *app_count, arena, err);
}

enum tv_code tv_fleet_apps_find(const struct tv_fleet_trace *traces, size_t count,
                                struct tv_arena *arena, struct tv_fleet_app **apps,
                                size_t *app_count, struct tv_error *err)
{
    struct tv_text_map place_of;
    *apps = NULL;
    *app_count = 0;
    tv_text_map_init(&place_of, arena->alloc);
    const enum tv_code code = find_apps(traces, count, &place_of, arena, apps, app_count, err);
    tv_text_map_release(&place_of);
    return code;
}

/* --- figures of a build --- */

static uint64_t duration_of(const struct tv_fleet_trace *trace)
{
    return trace->duration_ns;
}

static uint64_t frame_of(const struct tv_fleet_trace *trace)
{
    return trace->worst_frame_ns;
}

static uint64_t startup_of(const struct tv_fleet_trace *trace)
{
    return trace->startup_ns;
}

/* Whether wall times of a trace are less than they were; known where it has rows. */
static bool has_odd_wall(const struct tv_fleet_trace *trace)
{
    return trace->run && trace->run->odd_wall.len;
}

/* The median of the traces that have the figure; *having is how many these are. */
static uint64_t median_of(const struct tv_fleet_build *build,
                          uint64_t (*figure)(const struct tv_fleet_trace *trace), double *room,
                          size_t *having)
{
    double *values = room;
    *having = 0;
    for (size_t i = 0; i < build->count; i++) {
        if (figure(build->traces[i]) && !has_odd_wall(build->traces[i]))
            values[(*having)++] = (double)figure(build->traces[i]);
    }
    return (uint64_t)tv_median(values, room + build->count, *having);
}

static enum tv_code count_devices(const struct tv_fleet_build *build, struct tv_arena *arena,
                                  size_t *count, struct tv_error *err)
{
    struct tv_text_map place_of;
    enum tv_code code = TV_OK;
    tv_text_map_init(&place_of, arena->alloc);
    for (size_t i = 0; code == TV_OK && i < build->count; i++) {
        uint32_t *place;
        const struct tv_str device = build->traces[i]->device;
        code = tv_text_map_slot(&place_of, device.len ? device : TV_STR(""), 0, &place, err);
    }
    *count = place_of.count;
    tv_text_map_release(&place_of);
    return code;
}

/* --- the methods that take most time --- */

struct worst_row {
    int64_t method;
    double times[TV_FLEET_WORST_RUNS]; /* of each run */
    double median;
    const struct tv_fleet_trace *example;
    uint64_t slowest_ns, slowest_at_ns;
};

struct looking {
    const struct tv_alloc *alloc;
    struct tv_fleet_reader *reader;
    const struct tv_fleet_trace *traces[TV_FLEET_WORST_RUNS];
    size_t count;
    enum tv_clock clock;
    struct tv_map place_of;
    struct worst_row *rows;
    size_t row_count, row_cap;
};

static enum tv_code take_row(void *ctx, const struct tv_fleet_read_row *read, struct tv_error *err)
{
    struct looking *looking = ctx;
    uint32_t *place;
    TV_TRY(tv_map_slot(&looking->place_of, (uint64_t)read->method, (uint32_t)looking->row_count,
                       &place, err));
    if (*place == looking->row_count) {
        TV_TRY(tv_alloc_grow(looking->alloc, &looking->rows, &looking->row_cap,
                             looking->row_count + 1, sizeof(*looking->rows), err));
        looking->rows[looking->row_count++] = (struct worst_row){.method = read->method};
    }
    struct worst_row *row = &looking->rows[*place];
    row->times[read->run] += (double)read->row.numbers.numbers.exclusive_ns[looking->clock];
    if (!row->example || read->row.slowest_ns > row->slowest_ns) {
        row->example = looking->traces[read->run];
        row->slowest_ns = read->row.slowest_ns;
        row->slowest_at_ns = read->row.slowest_at_ns;
    }
    return TV_OK;
}

/* Leaves out the traces whose wall times are too short, if the clock is wall time. */
static void leave_odd_runs(struct looking *looking)
{
    size_t count = 0;
    for (size_t i = 0; looking->clock == TV_CLOCK_WALL && i < looking->count; i++) {
        if (!has_odd_wall(looking->traces[i]))
            looking->traces[count++] = looking->traces[i];
    }
    if (looking->clock == TV_CLOCK_WALL)
        looking->count = count;
}

static void choose_runs(struct looking *looking, const struct tv_fleet_build *build)
{
    struct tv_run_clocks clocks = {.processor = ""};
    for (size_t i = 0; i < build->count && looking->count < TV_FLEET_WORST_RUNS; i++) {
        if (!build->traces[i]->run)
            continue;
        const struct tv_run_clocks *of = &build->traces[i]->run->clocks;
        looking->traces[looking->count++] = build->traces[i];
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
            clocks.lacks[clock] = clocks.lacks[clock] || of->lacks[clock];
        clocks.has_idle_cpu = clocks.has_idle_cpu || of->has_idle_cpu;
    }
    looking->clock = tv_run_clocks_default(&clocks);
    leave_odd_runs(looking);
}

static int compare_worst(const void *ctx, uint32_t a, uint32_t b)
{
    const struct worst_row *of = ctx;
    if (of[a].median < of[b].median || of[a].median > of[b].median)
        return of[a].median > of[b].median ? -1 : 1;
    return (of[a].method > of[b].method) - (of[a].method < of[b].method);
}

static enum tv_code tell_worst(struct looking *looking, struct tv_fleet_build_figures *figures,
                               struct tv_arena *arena, struct tv_error *err)
{
    double room[TV_FLEET_WORST_RUNS];
    for (size_t i = 0; i < looking->row_count; i++)
        looking->rows[i].median = tv_median(looking->rows[i].times, room, looking->count);
    TV_TRY(tv_sort_rows(looking->alloc, looking->rows, looking->row_count, sizeof(*looking->rows),
                        compare_worst, looking->rows, err));
    for (size_t i = 0; i < looking->row_count && i < TV_FLEET_WORST_MOST; i++) {
        const struct worst_row *row = &looking->rows[i];
        struct tv_fleet_worst *worst = &figures->worst[figures->worst_count];
        if (row->median < 1)
            break;
        *worst = (struct tv_fleet_worst){.exclusive_ns = (uint64_t)row->median,
                                         .example = row->example,
                                         .slowest_ns = row->slowest_ns,
                                         .slowest_at_ns = row->slowest_at_ns};
        TV_TRY(tv_fleet_read_method(looking->reader, row->method, arena, &worst->names, err));
        figures->worst_count++;
    }
    return TV_OK;
}

static enum tv_code find_worst(struct looking *looking, struct tv_fleet_build_figures *figures,
                               struct tv_arena *arena, struct tv_error *err)
{
    choose_runs(looking, figures->build);
    figures->runs = looking->count;
    figures->clock = looking->clock;
    const struct tv_fleet_run *runs[TV_FLEET_WORST_RUNS];
    for (size_t i = 0; i < looking->count; i++)
        runs[i] = looking->traces[i]->run;
    const struct tv_fleet_wanted wanted = {
        .runs = runs, .count = looking->count, .one_clock = true, .clock = looking->clock};
    TV_TRY(tv_fleet_read_rows(looking->reader, &wanted, take_row, looking, err));
    return tell_worst(looking, figures, arena, err);
}

enum tv_code tv_fleet_build_look(struct tv_fleet_build_figures *figures,
                                 const struct tv_fleet_build *build, struct tv_fleet_reader *reader,
                                 struct tv_arena *arena, struct tv_error *err)
{
    struct looking looking = {.alloc = arena->alloc, .reader = reader};
    double *room;
    size_t all;
    *figures = (struct tv_fleet_build_figures){.build = build};
    TV_TRY(tv_arena_take(arena, 2 * build->count * sizeof(*room), &room, err));
    for (size_t i = 0; i < build->count; i++)
        figures->odd_wall += has_odd_wall(build->traces[i]);
    figures->duration_ns = median_of(build, duration_of, room, &all);
    figures->worst_frame_ns = median_of(build, frame_of, room, &figures->frames);
    figures->startup_ns = median_of(build, startup_of, room, &figures->startups);
    TV_TRY(count_devices(build, arena, &figures->devices, err));
    tv_map_init(&looking.place_of, arena->alloc);
    const enum tv_code code = find_worst(&looking, figures, arena, err);
    tv_map_release(&looking.place_of);
    tv_alloc_release(arena->alloc, &looking.rows, looking.row_cap, sizeof(*looking.rows));
    return code;
}
