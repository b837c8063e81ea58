/*
 * The names of the templates about all traces; see site/document/fleet_data.h. Labels and names of
 * methods are texts of strangers, and are escaped by the templates, in addresses, too.
 */
#include "site/document/fleet_data.h"

#include <math.h>
#include <stdio.h>

#include "base/compiler.h"
#include "base/numbers/shown_number.h"
#include "base/units.h"
#include "site/document/readable.h"

/* Numbers are written into the value's own room, so a document takes no memory for them. */
static void put_count(struct tv_template_value *value, uint64_t count)
{
    const int len = snprintf(value->room, sizeof(value->room), "%llu", (unsigned long long)count);
    value->text = (struct tv_str){value->room, (size_t)len};
}

static void put_ms(struct tv_template_value *value, uint64_t time_ns)
{
    value->text = tv_shown_ms(value->room, (int64_t)time_ns);
}

/* With a sign: 0 has none. */
static void put_signed_ms(struct tv_template_value *value, int64_t time_ns)
{
    char room[TV_SHOWN_MOST];
    const struct tv_str text = tv_shown_ms(room, time_ns);
    const int len = snprintf(value->room, sizeof(value->room), "%s%.*s", time_ns > 0 ? "+" : "",
                             (int)text.len, text.at);
    value->text = (struct tv_str){value->room, (size_t)len};
}

/* Calls of several traces: "3", or "3..5" where traces differ. */
static void put_range(struct tv_template_value *value, uint64_t least, uint64_t most)
{
    const int len = least == most ? snprintf(value->room, sizeof(value->room), "%llu",
                                             (unsigned long long)least)
                                  : snprintf(value->room, sizeof(value->room), "%llu..%llu",
                                             (unsigned long long)least, (unsigned long long)most);
    value->text = (struct tv_str){value->room, (size_t)len};
}

/* A moment twice: for people, and for the attribute that machines read. */
static void put_time(struct tv_template_value *text, struct tv_template_value *iso, int64_t moment)
{
    const uint64_t seconds = moment > 0 ? (uint64_t)moment : 0;
    text->text = tv_readable_time(text->room, seconds);
    iso->text = tv_readable_time_iso(iso->room, seconds);
}

/* --- what rows have in common --- */

enum { EXAMPLE_TRACE, EXAMPLE_WHAT, EXAMPLE_FROM, EXAMPLE_TO, EXAMPLE_LENGTH };
static const struct tv_template_name example_names[] = {
    [EXAMPLE_TRACE] = {"example_trace", TV_TEMPLATE_TEXT, NULL},
    [EXAMPLE_WHAT] = {"example_what", TV_TEMPLATE_TEXT, NULL},
    [EXAMPLE_FROM] = {"example_from", TV_TEMPLATE_TEXT, NULL},
    [EXAMPLE_TO] = {"example_to", TV_TEMPLATE_TEXT, NULL},
    [EXAMPLE_LENGTH] = {"example_length", TV_TEMPLATE_TEXT, NULL},
};

/* Milliseconds as the fragment of a viewer's address has them (web/src/model/link-parts.ts). */
static void put_moment(struct tv_template_value *value, uint64_t time_ns)
{
    const int len = snprintf(value->room, sizeof(value->room), "%llu.%06llu",
                             (unsigned long long)(time_ns / TV_NS_PER_MS),
                             (unsigned long long)(time_ns % TV_NS_PER_MS));
    value->text = (struct tv_str){value->room, (size_t)len};
}

/* An example is a call in a trace, which the link selects: a call without a length gets a
 * nanosecond, since the viewer shows no empty range. */
static void fill_example(const void *row, struct tv_template_value *values)
{
    const struct tv_document_example *example = row;
    values[EXAMPLE_TRACE].text = example->trace;
    values[EXAMPLE_WHAT].text = example->what;
    put_moment(&values[EXAMPLE_FROM], example->at_ns);
    put_moment(&values[EXAMPLE_TO], example->at_ns + (example->len_ns ? example->len_ns : 1));
    put_ms(&values[EXAMPLE_LENGTH], example->len_ns);
}

