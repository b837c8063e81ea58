/* Every page of a site; see gallery.h. */
#include "site/document/gallery.h"

#define ID "5f2b8c1d9e3a47608b1c2d3e4f506172"
#define DAY 86400
#define NOON 1795348800 /* 2026-11-22 12:00 */

static const struct tv_label labels[] = {
    {{"app", 3}, {"com.example.recipes", 19}},
    {{"build", 5}, {"4711", 4}},
    {{"device", 6}, {"Pixel 8", 7}},
};
static const struct tv_label hostile_labels[] = {
    {{GALLERY_HOSTILE, sizeof(GALLERY_HOSTILE) - 1},
     {GALLERY_HOSTILE, sizeof(GALLERY_HOSTILE) - 1}},
};

/* A trace with the row that it is of. */
struct shown {
    struct tv_trace_row row;
    struct tv_document_trace trace;
};

static const struct tv_document_trace *show(struct shown *shown, const char *title,
                                            enum tv_document_trace_state state)
{
    shown->row = (struct tv_trace_row){
        .id = {ID},
        .file_name = TV_STR("recipes-2026-11-22.trace"),
        .title = tv_str_from(title),
        .note = TV_STR("Start to first frame.\nThe second load is the slow one."),
        .labels = labels,
        .label_count = TV_COUNT_OF(labels),
        .bytes = 233000000,
        .created = NOON,
        .expires = NOON + 90 * DAY,
    };
    shown->trace = (struct tv_document_trace){.row = &shown->row, .state = state};
    return &shown->trace;
}

static const struct tv_document_trace *show_hostile(struct shown *shown,
                                                    enum tv_document_trace_state state)
{
    struct tv_str text = TV_STR(GALLERY_HOSTILE);
    (void)show(shown, "", state);
    shown->row.file_name = shown->row.title = shown->row.note = shown->trace.reason = text;
    shown->row.labels = hostile_labels;
    shown->row.label_count = TV_COUNT_OF(hostile_labels);
    return &shown->trace;
}

void gallery_site_init(struct gallery_site *site, const struct tv_document_files *files,
                       const char *base_path)
{
    *site = (struct gallery_site){.config = {.base_path = base_path,
                                             .uploads = TV_UPLOADS_OPEN,
                                             .max_upload = (uint64_t)1 << 30,
                                             .expires_s = 90 * DAY,
                                             .expires_most_s = 365 * DAY,
                                             .max_piece = (uint64_t)8 << 20,
                                             .list = true},
                                  .site = {.files = files,
                                           .user = TV_STR("ada"),
                                           .origin = "https://traces.example",
                                           .example_id = ID}};
    site->site.config = &site->config;
}

#define PAGE(name)                                                                                 \
    static void name(const struct tv_document_site *site, struct tv_site_config *config,           \
                     struct tv_http_response *response)

PAGE(start)
{
    (void)config;
    tv_document_start(site, response);
}

PAGE(start_secret)
{
    struct tv_document_site without = *site;
    without.example_id = "";
    config->uploads = TV_UPLOADS_SECRET;
    config->expires_s = config->expires_most_s = TV_NEVER;
    tv_document_start(&without, response);
}

PAGE(start_closed)
{
    config->uploads = TV_UPLOADS_NOBODY;
    tv_document_start(site, response);
}

PAGE(uploaded)
{
    struct shown shown;
    (void)config;
    tv_document_uploaded(site, show(&shown, "Recipes: start to first frame", TV_TRACE_QUEUED),
                         "00112233445566778899aabbccddeeff", response);
}

PAGE(waiting)
{
    struct shown shown;
    (void)config;
    tv_document_processing(site, show(&shown, "Recipes: start to first frame", TV_TRACE_QUEUED),
                           response);
}

PAGE(reading)
{
    struct shown shown;
    (void)config;
    tv_document_processing(site, show_hostile(&shown, TV_TRACE_PROCESSING), response);
}

PAGE(bad)
{
    struct shown shown;
    (void)config;
    (void)show(&shown, "", TV_TRACE_FAILED);
    shown.trace.reason =
        TV_STR("the header is cut off: the file has 12 bytes, and a trace has at least 32");
    shown.row.bytes = 12;
    tv_document_failed(site, &shown.trace, response);
}

PAGE(bad_hostile)
{
    struct shown shown;
    (void)config;
    tv_document_failed(site, show_hostile(&shown, TV_TRACE_FAILED), response);
}

PAGE(owner)
{
    static const struct tv_project projects[] = {{.name = "shop"}, {.name = "lab"}};
    struct shown shown;
    config->projects = projects;
    config->project_count = TV_COUNT_OF(projects);
    (void)show(&shown, "Recipes: start to first frame", TV_TRACE_READY);
    shown.row.is_listed = true;
    tv_document_owner(site, &shown.trace, NULL, response);
}

PAGE(owner_hostile)
{
    struct shown shown;
    (void)config;
    tv_document_owner(site, show_hostile(&shown, TV_TRACE_READY), "This is not the trace’s token.",
                      response);
}

