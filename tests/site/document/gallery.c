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
    struct tv_document_site of_a_member = *site;
    of_a_member.projects[of_a_member.project_count++] = &projects[0];
    of_a_member.projects[of_a_member.project_count++] = &projects[1];
    (void)show(&shown, "Recipes: start to first frame", TV_TRACE_READY);
    shown.row.is_listed = true;
    tv_document_owner(&of_a_member, &shown.trace, NULL, response);
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

PAGE(webhook)
{
    static const struct tv_delivery rows[] = {
        {.app = {"shop", 4}, .build = {"418", 3}, .created = NOON, .next = NOON},
        {.app = {"shop", 4},
         .build = {"417", 3},
         .state = TV_DELIVERY_DONE,
         .tries = 2,
         .created = NOON - DAY,
         .ended = NOON,
         .status = 204},
        {.app = {GALLERY_HOSTILE, sizeof(GALLERY_HOSTILE) - 1},
         .build = {GALLERY_HOSTILE, sizeof(GALLERY_HOSTILE) - 1},
         .state = TV_DELIVERY_GIVEN_UP,
         .tries = 54,
         .created = NOON - 2 * DAY,
         .ended = NOON - DAY,
         .reason = {"::ffff:10.1.2.3 may not be connected to: it is not public, and webhook-to "
                    "does not name it",
                    88}},
    };
    (void)config;
    tv_document_deliveries(
        site, &(struct tv_document_deliveries){.rows = rows, .count = TV_COUNT_OF(rows)}, response);
}

PAGE(webhook_none)
{
    (void)config;
    tv_document_deliveries(site, &(struct tv_document_deliveries){.rows = NULL}, response);
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

#define HOSTILE_TEXT                                                                               \
    {                                                                                              \
        GALLERY_HOSTILE, sizeof(GALLERY_HOSTILE) - 1                                               \
    }

PAGE(apps)
{
    static const struct tv_fleet_app apps[] = {
        {.name = {"shop", 4}, .traces = 812, .builds = 41, .last = NOON, .last_build = {"418", 3}},
        {.name = HOSTILE_TEXT, .traces = 1, .last = NOON - DAY, .last_build = HOSTILE_TEXT},
    };
    config->rows = TV_ROWS_ASKED;
    tv_document_apps(site, &(struct tv_document_apps){.apps = apps, .count = TV_COUNT_OF(apps)},
                     response);
}

PAGE(apps_none)
{
    config->rows = TV_ROWS_ASKED;
    tv_document_apps(site, &(struct tv_document_apps){.count = 0}, response);
}

static const struct tv_document_method method = {
    .names = {{"shop.Cart", 9}, {"pay", 3}, {"()V", 3}}, .text = {"shop.Cart.pay ()V", 17}};
static const struct tv_document_method hostile_method = {
    .names = {HOSTILE_TEXT, HOSTILE_TEXT, HOSTILE_TEXT}, .text = HOSTILE_TEXT};
static const struct tv_document_example example = {
    .trace = {ID, 32}, .what = HOSTILE_TEXT, .at_ns = 1234567, .len_ns = 5051000};

PAGE(builds)
{
    static const struct tv_fleet_build of[] = {{.name = {"418", 3}, .count = 6, .last = NOON},
                                               {.name = HOSTILE_TEXT, .count = 1}};
    const struct tv_fleet_build_figures figures[] = {
        {.build = &of[0],
         .devices = 2,
         .duration_ns = 98337000,
         .startup_ns = 812000000,
         .startups = 5,
         .worst_count = 2},
        {.build = &of[1], .devices = 1},
    };
    const struct tv_document_build builds[] = {
        {.figures = &figures[0],
         .worst = {{method, 30015000, example, true}, {hostile_method, 1, example, false}},
         .has_before = true},
        {.figures = &figures[1]},
    };
    config->rows = TV_ROWS_ASKED;
    tv_document_builds(site,
                       &(struct tv_document_builds){.app = HOSTILE_TEXT,
                                                    .builds = builds,
                                                    .count = TV_COUNT_OF(builds),
                                                    .of = 41,
                                                    .without_rows = 3},
                       response);
}

PAGE(builds_none)
{
    config->rows = TV_ROWS_ASKED;
    tv_document_builds(site, &(struct tv_document_builds){.app = TV_STR("shop")}, response);
}

PAGE(build_diff)
{
    static const struct tv_significance_row test = {
        .change = 0.4, .p_adjusted = 2.9e-61, .verdict = TV_VERDICT_CHANGED};
    static const struct tv_change change = {
        .sides = {{4, 4, 4, {4, 20206000}}, {4, 6, 7, {6, 30009000}}}, .cause = {9000000, 803000}};
    static const struct tv_document_choice choices[] = {{HOSTILE_TEXT, false, true},
                                                        {{"417", 3}, true, false}};
    const struct tv_document_change rows[] = {
        {.method = method,
         .change = &change,
         .test = &test,
         .traces = {4, 4},
         .examples = {example, example},
         .has_example = {true, true}},
        {.method = hostile_method, .change = &change},
    };
    config->rows = TV_ROWS_ASKED;
    tv_document_build_diff(site,
                           &(struct tv_document_build_diff){.app = HOSTILE_TEXT,
                                                            .is_tested = true,
                                                            .device = HOSTILE_TEXT,
                                                            .builds = {{"417", 3}, HOSTILE_TEXT},
                                                            .sides = HOSTILE_TEXT,
                                                            .about_calls = HOSTILE_TEXT,
                                                            .about_times = HOSTILE_TEXT,
                                                            .choices = choices,
                                                            .choice_count = TV_COUNT_OF(choices),
                                                            .devices = choices,
                                                            .device_count = TV_COUNT_OF(choices),
                                                            .calls = rows,
                                                            .call_count = TV_COUNT_OF(rows),
                                                            .times = rows,
                                                            .time_count = TV_COUNT_OF(rows)},
                           response);
}

PAGE(method_history)
{
    static const struct tv_fleet_trace trace = {.id = {ID, 32}};
    static const struct tv_method_group group = {.name = HOSTILE_TEXT,
                                                 .traces = 6,
                                                 .having = 5,
                                                 .most_calls = 4,
                                                 .inclusive_ns = 20010000,
                                                 .exclusive_ns = 1,
                                                 .least_ns = 5,
                                                 .most_ns = 30010000,
                                                 .typical = &trace};
    const struct tv_method_group none = {.traces = 1};
    const struct tv_document_group groups[] = {{&group, example, example},
                                               {&none, example, example}};
    config->rows = TV_ROWS_ASKED;
    tv_document_history(site,
                        &(struct tv_document_history){.app = HOSTILE_TEXT,
                                                      .method = hostile_method,
                                                      .about = HOSTILE_TEXT,
                                                      .builds = groups,
                                                      .build_count = TV_COUNT_OF(groups),
                                                      .devices = groups,
                                                      .device_count = TV_COUNT_OF(groups)},
                        response);
}

const struct gallery_page gallery[] = {
    {"apps", apps},
    {"apps-none", apps_none},
    {"builds", builds},
    {"builds-none", builds_none},
    {"build-diff", build_diff},
    {"method", method_history},
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
    {"webhook", webhook},
    {"webhook-none", webhook_none},
    {"compare", compare},
    {"not-found", not_found},
    {"too-large", too_large},
    {"no-trace", no_trace},
};
const size_t gallery_len = TV_COUNT_OF(gallery);