static const struct tv_template_kind kind_example = {
    example_names, TV_COUNT_OF(example_names), sizeof(struct tv_document_example), fill_example};

/* A list of one row or none, so that the template leaves the link out where there is no example. */
static void put_example(struct tv_template_value *value, const struct tv_document_example *example,
                        bool is_there)
{
    value->rows = example;
    value->row_count = is_there;
}

/* Names of a method, which each kind of row with one has first. */
enum { METHOD_TEXT, METHOD_CLASS, METHOD_NAME, METHOD_SIGNATURE, METHOD_NAMES };
#define METHOD_NAMES_OF                                                                            \
    [METHOD_TEXT] = {"method_text", TV_TEMPLATE_TEXT, NULL},                                       \
    [METHOD_CLASS] = {"method_class", TV_TEMPLATE_TEXT, NULL},                                     \
    [METHOD_NAME] = {"method_name", TV_TEMPLATE_TEXT, NULL},                                       \
    [METHOD_SIGNATURE] = {"method_signature", TV_TEMPLATE_TEXT, NULL}

static void put_method(struct tv_template_value *values, const struct tv_document_method *method)
{
    values[METHOD_TEXT].text = method->text;
    values[METHOD_CLASS].text = method->names.class_name;
    values[METHOD_NAME].text = method->names.name;
    values[METHOD_SIGNATURE].text = method->names.signature;
}

/* --- apps --- */

enum { APP_NAME, APP_TRACES, APP_BUILDS, APP_LAST_BUILD, APP_LAST, APP_LAST_ISO };
static const struct tv_template_name app_names[] = {
    [APP_NAME] = {"app_name", TV_TEMPLATE_TEXT, NULL},
    [APP_TRACES] = {"app_traces", TV_TEMPLATE_TEXT, NULL},
    [APP_BUILDS] = {"app_builds", TV_TEMPLATE_TEXT, NULL},
    [APP_LAST_BUILD] = {"last_build", TV_TEMPLATE_TEXT, NULL},
    [APP_LAST] = {"last", TV_TEMPLATE_TEXT, NULL},
    [APP_LAST_ISO] = {"last_iso", TV_TEMPLATE_TEXT, NULL},
};

static void fill_app(const void *row, struct tv_template_value *values)
{
    const struct tv_fleet_app *app = row;
    values[APP_NAME].text = app->name;
    put_count(&values[APP_TRACES], app->traces);
    put_count(&values[APP_BUILDS], app->builds);
    values[APP_LAST_BUILD].text = app->last_build;
    put_time(&values[APP_LAST], &values[APP_LAST_ISO], app->last);
}

static const struct tv_template_kind kind_app = {app_names, TV_COUNT_OF(app_names),
                                                 sizeof(struct tv_fleet_app), fill_app};

enum { APPS_ROWS, APPS_HAS_ROWS, APPS_BOUND };
static const struct tv_template_name apps_names[] = {
    [APPS_ROWS] = {"apps", TV_TEMPLATE_ROWS, &kind_app},
    [APPS_HAS_ROWS] = {"has_apps", TV_TEMPLATE_TRUTH, NULL},
    [APPS_BOUND] = {"bound", TV_TEMPLATE_TEXT, NULL},
};

static void fill_apps(const void *row, struct tv_template_value *values)
{
    const struct tv_document_apps *apps = row;
    values[APPS_ROWS].rows = apps->apps;
    values[APPS_ROWS].row_count = apps->count;
    values[APPS_HAS_ROWS].is_so = apps->count > 0;
    values[APPS_BOUND].text = apps->bound;
}

const struct tv_template_kind tv_kind_apps = {apps_names, TV_COUNT_OF(apps_names),
                                              sizeof(struct tv_document_apps), fill_apps};

/* --- builds --- */

