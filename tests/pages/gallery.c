/* Every page of a site; see gallery.h. */
#include "gallery.h"

#define ID "5f2b8c1d9e3a47608b1c2d3e4f506172"
#define DAY ((uint64_t)86400)
#define NOON ((uint64_t)1795348800) /* 2026-11-22 12:00 */

static const struct tv_told_label labels[] = {
    {{"app", 3}, {"com.example.recipes", 19}},
    {{"build", 5}, {"4711", 4}},
    {{"device", 6}, {"Pixel 8", 7}},
};
static const struct tv_told_label hostile_labels[] = {
    {{GALLERY_HOSTILE, sizeof(GALLERY_HOSTILE) - 1},
     {GALLERY_HOSTILE, sizeof(GALLERY_HOSTILE) - 1}},
};

static struct tv_told_trace trace_of(const char *title, enum tv_told_state state)
{
    return (struct tv_told_trace){
        .id = TV_STR(ID),
        .file = TV_STR("recipes-2026-11-22.trace"),
        .title = tv_str_from(title),
        .note = TV_STR("Start to first frame.\nThe second load is the slow one."),
        .labels = labels,
        .label_count = TV_COUNT_OF(labels),
        .bytes = 233000000,
        .created_s = NOON,
        .expires_s = NOON + 90 * DAY,
        .state = state,
    };
}

static struct tv_told_trace hostile_trace(enum tv_told_state state)
{
    struct tv_str text = TV_STR(GALLERY_HOSTILE);
    struct tv_told_trace trace = trace_of("", state);
    trace.file = trace.title = trace.note = trace.reason = text;
    trace.labels = hostile_labels;
    trace.label_count = TV_COUNT_OF(hostile_labels);
    return trace;
}

static struct tv_told_limits limits_of(enum tv_told_uploaders uploaders)
{
    return (struct tv_told_limits){uploaders, (uint64_t)1 << 30, 90 * DAY, 365 * DAY,
                                   (uint64_t)8 << 20};
}

#define PAGE(name)                                                                                 \
    static enum tv_code name(const struct tv_told_site *site, struct tv_sink sink,                 \
                             struct tv_error *err)

PAGE(start)
{
    struct tv_told_limits limits = limits_of(TV_TOLD_ANYBODY);
    return tv_page_write_start(site, &limits, TV_STR(ID), sink, err);
}

PAGE(start_secret)
{
    struct tv_told_limits limits = limits_of(TV_TOLD_WITH_SECRET);
    limits.kept_s = limits.most_kept_s = TV_TOLD_FOREVER;
    return tv_page_write_start(site, &limits, TV_STR(""), sink, err);
}

PAGE(start_closed)
{
    struct tv_told_limits limits = limits_of(TV_TOLD_NOBODY);
    return tv_page_write_start(site, &limits, TV_STR(ID), sink, err);
}

PAGE(uploaded)
{
    struct tv_told_trace trace = trace_of("Recipes: start to first frame", TV_TOLD_WAITING);
    return tv_page_write_uploaded(site, &trace, TV_STR("00112233445566778899aabbccddeeff"), sink,
                                  err);
}

PAGE(waiting)
{
    struct tv_told_trace trace = trace_of("Recipes: start to first frame", TV_TOLD_WAITING);
    trace.place = 3;
    return tv_page_write_waiting(site, &trace, sink, err);
}

PAGE(reading)
{
    struct tv_told_trace trace = hostile_trace(TV_TOLD_READING);
    return tv_page_write_waiting(site, &trace, sink, err);
}

PAGE(bad)
{
    struct tv_told_trace trace = trace_of("", TV_TOLD_BAD);
    trace.reason =
        TV_STR("the header is cut off: the file has 12 bytes, and a trace has at least 32");
    trace.bytes = 12;
    return tv_page_write_bad(site, &trace, sink, err);
}

PAGE(bad_hostile)
{
    struct tv_told_trace trace = hostile_trace(TV_TOLD_BAD);
    return tv_page_write_bad(site, &trace, sink, err);
}

PAGE(owner)
{
    struct tv_told_trace trace = trace_of("Recipes: start to first frame", TV_TOLD_READY);
    struct tv_told_limits limits = limits_of(TV_TOLD_ANYBODY);
    trace.is_listed = true;
    return tv_page_write_owner(site, &trace, &limits, TV_STR(""), sink, err);
}

