/*
 * A digest of each week as an Atom feed (RFC 4287); see site/fleet/fleet_answers.h.
 *
 * An entry is what was so when its week ended: builds, their order and the medians of the build
 * before are those of the traces that had come until then, so that it does not change because more
 * come. Figures are those that the store has of traces: no rows are read, however many apps there
 * are. Every text is escaped as XML; a label that XML cannot hold is told by its escapes.
 *
 * The feed is no template of site/document/html: readers of feeds want whole addresses, with the
 * site's origin, and templates let no text decide where an address leads; nor do they take XML's
 * declaration and namespaces.
 */
#include "site/fleet/fleet_answers.h"

#include <stdio.h>

#include "base/memory/sort.h"
#include "base/numbers/median.h"
#include "base/text/markup.h"
#include "base/text/percent.h"
#include "site/document/readable.h"
#include "site/fleet/fleet_question.h"

#define DAY_S 86400
#define WEEK_S (7 * DAY_S)
/* 1970 began on a Thursday; weeks begin on Mondays, in UTC. */
#define FIRST_MONDAY_S (4 * DAY_S)
#define WEEKS 8
/* The apps with the most traces are told, and of each the newest builds of a week. */
#define APPS_MOST 20u
#define BUILDS_MOST 20u

struct feed_writer {
    struct tv_request_context *context;
    const struct tv_fleet_question *question; /* as it was at the end of the week that is written */
    struct tv_fleet_app *apps;                /* those with the most traces */
    size_t app_count, left_out;
    struct tv_fleet_builds builds[APPS_MOST];
    double *values; /* room for two numbers of each trace */
    struct tv_out out;
};

static int64_t week_of(int64_t time)
{
    return (time - FIRST_MONDAY_S) / WEEK_S;
}

static int64_t begin_of(int64_t week)
{
    return week * WEEK_S + FIRST_MONDAY_S;
}

/* --- figures --- */

static uint64_t startup_of(const struct tv_fleet_trace *trace)
{
    return trace->startup_ns;
}

static uint64_t frame_of(const struct tv_fleet_trace *trace)
{
    return trace->worst_frame_ns;
}

/* Of the traces of a build that came in a week; INT64_MIN: of all. */
static size_t count_traces(const struct tv_fleet_build *build, int64_t week)
{
    size_t count = 0;
    for (size_t i = 0; i < build->count; i++)
        count += week == INT64_MIN || week_of(build->traces[i]->created) == week;
    return count;
}

/* The median of a figure, as text; of a build whose traces have none a dash. */
static struct tv_str median_text(struct feed_writer *writer, const struct tv_fleet_build *build,
                                 int64_t week, uint64_t (*figure)(const struct tv_fleet_trace *),
                                 char room[TV_READABLE_MOST])
{
    size_t count = 0;
    for (size_t i = 0; build && i < build->count; i++) {
        const struct tv_fleet_trace *trace = build->traces[i];
        if (figure(trace) && (week == INT64_MIN || week_of(trace->created) == week))
            writer->values[count++] = (double)figure(trace);
    }
    if (!count)
        return TV_STR("\u2013");
    const double ns = tv_median(writer->values, writer->values + writer->question->count, count);
    const int len = snprintf(room, TV_READABLE_MOST, "%.1f ms", ns / TV_NS_PER_MS);
    return (struct tv_str){room, (size_t)len};
}

/* --- entries --- */

/* The page where a build stands beside the one before it, or where the app is. */
static void write_link(struct feed_writer *writer, const struct tv_fleet_app *app,
                       const struct tv_fleet_build *build, const struct tv_fleet_build *before)
{
    struct tv_out *out = &writer->out;
    TV_MARKUP(out, "<a href=\"{}{}", tv_str_from(writer->context->origin),
              tv_str_from(writer->context->site->config->base_path));
    tv_out_text(out, before ? TV_STR("/apps/diff?app=") : TV_STR("/apps?app="));
    tv_percent_put(out, app->name);
    if (before) {
        tv_out_text(out, TV_STR("&amp;old="));
        tv_percent_put(out, before->name);
        tv_out_text(out, TV_STR("&amp;new="));
        tv_percent_put(out, build->name);
    }
    TV_MARKUP(out, "\">{}</a>", build->name);
}