enum { WORST_TIME = METHOD_NAMES, WORST_EXAMPLE };
static const struct tv_template_name worst_names[] = {
    METHOD_NAMES_OF,
    [WORST_TIME] = {"worst_time", TV_TEMPLATE_TEXT, NULL},
    [WORST_EXAMPLE] = {"worst_example", TV_TEMPLATE_ROWS, &kind_example},
};

static void fill_worst(const void *row, struct tv_template_value *values)
{
    const struct tv_document_worst *worst = row;
    put_method(values, &worst->method);
    put_ms(&values[WORST_TIME], worst->exclusive_ns);
    put_example(&values[WORST_EXAMPLE], &worst->example, worst->has_example);
}

static const struct tv_template_kind kind_worst = {worst_names, TV_COUNT_OF(worst_names),
                                                   sizeof(struct tv_document_worst), fill_worst};

enum {
    BUILD_NAME,
    BUILD_TRACES,
    BUILD_DEVICES,
    BUILD_DURATION,
    BUILD_FRAME,
    BUILD_STARTUP,
    BUILD_LAST,
    BUILD_LAST_ISO,
    BUILD_WORST,
    BUILD_CLOCK,
    BUILD_HAS_BEFORE
};
static const struct tv_template_name build_names[] = {
    [BUILD_NAME] = {"build_name", TV_TEMPLATE_TEXT, NULL},
    [BUILD_TRACES] = {"build_traces", TV_TEMPLATE_TEXT, NULL},
    [BUILD_DEVICES] = {"build_devices", TV_TEMPLATE_TEXT, NULL},
    [BUILD_DURATION] = {"build_duration", TV_TEMPLATE_TEXT, NULL},
    [BUILD_FRAME] = {"build_frame", TV_TEMPLATE_TEXT, NULL},
    [BUILD_STARTUP] = {"build_startup", TV_TEMPLATE_TEXT, NULL},
    [BUILD_LAST] = {"last", TV_TEMPLATE_TEXT, NULL},
    [BUILD_LAST_ISO] = {"last_iso", TV_TEMPLATE_TEXT, NULL},
    [BUILD_WORST] = {"worst", TV_TEMPLATE_ROWS, &kind_worst},
    [BUILD_CLOCK] = {"build_clock", TV_TEMPLATE_TEXT, NULL},
    [BUILD_HAS_BEFORE] = {"has_before", TV_TEMPLATE_TRUTH, NULL},
};

/* Figures that no trace of the build has stay empty texts, since 0 ms would be a figure. */
static void fill_build(const void *row, struct tv_template_value *values)
{
    const struct tv_document_build *build = row;
    const struct tv_fleet_build_figures *figures = build->figures;
    values[BUILD_NAME].text = figures->build->name;
    put_count(&values[BUILD_TRACES], figures->build->count);
    put_count(&values[BUILD_DEVICES], figures->devices);
    if (figures->duration_ns)
        put_ms(&values[BUILD_DURATION], figures->duration_ns);
    if (figures->frames)
        put_ms(&values[BUILD_FRAME], figures->worst_frame_ns);
    if (figures->startups)
        put_ms(&values[BUILD_STARTUP], figures->startup_ns);
    put_time(&values[BUILD_LAST], &values[BUILD_LAST_ISO], figures->build->last);
    values[BUILD_WORST].rows = build->worst;
    values[BUILD_WORST].row_count = figures->worst_count;
    values[BUILD_CLOCK].text = figures->clock == TV_CLOCK_CPU ? TV_STR("CPU") : TV_STR("wall");
    values[BUILD_HAS_BEFORE].is_so = build->has_before;
}

static const struct tv_template_kind kind_build = {build_names, TV_COUNT_OF(build_names),
                                                   sizeof(struct tv_document_build), fill_build};