PAGE(owner_hostile)
{
    struct tv_told_trace trace = hostile_trace(TV_TOLD_READY);
    struct tv_told_limits limits = limits_of(TV_TOLD_ANYBODY);
    return tv_page_write_owner(site, &trace, &limits, TV_STR("This is not the trace’s token."),
                               sink, err);
}

PAGE(list)
{
    struct tv_told_trace traces[] = {
        trace_of("Recipes: start to first frame", TV_TOLD_READY),
        trace_of("", TV_TOLD_WAITING),
        trace_of("Scrolling through 500 recipes with pictures, cold cache, after the change of the "
                 "image loader",
                 TV_TOLD_READY),
        trace_of("", TV_TOLD_BAD),
        hostile_trace(TV_TOLD_READY),
    };
    traces[1].label_count = 0;
    for (size_t i = 0; i < TV_COUNT_OF(traces); i++) {
        traces[i].bytes = traces[i].bytes >> i * 4;
        traces[i].created_s -= i * DAY * 3 / 2;
    }
    return tv_page_write_list(site,
                              &(struct tv_told_list){.search = TV_STR("recipes"),
                                                     .traces = traces,
                                                     .trace_count = TV_COUNT_OF(traces),
                                                     .next = TV_STR("17 & up")},
                              sink, err);
}

PAGE(list_empty)
{
    return tv_page_write_list(site, &(struct tv_told_list){.is_first = true}, sink, err);
}

PAGE(list_none_found)
{
    return tv_page_write_list(
        site, &(struct tv_told_list){.search = TV_STR(GALLERY_HOSTILE), .is_first = true}, sink,
        err);
}

PAGE(flames)
{
    static const struct tv_told_thread threads[] = {
        {1, {"main", 4}, 401234, false},
        {14, {"", 0}, 1, false},
        {9, {"Binder:1", 8}, 0, false},
        {21, {GALLERY_HOSTILE, sizeof(GALLERY_HOSTILE) - 1}, 12, false},
    };
    struct tv_told_trace trace = trace_of("Recipes: start to first frame", TV_TOLD_READY);
    return tv_page_write_flames(site, &trace, threads, TV_COUNT_OF(threads), sink, err);
}

PAGE(flames_sampled)
{
    static const struct tv_told_thread threads[] = {
        {1, {"main", 4}, 401234, true}, {14, {"", 0}, 1, true}, {9, {"Binder:1", 8}, 0, true}};
    struct tv_told_trace trace = trace_of("Recipes: start to first frame", TV_TOLD_READY);
    return tv_page_write_flames(site, &trace, threads, TV_COUNT_OF(threads), sink, err);
}

PAGE(flames_many)
{
    struct tv_told_thread threads[40];
    struct tv_told_trace trace = hostile_trace(TV_TOLD_READY);
    for (uint32_t i = 0; i < TV_COUNT_OF(threads); i++)
        threads[i] = (struct tv_told_thread){i + 1, TV_STR("pool-1-thread"), 100 - i, false};
    return tv_page_write_flames(site, &trace, threads, TV_COUNT_OF(threads), sink, err);
}

PAGE(stored)
{
    struct tv_told_limits limits = limits_of(TV_TOLD_NAMED_BY_PROXY);
    return tv_page_write_stored(site, &limits, sink, err);
}

PAGE(not_found)
{
    return tv_page_write_problem(site, 404, TV_STR(""), sink, err);
}

PAGE(too_large)
{
    return tv_page_write_problem(site, 413, TV_STR("1.7 GiB; this site takes 1.00 GiB at most"),
                                 sink, err);
}

PAGE(no_trace)
{
    return tv_page_write_problem(site, 415, TV_STR(GALLERY_HOSTILE), sink, err);
}

const struct gallery_page gallery[] = {
    {"start", start},
    {"start-secret", start_secret},
    {"start-closed", start_closed},
    {"uploaded", uploaded},
    {"waiting", waiting},
    {"reading", reading},
    {"bad", bad},
    {"bad-hostile", bad_hostile},
    {"owner", owner},
    {"owner-hostile", owner_hostile},
    {"list", list},
    {"list-empty", list_empty},
    {"list-none-found", list_none_found},
    {"flames", flames},
    {"flames-sampled", flames_sampled},
    {"flames-many", flames_many},
    {"stored", stored},
    {"not-found", not_found},
    {"too-large", too_large},
    {"no-trace", no_trace},
};
const size_t gallery_len = TV_COUNT_OF(gallery);