static void write_build(struct feed_writer *writer, const struct tv_fleet_app *app,
                        const struct tv_fleet_builds *builds, size_t at, int64_t week)
{
    const struct tv_fleet_build *build = &builds->of[at];
    const struct tv_fleet_build *before = at ? build - 1 : NULL;
    char count[TV_READABLE_MOST], rooms[4][TV_READABLE_MOST];
    struct tv_out *out = &writer->out;
    TV_MARKUP(out, "<tr><td>{}</td><td>", app->name);
    write_link(writer, app, build, before);
    (void)snprintf(count, sizeof(count), "%zu", count_traces(build, week));
    TV_MARKUP(out, "</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
              tv_str_from(count), before ? before->name : TV_STR("\u2013"),
              median_text(writer, build, week, startup_of, rooms[0]),
              median_text(writer, before, INT64_MIN, startup_of, rooms[1]),
              median_text(writer, build, week, frame_of, rooms[2]),
              median_text(writer, before, INT64_MIN, frame_of, rooms[3]));
}

/* The builds of an app that had traces in the week, the newest first. */
static void write_app(struct feed_writer *writer, size_t app, int64_t week)
{
    const struct tv_fleet_builds *builds = &writer->builds[app];
    size_t told = 0, all = 0;
    for (size_t i = builds->count; i > 0; i--) {
        if (!count_traces(&builds->of[i - 1], week))
            continue;
        all++;
        if (told == BUILDS_MOST)
            continue;
        write_build(writer, &writer->apps[app], builds, i - 1, week);
        told++;
    }
    if (all > told) {
        char room[TV_READABLE_MOST];
        TV_MARKUP(&writer->out, "<tr><td>{}</td><td>{}</td></tr>\n", writer->apps[app].name,
                  tv_readable_count(room, all - told, "build more", "builds more"));
    }
}

static void write_table(struct feed_writer *writer, int64_t week)
{
    struct tv_out *out = &writer->out;
    tv_out_text(out, TV_STR("<content type=\"xhtml\"><div xmlns=\"http://www.w3.org/1999/xhtml\">\n"
                            "<p>Medians of the traces of the week; of the build before, of all of "
                            "its traces until the end of the week."));
    tv_fleet_question_tell_bound(writer->question, out);
    tv_out_text(out,
                TV_STR("</p>\n"
                       "<table><tr><th>App</th><th>Build</th><th>Traces</th><th>Build before</th>"
                       "<th>Start-up</th><th>before</th><th>Worst frame</th><th>before</th>"
                       "</tr>\n"));
    for (size_t i = 0; i < writer->app_count; i++)
        write_app(writer, i, week);
    tv_out_text(out, TV_STR("</table>\n"));
    if (writer->left_out) {
        char room[TV_READABLE_MOST];
        TV_MARKUP(out, "<p>{} with fewer traces are left out.</p>\n",
                  tv_readable_count(room, writer->left_out, "app", "apps"));
    }
    tv_out_text(out, TV_STR("</div></content>\n"));
}

static void write_id(struct feed_writer *writer, int64_t week)
{
    char room[TV_READABLE_MOST];
    struct tv_out *out = &writer->out;
    TV_MARKUP(out, "<id>{}{}/apps?digest", tv_str_from(writer->context->origin),
              tv_str_from(writer->context->site->config->base_path));
    if (writer->question->app.len) {
        tv_out_text(out, TV_STR("&amp;app="));
        tv_percent_put(out, writer->question->app);
    }
    if (week != INT64_MIN)
        TV_MARKUP(out, "&amp;week={}", tv_readable_day(room, begin_of(week)));
    tv_out_text(out, TV_STR("</id>\n"));
}

static void write_entry(struct feed_writer *writer, int64_t week, size_t traces)
{
    char begin[TV_READABLE_MOST], end[TV_READABLE_MOST], count[TV_READABLE_MOST];
    struct tv_out *out = &writer->out;
    tv_out_text(out, TV_STR("<entry>\n"));
    write_id(writer, week);
    TV_MARKUP(out, "<title>Week from {}: {}</title>\n<updated>{}</updated>\n",
              tv_readable_day(begin, begin_of(week)),
              tv_readable_count(count, traces, "trace", "traces"),
              tv_readable_moment(end, begin_of(week + 1)));
    write_table(writer, week);
    tv_out_text(out, TV_STR("</entry>\n"));
}