enum {
    BUILDS_APP,
    BUILDS_ROWS,
    BUILDS_HAS_ROWS,
    BUILDS_OF,
    BUILDS_HAS_MORE,
    BUILDS_BY_NUMBER,
    BUILDS_WITHOUT_ROWS,
    BUILDS_IS_ARCHIVE,
    BUILDS_BOUND,
    BUILDS_HAS_STARTUPS,
    BUILDS_HAS_FRAMES
};
static const struct tv_template_name builds_names[] = {
    [BUILDS_APP] = {"app", TV_TEMPLATE_TEXT, NULL},
    [BUILDS_ROWS] = {"builds", TV_TEMPLATE_ROWS, &kind_build},
    [BUILDS_HAS_ROWS] = {"has_builds", TV_TEMPLATE_TRUTH, NULL},
    [BUILDS_OF] = {"build_count", TV_TEMPLATE_TEXT, NULL},
    [BUILDS_HAS_MORE] = {"has_more_builds", TV_TEMPLATE_TRUTH, NULL},
    [BUILDS_BY_NUMBER] = {"is_by_number", TV_TEMPLATE_TRUTH, NULL},
    [BUILDS_WITHOUT_ROWS] = {"without_rows", TV_TEMPLATE_TEXT, NULL},
    [BUILDS_IS_ARCHIVE] = {"is_archive", TV_TEMPLATE_TRUTH, NULL},
    [BUILDS_BOUND] = {"bound", TV_TEMPLATE_TEXT, NULL},
    [BUILDS_HAS_STARTUPS] = {"has_startups", TV_TEMPLATE_TRUTH, NULL},
    [BUILDS_HAS_FRAMES] = {"has_frames", TV_TEMPLATE_TRUTH, NULL},
};

/* The columns of start-ups and frames are there only if a build has figures for them. */
static void fill_builds(const void *row, struct tv_template_value *values)
{
    const struct tv_document_builds *builds = row;
    values[BUILDS_APP].text = builds->app;
    values[BUILDS_ROWS].rows = builds->builds;
    values[BUILDS_ROWS].row_count = builds->count;
    values[BUILDS_HAS_ROWS].is_so = builds->count > 0;
    put_count(&values[BUILDS_OF], builds->of);
    values[BUILDS_HAS_MORE].is_so = builds->of > builds->count;
    values[BUILDS_BY_NUMBER].is_so = builds->is_by_number;
    for (size_t i = 0; i < builds->count; i++) {
        values[BUILDS_HAS_STARTUPS].is_so |= builds->builds[i].figures->startups > 0;
        values[BUILDS_HAS_FRAMES].is_so |= builds->builds[i].figures->frames > 0;
    }
    values[BUILDS_BOUND].text = builds->bound;
    values[BUILDS_IS_ARCHIVE].is_so = builds->is_archive;
    if (builds->without_rows)
        put_count(&values[BUILDS_WITHOUT_ROWS], builds->without_rows);
}

const struct tv_template_kind tv_kind_builds = {builds_names, TV_COUNT_OF(builds_names),
                                                sizeof(struct tv_document_builds), fill_builds};

/* --- two builds --- */

enum { CHOICE_VALUE, CHOICE_IS_OLD, CHOICE_IS_NEW };
static const struct tv_template_name choice_names[] = {
    [CHOICE_VALUE] = {"choice", TV_TEMPLATE_TEXT, NULL},
    [CHOICE_IS_OLD] = {"is_old", TV_TEMPLATE_TRUTH, NULL},
    [CHOICE_IS_NEW] = {"is_new", TV_TEMPLATE_TRUTH, NULL},
};

static void fill_choice(const void *row, struct tv_template_value *values)
{
    const struct tv_document_choice *choice = row;
    values[CHOICE_VALUE].text = choice->value;
    values[CHOICE_IS_OLD].is_so = choice->is_old;
    values[CHOICE_IS_NEW].is_so = choice->is_new;
}

static const struct tv_template_kind kind_choice = {choice_names, TV_COUNT_OF(choice_names),
                                                    sizeof(struct tv_document_choice), fill_choice};