PAGE(list)
{
    struct shown shown[5];
    struct tv_document_trace traces[TV_COUNT_OF(shown)];
    (void)config;
    (void)show(&shown[0], "Recipes: start to first frame", TV_TRACE_READY);
    (void)show(&shown[1], "", TV_TRACE_QUEUED);
    (void)show(&shown[2],
               "Scrolling through 500 recipes with pictures, cold cache, after the change of the "
               "image loader",
               TV_TRACE_READY);
    (void)show(&shown[3], "", TV_TRACE_FAILED);
    (void)show_hostile(&shown[4], TV_TRACE_READY);
    shown[1].row.label_count = 0;
    shown[0].row.figures = (struct tv_trace_figures){.is_known = true,
                                                     .duration_ns = 4812345678,
                                                     .threads = 41,
                                                     .worst_frame_ns = 72400000,
                                                     .startup_ns = 812000000};
    shown[2].row.figures =
        (struct tv_trace_figures){.is_known = true, .duration_ns = 62000000000, .threads = 5};
    for (size_t i = 0; i < TV_COUNT_OF(traces); i++) {
        shown[i].row.bytes = shown[i].row.bytes >> i * 4;
        shown[i].row.created -= (int64_t)(i * DAY * 3 / 2);
        traces[i] = shown[i].trace;
    }
    tv_document_list(site,
                     &(struct tv_document_list){.search = TV_STR("recipes"),
                                                .traces = traces,
                                                .count = TV_COUNT_OF(traces),
                                                .next = TV_STR("17 & up")},
                     response);
}

PAGE(list_of_all)
{
    struct shown shown;
    (void)config;
    (void)show(&shown, "A cold start", TV_TRACE_READY);
    shown.row.user = TV_STR("ana");
    tv_document_list(site,
                     &(struct tv_document_list){.traces = &shown.trace,
                                                .count = 1,
                                                .is_first = true,
                                                .of = TV_STR("all"),
                                                .has_listed = true,
                                                .has_mine = true,
                                                .is_admin = true},
                     response);
}

PAGE(list_empty)
{
    (void)config;
    tv_document_list(site, &(struct tv_document_list){.is_first = true}, response);
}

PAGE(list_none_found)
{
    (void)config;
    tv_document_list(
        site, &(struct tv_document_list){.search = TV_STR(GALLERY_HOSTILE), .is_first = true},
        response);
}

PAGE(flames)
{
    static const struct tv_stored_thread threads[] = {
        {.id = 1, .name = {"main", 4}, .calls = 401234},
        {.id = 14, .calls = 1},
        {.id = 21, .name = {GALLERY_HOSTILE, sizeof(GALLERY_HOSTILE) - 1}, .calls = 12},
    };
    struct shown shown;
    (void)config;
    tv_document_flames(site, show(&shown, "Recipes: start to first frame", TV_TRACE_READY), threads,
                       TV_COUNT_OF(threads), response);
}

PAGE(flames_sampled)
{
    static const struct tv_stored_thread threads[] = {
        {.id = 1, .name = {"main", 4}, .calls = 401234, .is_sampled = true},
        {.id = 14, .calls = 1, .is_sampled = true},
    };
    struct shown shown;
    (void)config;
    tv_document_flames(site, show(&shown, "Recipes: start to first frame", TV_TRACE_READY), threads,
                       TV_COUNT_OF(threads), response);
}

PAGE(flames_many)
{
    struct tv_stored_thread threads[40];
    struct shown shown;
    (void)config;
    for (uint32_t i = 0; i < TV_COUNT_OF(threads); i++)
        threads[i] = (struct tv_stored_thread){
            .id = i + 1, .name = TV_STR("pool-1-thread"), .calls = 100 - i};
    tv_document_flames(site, show_hostile(&shown, TV_TRACE_READY), threads, TV_COUNT_OF(threads),
                       response);
}

PAGE(flames_none)
{
    struct shown shown;
    (void)config;
    tv_document_flames(site, show(&shown, "Recipes: start to first frame", TV_TRACE_READY), NULL, 0,
                       response);
}

PAGE(stored)
{
    config->uploads = TV_UPLOADS_PROXY;
    tv_document_stored(site, response);
}

PAGE(tokens)
{
    static const struct tv_program_token rows[] = {
        {.id = {ID},
         .name = {"Nightly build of the shop", 25},
         .scopes = TV_SCOPE_UPLOAD,
         .created = NOON,
         .expires = NOON + 90 * DAY},
        {.id = {ID},
         .name = {GALLERY_HOSTILE, sizeof(GALLERY_HOSTILE) - 1},
         .scopes = TV_SCOPE_ALL,
         .created = NOON - DAY,
         .expires = NOON},
    };
    config->users = TV_USERS_PROXY;
    tv_document_tokens(
        site,
        &(struct tv_document_tokens){.rows = rows,
                                     .count = TV_COUNT_OF(rows),
                                     .most_s = 365 * (uint64_t)DAY,
                                     .token = "tvp_00112233445566778899aabbccddeeff"},
        response);
}

PAGE(tokens_none)
{
    config->users = TV_USERS_PROXY;
    tv_document_tokens(
        site,
        &(struct tv_document_tokens){.most_s = 30 * (uint64_t)DAY, .problem = GALLERY_HOSTILE},
        response);
}

PAGE(compare)
{
    (void)config;
    tv_document_compare(site, ID, response);
}

PAGE(not_found)
{
    (void)config;
    tv_document_problem(site, 404, TV_STR(""), response);
}

PAGE(too_large)
{
    (void)config;
    tv_document_problem(site, 413, TV_STR("1.7 GiB; this site takes 1.00 GiB at most"), response);
}

PAGE(no_trace)
{
    (void)config;
    tv_document_problem(site, 415, TV_STR(GALLERY_HOSTILE), response);
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
    {"list-of-all", list_of_all},
    {"list-empty", list_empty},
    {"list-none-found", list_none_found},
    {"flames", flames},
    {"flames-sampled", flames_sampled},
    {"flames-many", flames_many},
    {"flames-none", flames_none},
    {"stored", stored},
    {"tokens", tokens},
    {"tokens-none", tokens_none},
    {"compare", compare},
    {"not-found", not_found},
    {"too-large", too_large},
    {"no-trace", no_trace},
};
const size_t gallery_len = TV_COUNT_OF(gallery);