static size_t traces_of_week(const struct feed_writer *writer, int64_t week)
{
    size_t count = 0;
    for (size_t i = 0; i < writer->question->count; i++) {
        const struct tv_fleet_trace *trace = &writer->question->traces[i];
        count += trace->app.len && week_of(trace->created) == week;
    }
    return count;
}

/* --- the past --- */

static int compare_apps(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_fleet_app *of = ctx;
    if (of[a].traces != of[b].traces)
        return of[a].traces > of[b].traces ? -1 : 1;
    return (a > b) - (a < b);
}

static enum tv_code find_apps(struct feed_writer *writer, struct tv_error *err)
{
    const struct tv_fleet_question *question = writer->question;
    struct tv_arena *arena = &writer->context->arena;
    size_t count = 0;
    TV_TRY(tv_arena_take(arena, 2 * question->count * sizeof(double), &writer->values, err));
    TV_TRY(
        tv_fleet_apps_find(question->traces, question->count, arena, &writer->apps, &count, err));
    TV_TRY(tv_sort_rows(arena->alloc, writer->apps, count, sizeof(*writer->apps), compare_apps,
                        writer->apps, err));
    writer->app_count = count < APPS_MOST ? count : APPS_MOST;
    writer->left_out = count - writer->app_count;
    for (size_t i = 0; i < writer->app_count; i++)
        TV_TRY(tv_fleet_builds_find(&writer->builds[i], question->traces, question->count,
                                    writer->apps[i].name, arena, err));
    return TV_OK;
}

/* The entry of a week by the traces that had come at its end, if any came in it. */
static enum tv_code write_week(struct feed_writer *writer, const struct tv_fleet_question *now,
                               int64_t week, struct tv_error *err)
{
    struct tv_fleet_question past;
    TV_TRY(tv_fleet_question_as_of(writer->context, now, begin_of(week + 1), &past, err));
    writer->question = &past;
    const size_t traces = traces_of_week(writer, week);
    const enum tv_code code = traces ? find_apps(writer, err) : TV_OK;
    if (code == TV_OK && traces)
        write_entry(writer, week, traces);
    writer->question = now;
    return code;
}

static enum tv_code write_weeks(struct feed_writer *writer,
                                const struct tv_fleet_question *question, struct tv_error *err)
{
    const int64_t now = week_of(writer->context->now);
    for (int64_t week = now - 1; week >= now - WEEKS; week--)
        TV_TRY(write_week(writer, question, week, err));
    tv_out_text(&writer->out, TV_STR("</feed>\n"));
    return TV_OK;
}

static void write_head(struct feed_writer *writer)
{
    char room[TV_READABLE_MOST];
    struct tv_out *out = &writer->out;
    tv_out_text(out, TV_STR("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                            "<feed xmlns=\"http://www.w3.org/2005/Atom\">\n"));
    write_id(writer, INT64_MIN);
    TV_MARKUP(out,
              "<title>traceview{}{}</title>\n<updated>{}</updated>\n"
              "<author><name>traceview</name></author>\n",
              writer->question->app.len ? TV_STR(": ") : TV_STR(""), writer->question->app,
              tv_readable_moment(room, begin_of(week_of(writer->context->now))));
}

static enum tv_code feed(struct tv_request_context *context,
                         const struct tv_fleet_question *question,
                         struct tv_http_response *response, struct tv_error *err)
{
    struct feed_writer writer = {.context = context, .question = question};
    tv_out_init(&writer.out, tv_buffer_sink(&response->owned));
    write_head(&writer);
    TV_TRY(write_weeks(&writer, question, err));
    return tv_out_finish(&writer.out, err);
}

void tv_fleet_feed(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    struct tv_error err = {.code = TV_OK};
    struct tv_fleet_question question;
    if (tv_fleet_question_begin(context, TV_FLEET_DIGEST, &question, response)) {
        if (feed(context, &question, response, &err) == TV_OK)
            tv_http_send(response, 200, "application/atom+xml; charset=utf-8", "no-store");
        else
            tv_request_context_fail(context, &err, response);
    }
    tv_fleet_question_end(&question);
}