enum {
    CHANGE_OLD_CALLS = METHOD_NAMES,
    CHANGE_NEW_CALLS,
    CHANGE_OLD_TIME,
    CHANGE_NEW_TIME,
    CHANGE_TIME,
    CHANGE_RATIO,
    CHANGE_P,
    CHANGE_VERDICT,
    CHANGE_OLD_TRACES,
    CHANGE_NEW_TRACES,
    CHANGE_OLD_EXAMPLE,
    CHANGE_NEW_EXAMPLE
};
static const struct tv_template_name change_names[] = {
    METHOD_NAMES_OF,
    [CHANGE_OLD_CALLS] = {"old_calls", TV_TEMPLATE_TEXT, NULL},
    [CHANGE_NEW_CALLS] = {"new_calls", TV_TEMPLATE_TEXT, NULL},
    [CHANGE_OLD_TIME] = {"old_time", TV_TEMPLATE_TEXT, NULL},
    [CHANGE_NEW_TIME] = {"new_time", TV_TEMPLATE_TEXT, NULL},
    [CHANGE_TIME] = {"change_time", TV_TEMPLATE_TEXT, NULL},
    [CHANGE_RATIO] = {"change_ratio", TV_TEMPLATE_TEXT, NULL},
    [CHANGE_P] = {"change_p", TV_TEMPLATE_TEXT, NULL},
    [CHANGE_VERDICT] = {"change_verdict", TV_TEMPLATE_TEXT, NULL},
    [CHANGE_OLD_TRACES] = {"old_traces", TV_TEMPLATE_TEXT, NULL},
    [CHANGE_NEW_TRACES] = {"new_traces", TV_TEMPLATE_TEXT, NULL},
    [CHANGE_OLD_EXAMPLE] = {"old_example", TV_TEMPLATE_ROWS, &kind_example},
    [CHANGE_NEW_EXAMPLE] = {"new_example", TV_TEMPLATE_ROWS, &kind_example},
};

/* A ratio is beside that of the median method, as diff tells it. */
static void put_test(const struct tv_significance_row *test, struct tv_template_value *values)
{
    struct tv_template_value *ratio = &values[CHANGE_RATIO];
    struct tv_template_value *p = &values[CHANGE_P];
    int len = snprintf(ratio->room, sizeof(ratio->room), "%+.1f %%", (exp(test->change) - 1) * 100);
    ratio->text = (struct tv_str){ratio->room, (size_t)len};
    len = snprintf(p->room, sizeof(p->room), "%.2g", test->p_adjusted);
    p->text = (struct tv_str){p->room, (size_t)len};
    values[CHANGE_VERDICT].text = tv_str_from(tv_verdict_words[test->verdict]);
}

static void fill_change(const void *row, struct tv_template_value *values)
{
    const struct tv_document_change *of = row;
    const struct tv_change_side *sides = of->change->sides;
    put_method(values, &of->method);
    put_range(&values[CHANGE_OLD_CALLS], sides[TV_SIDE_OLD].least_calls,
              sides[TV_SIDE_OLD].most_calls);
    put_range(&values[CHANGE_NEW_CALLS], sides[TV_SIDE_NEW].least_calls,
              sides[TV_SIDE_NEW].most_calls);
    put_ms(&values[CHANGE_OLD_TIME], sides[TV_SIDE_OLD].median.time_ns);
    put_ms(&values[CHANGE_NEW_TIME], sides[TV_SIDE_NEW].median.time_ns);
    put_signed_ms(&values[CHANGE_TIME], tv_change_ns(of->change));
    if (of->test)
        put_test(of->test, values);
    put_count(&values[CHANGE_OLD_TRACES], of->traces[TV_SIDE_OLD]);
    put_count(&values[CHANGE_NEW_TRACES], of->traces[TV_SIDE_NEW]);
    put_example(&values[CHANGE_OLD_EXAMPLE], &of->examples[TV_SIDE_OLD],
                of->has_example[TV_SIDE_OLD]);
    put_example(&values[CHANGE_NEW_EXAMPLE], &of->examples[TV_SIDE_NEW],
                of->has_example[TV_SIDE_NEW]);
}

static const struct tv_template_kind kind_change = {change_names, TV_COUNT_OF(change_names),
                                                    sizeof(struct tv_document_change), fill_change};

enum {
    DIFF_APP,
    DIFF_OLD,
    DIFF_NEW,
    DIFF_DEVICE,
    DIFF_SIDES,
    DIFF_ABOUT_CALLS,
    DIFF_ABOUT_TIMES,
    DIFF_IS_TESTED,
    DIFF_CHOICES,
    DIFF_DEVICES,
    DIFF_HAS_DEVICES,
    DIFF_CALLS,
    DIFF_HAS_CALLS,
    DIFF_TIMES,
    DIFF_HAS_TIMES
};
static const struct tv_template_name diff_names[] = {
    [DIFF_APP] = {"app", TV_TEMPLATE_TEXT, NULL},
    [DIFF_OLD] = {"old_build", TV_TEMPLATE_TEXT, NULL},
    [DIFF_NEW] = {"new_build", TV_TEMPLATE_TEXT, NULL},
    [DIFF_DEVICE] = {"device", TV_TEMPLATE_TEXT, NULL},
    [DIFF_SIDES] = {"sides", TV_TEMPLATE_TEXT, NULL},
    [DIFF_ABOUT_CALLS] = {"about_calls", TV_TEMPLATE_TEXT, NULL},
    [DIFF_ABOUT_TIMES] = {"about_times", TV_TEMPLATE_TEXT, NULL},
    [DIFF_IS_TESTED] = {"is_tested", TV_TEMPLATE_TRUTH, NULL},
    [DIFF_CHOICES] = {"choices", TV_TEMPLATE_ROWS, &kind_choice},
    [DIFF_DEVICES] = {"devices", TV_TEMPLATE_ROWS, &kind_choice},
    [DIFF_HAS_DEVICES] = {"has_devices", TV_TEMPLATE_TRUTH, NULL},
    [DIFF_CALLS] = {"calls_changed", TV_TEMPLATE_ROWS, &kind_change},
    [DIFF_HAS_CALLS] = {"has_calls", TV_TEMPLATE_TRUTH, NULL},
    [DIFF_TIMES] = {"times_changed", TV_TEMPLATE_ROWS, &kind_change},
    [DIFF_HAS_TIMES] = {"has_times", TV_TEMPLATE_TRUTH, NULL},
};

static void fill_diff(const void *row, struct tv_template_value *values)
{
    const struct tv_document_build_diff *diff = row;
    values[DIFF_APP].text = diff->app;
    values[DIFF_OLD].text = diff->builds[TV_SIDE_OLD];
    values[DIFF_NEW].text = diff->builds[TV_SIDE_NEW];
    values[DIFF_DEVICE].text = diff->device;
    values[DIFF_SIDES].text = diff->sides;
    values[DIFF_ABOUT_CALLS].text = diff->about_calls;
    values[DIFF_ABOUT_TIMES].text = diff->about_times;
    values[DIFF_IS_TESTED].is_so = diff->is_tested;
    values[DIFF_CHOICES].rows = diff->choices;
    values[DIFF_CHOICES].row_count = diff->choice_count;
    values[DIFF_DEVICES].rows = diff->devices;
    values[DIFF_DEVICES].row_count = diff->device_count;
    values[DIFF_HAS_DEVICES].is_so = diff->device_count > 1;
    values[DIFF_CALLS].rows = diff->calls;
    values[DIFF_CALLS].row_count = diff->call_count;
    values[DIFF_HAS_CALLS].is_so = diff->call_count > 0;
    values[DIFF_TIMES].rows = diff->times;
    values[DIFF_TIMES].row_count = diff->time_count;
    values[DIFF_HAS_TIMES].is_so = diff->time_count > 0;
}

const struct tv_template_kind tv_kind_build_diff = {
    diff_names, TV_COUNT_OF(diff_names), sizeof(struct tv_document_build_diff), fill_diff};

/* --- one method --- */

enum {
    GROUP_NAME,
    GROUP_TRACES,
    GROUP_HAVING,
    GROUP_CALLS,
    GROUP_INCLUSIVE,
    GROUP_EXCLUSIVE,
    GROUP_LEAST,
    GROUP_MOST,
    GROUP_TYPICAL,
    GROUP_SLOWEST
};
static const struct tv_template_name group_names[] = {
    [GROUP_NAME] = {"group_name", TV_TEMPLATE_TEXT, NULL},
    [GROUP_TRACES] = {"group_traces", TV_TEMPLATE_TEXT, NULL},
    [GROUP_HAVING] = {"group_having", TV_TEMPLATE_TEXT, NULL},
    [GROUP_CALLS] = {"group_calls", TV_TEMPLATE_TEXT, NULL},
    [GROUP_INCLUSIVE] = {"group_inclusive", TV_TEMPLATE_TEXT, NULL},
    [GROUP_EXCLUSIVE] = {"group_exclusive", TV_TEMPLATE_TEXT, NULL},
    [GROUP_LEAST] = {"group_least", TV_TEMPLATE_TEXT, NULL},
    [GROUP_MOST] = {"group_most", TV_TEMPLATE_TEXT, NULL},
    [GROUP_TYPICAL] = {"typical", TV_TEMPLATE_ROWS, &kind_example},
    [GROUP_SLOWEST] = {"slowest", TV_TEMPLATE_ROWS, &kind_example},
};

static void fill_group(const void *row, struct tv_template_value *values)
{
    const struct tv_document_group *of = row;
    const struct tv_method_group *group = of->group;
    values[GROUP_NAME].text = group->name;
    const size_t known = group->traces - group->unknown;
    put_count(&values[GROUP_TRACES], known);
    put_count(&values[GROUP_HAVING], group->having);
    if (known) {
        put_range(&values[GROUP_CALLS], group->least_calls, group->most_calls);
        put_ms(&values[GROUP_INCLUSIVE], group->inclusive_ns);
        put_ms(&values[GROUP_EXCLUSIVE], group->exclusive_ns);
    }
    if (group->having) {
        put_ms(&values[GROUP_LEAST], group->least_ns);
        put_ms(&values[GROUP_MOST], group->most_ns);
    }
    put_example(&values[GROUP_TYPICAL], &of->typical, group->typical != NULL);
    put_example(&values[GROUP_SLOWEST], &of->slowest, group->slowest != NULL);
}

static const struct tv_template_kind kind_group = {group_names, TV_COUNT_OF(group_names),
                                                   sizeof(struct tv_document_group), fill_group};

enum {
    HISTORY_APP = METHOD_NAMES,
    HISTORY_ABOUT,
    HISTORY_BUILDS,
    HISTORY_HAS_BUILDS,
    HISTORY_DEVICES
};
static const struct tv_template_name history_names[] = {
    METHOD_NAMES_OF,
    [HISTORY_APP] = {"app", TV_TEMPLATE_TEXT, NULL},
    [HISTORY_ABOUT] = {"about", TV_TEMPLATE_TEXT, NULL},
    [HISTORY_BUILDS] = {"by_build", TV_TEMPLATE_ROWS, &kind_group},
    [HISTORY_HAS_BUILDS] = {"has_builds", TV_TEMPLATE_TRUTH, NULL},
    [HISTORY_DEVICES] = {"by_device", TV_TEMPLATE_ROWS, &kind_group},
};

static void fill_history(const void *row, struct tv_template_value *values)
{
    const struct tv_document_history *history = row;
    put_method(values, &history->method);
    values[HISTORY_APP].text = history->app;
    values[HISTORY_ABOUT].text = history->about;
    values[HISTORY_BUILDS].rows = history->builds;
    values[HISTORY_BUILDS].row_count = history->build_count;
    values[HISTORY_HAS_BUILDS].is_so = history->build_count > 0;
    values[HISTORY_DEVICES].rows = history->devices;
    values[HISTORY_DEVICES].row_count = history->device_count;
}

const struct tv_template_kind tv_kind_history = {history_names, TV_COUNT_OF(history_names),
                                                 sizeof(struct tv_document_history), fill_history};
