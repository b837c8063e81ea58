/*
 * fleet: questions over all traces of a site, in the terminal. The site answers them
 * (docs/fleet.md); here they are asked, with a token of the user where one is given, and shown as
 * tables, or as the JSON that came.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/json_read.h"
#include "base/text/out.h"
#include "base/text/percent.h"
#include "cli/site/answer_table.h"
#include "cli/site/header_file.h"
#include "cli/site/site_link.h"
#include "cli/verb.h"
#include "cli/wording.h"
#include "os/network/web.h"

#define ANSWER_MOST ((uint64_t)16 << 20)
#define ANSWER_S 120u
#define ROWS_USUAL 20u

struct fleet_options {
    const char *site;
    const char *token_file;
    const char *device;
    const char *clock;
    const char *by;
    uint64_t most;
    bool json;
};

struct asking {
    const struct tv_cli *cli;
    const struct fleet_options *options;
    const struct tv_arguments *arguments;
    char site[TV_SITE_URL_CAP];
    char token[TV_TOKEN_HEADER_CAP]; /* the header; "": there is none */
    struct tv_buffer url, answer;
    struct tv_text text;
};

static const char *argument(const struct asking *asking, size_t at)
{
    return at < asking->arguments->count ? asking->arguments->of[at] : NULL;
}

/* --- what is asked --- */

static void add_parameter(struct tv_out *url, const char *key, struct tv_str value)
{
    if (!value.len)
        return;
    tv_out_add(url, "&%s=", key);
    tv_percent_put(url, value);
}

static void add_word(struct tv_out *url, const char *key, const char *value)
{
    if (value)
        add_parameter(url, key, tv_str_from(value));
}

/* The first parameter of every question that has any. */
static void add_app(struct tv_out *url, const struct asking *asking)
{
    tv_out_text(url, TV_STR("?app="));
    tv_percent_put(url, tv_str_from(argument(asking, 1)));
}

/* "shop.Cart.pay (I)V": the signature stands behind the first blank, and the name behind the last
 * dot before that. */
static void add_method(struct tv_out *url, const char *method)
{
    struct tv_str signature = tv_str_from(method);
    struct tv_str whole;
    (void)tv_str_split(&signature, ' ', &whole);
    size_t dot = whole.len;
    while (dot && whole.at[dot - 1] != '.')
        dot--;
    add_parameter(url, "class", (struct tv_str){whole.at, dot ? dot - 1 : 0});
    add_parameter(url, "name", (struct tv_str){whole.at + dot, whole.len - dot});
    add_parameter(url, "signature", signature);
}

static void ask_builds(const struct asking *asking, struct tv_out *url)
{
    add_app(url, asking);
}

/* Builds that are not given are left out: the site then takes the last two. */
static void ask_diff(const struct asking *asking, struct tv_out *url)
{
    const struct fleet_options *options = asking->options;
    add_app(url, asking);
    add_word(url, "old", argument(asking, 2));
    add_word(url, "new", argument(asking, 3));
    add_word(url, "device", options->device);
    add_word(url, "clock", options->clock);
    add_word(url, "by", options->by);
    tv_out_add(url, "&n=%llu", (unsigned long long)options->most);
}

static void ask_method(const struct asking *asking, struct tv_out *url)
{
    add_app(url, asking);
    add_method(url, argument(asking, 2));
}

/* --- the answers as text --- */

static enum tv_code add_table(struct asking *asking, const char *key,
                              const struct tv_answer_column *columns, size_t count, size_t *rows,
                              struct tv_error *err)
{
    const struct tv_answered_list list = {key, columns, count};
    return tv_answer_table_add(asking->cli, tv_buffer_view(&asking->answer), &list, &asking->text,
                               rows, err);
}

static enum tv_code value_of(const struct asking *asking, const char *path, struct tv_str *raw,
                             struct tv_error *err)
{
    return tv_answer_value(tv_buffer_view(&asking->answer), path, raw, err);
}

/* Adds a text of the answer, as it stands there: what a terminal must not have is escaped. */
static enum tv_code add_text(struct asking *asking, const char *path, struct tv_error *err)
{
    struct tv_str raw;
    char *text;
    size_t len;
    TV_TRY(value_of(asking, path, &raw, err));
    TV_TRY(tv_alloc_new(asking->cli->alloc, &text, raw.len + 1, 1, err));
    enum tv_code code = tv_json_unescape(raw, text, &len, err);
    if (code == TV_OK)
        tv_text_add_name(&asking->text, (struct tv_str){text, len});
    tv_alloc_release(asking->cli->alloc, &text, raw.len + 1, 1);
    return code;
}

/* A number of the answer, with its thousands apart; 0 where it is absent. */
static enum tv_code add_number(struct asking *asking, const char *path, struct tv_error *err)
{
    struct tv_str raw;
    uint64_t number = 0;
    TV_TRY(value_of(asking, path, &raw, err));
    (void)tv_str_to_u64(raw, 10, &number);
    tv_text_add_count(&asking->text, number);
    return TV_OK;
}

static enum tv_code tell_apps(struct asking *asking, struct tv_error *err)
{
    static const struct tv_answer_column columns[] = {
        {"Traces", "traces", TV_ANSWER_COUNT},
        {"Builds", "builds", TV_ANSWER_COUNT},
        {"Last build", "last_build", TV_ANSWER_TEXT},
        {"App", "app", TV_ANSWER_TEXT},
    };
    size_t rows;
    TV_TRY(add_table(asking, "apps", columns, TV_COUNT_OF(columns), &rows, err));
    if (!rows)
        tv_text_add(&asking->text, "no trace with the label app counts for you\n");
    return TV_OK;
}

static enum tv_code tell_builds(struct asking *asking, struct tv_error *err)
{
    static const struct tv_answer_column columns[] = {
        {"Traces", "traces", TV_ANSWER_COUNT},
        {"Devices", "devices", TV_ANSWER_COUNT},
        {"Length ms", "duration_ns", TV_ANSWER_MS},
        {"Start-up ms", "startup_ns", TV_ANSWER_MS},
        {"Worst frame ms", "worst_frame_ns", TV_ANSWER_MS},
        {"Odd clock", "odd_wall", TV_ANSWER_COUNT},
        {"Build", "build", TV_ANSWER_TEXT},
    };
    size_t rows;
    TV_TRY(add_table(asking, "builds", columns, TV_COUNT_OF(columns), &rows, err));
    if (!rows)
        tv_text_add(&asking->text, "no trace of this app has the label build\n");
    return TV_OK;
}

/* Which builds, and how many traces of each. */
static enum tv_code tell_sides(struct asking *asking, struct tv_error *err)
{
    static const char *const paths[][4] = {
        {"builds.old.build", "builds.old.compared", "builds.old.traces", "builds.old.cut"},
        {"builds.new.build", "builds.new.compared", "builds.new.traces", "builds.new.cut"}};
    struct tv_str cut;
    for (size_t side = 0; side < TV_COUNT_OF(paths); side++) {
        tv_text_add(&asking->text, side ? "new: " : "old: ");
        TV_TRY(add_text(asking, paths[side][0], err));
        tv_text_add(&asking->text, ", ");
        TV_TRY(add_number(asking, paths[side][1], err));
        tv_text_add(&asking->text, " of ");
        TV_TRY(add_number(asking, paths[side][2], err));
        tv_text_add(&asking->text, " traces");
        TV_TRY(value_of(asking, paths[side][3], &cut, err));
        if (cut.len && !tv_str_equal(cut, TV_STR("0"))) {
            tv_text_add(&asking->text, ", with more methods than rows are kept of: ");
            TV_TRY(add_number(asking, paths[side][3], err));
        }
        tv_text_add(&asking->text, "\n");
    }
    return TV_OK;
}

static enum tv_code is_true(const struct asking *asking, const char *path, bool *is_so,
                            struct tv_error *err)
{
    struct tv_str raw;
    TV_TRY(value_of(asking, path, &raw, err));
    *is_so = tv_str_equal(raw, TV_STR("true"));
    return TV_OK;
}

static enum tv_code tell_calls(struct asking *asking, struct tv_error *err)
{
    static const struct tv_answer_column columns[] = {
        {"Old calls", "old.calls", TV_ANSWER_RANGE},
        {"New calls", "new.calls", TV_ANSWER_RANGE},
        {"Old traces", "traces.old", TV_ANSWER_COUNT},
        {"New traces", "traces.new", TV_ANSWER_COUNT},
        {"Method", "", TV_ANSWER_METHOD},
    };
    struct tv_str no_counts;
    TV_TRY(value_of(asking, "no_counts", &no_counts, err));
    if (no_counts.len) {
        tv_text_add(&asking->text, "\ncalls are not compared: a trace ");
        TV_TRY(add_text(asking, "no_counts", err));
        tv_text_add(&asking->text, "\n");
        return TV_OK;
    }
    tv_text_add(&asking->text, "\nmethods that are called more or less often: ");
    TV_TRY(add_number(asking, "calls_verdicts.changed", err));
    tv_text_add(&asking->text, "\n");
    return add_table(asking, "calls", columns, TV_COUNT_OF(columns), NULL, err);
}

/* Says why times are not tested, where they are not; the column of verdicts is left out then. All
 * of that is decided by the site, so that document, answer and command agree. */
static enum tv_code tell_times(struct asking *asking, struct tv_error *err)
{
    static const struct tv_answer_column columns[] = {
        {"Time", "time_verdict", TV_ANSWER_TEXT}, /* left out where none is tested */
        {"Old ms", "old.time_ns", TV_ANSWER_MS},
        {"New ms", "new.time_ns", TV_ANSWER_MS},
        {"Old traces", "traces.old", TV_ANSWER_COUNT},
        {"New traces", "traces.new", TV_ANSWER_COUNT},
        {"Method", "", TV_ANSWER_METHOD},
    };
    struct tv_str no_times;
    bool is_sample, has_devices, has_processors;
    TV_TRY(is_true(asking, "one_sample", &is_sample, err));
    TV_TRY(is_true(asking, "other_devices", &has_devices, err));
    TV_TRY(is_true(asking, "other_processors", &has_processors, err));
    TV_TRY(value_of(asking, "no_times", &no_times, err));
    const size_t skipped = is_sample || no_times.len || has_devices || has_processors;
    tv_text_add(&asking->text, "\n");
    if (is_sample) {
        tv_text_add(&asking->text, "time is one sample a side, and decides nothing\n");
    } else if (no_times.len) {
        tv_text_add(&asking->text, "times are not compared: a trace ");
        TV_TRY(add_text(asking, "no_times", err));
        tv_text_add(&asking->text, "\n");
    } else if (has_devices || has_processors) {
        tv_text_add(&asking->text, "time is of different %s, and decides nothing\n",
                    has_devices ? "devices" : "processors");
    } else {
        tv_text_add(&asking->text, "methods whose time changed: ");
        TV_TRY(add_number(asking, "time_verdicts.changed", err));
        tv_text_add(&asking->text, ", undecided: ");
        TV_TRY(add_number(asking, "time_verdicts.undecided", err));
        tv_text_add(&asking->text, "\n");
    }
    return add_table(asking, "times", columns + skipped, TV_COUNT_OF(columns) - skipped, NULL, err);
}

static enum tv_code tell_diff(struct asking *asking, struct tv_error *err)
{
    TV_TRY(tell_sides(asking, err));
    TV_TRY(tell_calls(asking, err));
    return tell_times(asking, err);
}

/* Both tables have the same columns but for the last one, which names their rows. */
static enum tv_code tell_method(struct asking *asking, struct tv_error *err)
{
#define COLUMNS                                                                                    \
    {"Traces", "traces", TV_ANSWER_COUNT}, {"Having it", "having", TV_ANSWER_COUNT},               \
        {"Unknown", "unknown", TV_ANSWER_COUNT}, {"At least", "at_least", TV_ANSWER_COUNT},        \
        {"No counts", "no_counts", TV_ANSWER_COUNT}, {"Calls", "calls", TV_ANSWER_RANGE},          \
        {"Incl ms", "inclusive_ns", TV_ANSWER_MS}, {"Excl ms", "exclusive_ns", TV_ANSWER_MS},      \
    {                                                                                              \
        "Longest call ms", "slowest.slowest_ns", TV_ANSWER_MS                                      \
    }
    static const struct tv_answer_column builds[] = {COLUMNS, {"Build", "build", TV_ANSWER_TEXT}};
    static const struct tv_answer_column devices[] = {COLUMNS,
                                                      {"Device", "device", TV_ANSWER_TEXT}};
#undef COLUMNS
    struct tv_str others;
    TV_TRY(value_of(asking, "other_builds", &others, err));
    if (others.len) {
        TV_TRY(add_number(asking, "other_builds", err));
        tv_text_add(
            &asking->text,
            " traces of other builds are left out: in short names of R8 this one is another "
            "method in each build, and their mappings are not there\n\n");
    }
    TV_TRY(add_table(asking, "builds", builds, TV_COUNT_OF(builds), NULL, err));
    tv_text_add(&asking->text, "\n");
    return add_table(asking, "devices", devices, TV_COUNT_OF(devices), NULL, err);
}

static const struct question {
    const char *name, *path, *words;
    size_t least, most; /* words, with its name */
    void (*ask)(const struct asking *asking, struct tv_out *url);
    enum tv_code (*tell)(struct asking *asking, struct tv_error *err);
} questions[] = {
    {"apps", "", "no more words", 1, 1, NULL, tell_apps},
    {"builds", "/builds", "APP", 2, 2, ask_builds, tell_builds},
    {"diff", "/diff", "APP, and an old and a new build, if these are not the last two", 2, 4,
     ask_diff, tell_diff},
    {"method", "/method", "APP and the whole name of a METHOD as one word", 3, 3, ask_method,
     tell_method},
};

static const struct question *find_question(const char *name)
{
    for (size_t i = 0; i < TV_COUNT_OF(questions); i++) {
        if (strcmp(questions[i].name, name) == 0)
            return &questions[i];
    }
    return NULL;
}

/* --- the question --- */

static enum tv_code write_url(struct asking *asking, const struct question *question,
                              struct tv_error *err)
{
    struct tv_out out;
    tv_out_init(&out, tv_buffer_sink(&asking->url));
    tv_out_add(&out, "%s/api/v1/apps%s", asking->site, question->path);
    if (question->ask)
        question->ask(asking, &out);
    tv_out_bytes(&out, "", 1);
    return tv_out_finish(&out, err);
}

/* With --json the answer of the site is passed on as it came. */
static int ask(struct asking *asking, const struct question *question)
{
    struct tv_web_answer answer = {.status = 0};
    struct tv_error err = {.code = TV_OK};
    enum tv_code code = write_url(asking, question, &err);
    const struct tv_web_request request = {.method = "GET",
                                           .url = tv_buffer_view(&asking->url).at,
                                           .headers = {asking->token[0] ? asking->token : NULL},
                                           .answer = tv_buffer_sink(&asking->answer),
                                           .most = ANSWER_MOST,
                                           .whole_s = ANSWER_S};
    if (code == TV_OK)
        code = tv_web_ask(&request, &answer, &err);
    if (code != TV_OK || answer.status != 200)
        return tv_site_refused(asking->cli, asking->site, &answer, &err);
    if (asking->options->json) {
        tv_cli_answer(asking->cli, tv_buffer_view(&asking->answer));
        return TV_STATUS_FINE;
    }
    if (question->tell(asking, &err) != TV_OK)
        return tv_cli_fail(asking->cli, asking->site, &err);
    tv_cli_answer_text(asking->cli, tv_text_view(&asking->text));
    return TV_STATUS_FINE;
}

/* All words are checked before the site is asked, so that a mistake costs no request. */
static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    const struct fleet_options *options = values;
    const struct question *question = find_question(arguments->of[0]);
    struct asking asking = {.cli = cli, .options = options, .arguments = arguments};
    struct tv_error err = {.code = TV_OK};
    const char *site = options->site ? options->site : getenv("TRACEVIEW_SITE");
    if (!question)
        return tv_cli_misuse(cli, "fleet asks for apps, builds, diff or method, not '%s'",
                             arguments->of[0]);
    if (arguments->count < question->least || arguments->count > question->most)
        return tv_cli_misuse(cli, "fleet %s takes %s", question->name, question->words);
    if (question->ask != ask_diff &&
        (options->device || options->clock || options->by || options->most != ROWS_USUAL))
        return tv_cli_misuse(cli, "fleet: --device, --clock, --by and -n are for diff");
    if (!site || !site[0])
        return tv_cli_misuse(cli, "fleet: of which site? Give --site URL, or set TRACEVIEW_SITE");
    if (tv_site_parse(asking.site, site, &err) != TV_OK ||
        tv_header_file_read(options->token_file, TV_TOKEN_HEADER, TV_TOKEN_HEADER_MOST, cli->alloc,
                            asking.token, &err) != TV_OK)
        return tv_cli_misuse(cli, "fleet: %s", err.text);
    tv_buffer_init(&asking.url, cli->alloc);
    tv_buffer_init(&asking.answer, cli->alloc);
    tv_text_init(&asking.text, cli->alloc);
    const int status = ask(&asking, question);
    tv_text_release(&asking.text);
    tv_buffer_release(&asking.answer);
    tv_buffer_release(&asking.url);
    return status;
}

static const char *const clocks[] = {"wall", "cpu", NULL};
static const char *const kinds[] = {"inclusive", "exclusive", NULL};

static const struct tv_option options[] = {
    {.name = "site",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct fleet_options, site),
     .argument = "URL",
     .help = "the site ($TRACEVIEW_SITE)"},
    {.name = "token-file",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct fleet_options, token_file),
     .argument = "PATH",
     .help = "a file with a token of yours that may read, to ask in your name"},
    {.name = "device",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct fleet_options, device),
     .argument = "DEVICE",
     .help = "with diff: only traces of this device, whose times can be tested"},
    {.name = "clock",
     .kind = TV_OPTION_CHOICE,
     .field = offsetof(struct fleet_options, clock),
     .argument = "CLOCK",
     .choices = clocks,
     .help = "with diff: compare wall or cpu time (cpu where all traces have it)"},
    {.name = "by",
     .kind = TV_OPTION_CHOICE,
     .field = offsetof(struct fleet_options, by),
     .argument = "TIME",
     .choices = kinds,
     .help = "with diff: inclusive or exclusive time (exclusive)"},
    {.letter = 'n',
     .kind = TV_OPTION_COUNT,
     .field = offsetof(struct fleet_options, most),
     .argument = "COUNT",
     .most = 1000,
     .help = "with diff: rows of each list (20)"},
    {.name = "json",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct fleet_options, json),
     .help = "print what the site answers",
     .group = TV_GROUP_OUTPUT},
};

static const struct fleet_options defaults = {.most = ROWS_USUAL};

const struct tv_verb tv_verb_fleet = {
    .name = "fleet",
    .summary = "ask a site over all of its traces",
    .arguments = "QUESTION [APP [OLD-BUILD [NEW-BUILD]]]",
    .argument_count = 4,
    .may_lack = 3,
    .prints_tables = true,
    .names_methods = true,
    .unpacks_nothing = true,
    .options = TV_OPTIONS(options),
    .values_len = TV_VALUES_LEN(struct fleet_options),
    .defaults = &defaults,
    .notes = "apps lists the apps, builds the builds of one. diff compares two builds: the last "
             "two, unless others are named. method takes APP and a METHOD, and tells its history. "
             "Those traces count whose owners let them, and that you may see.",
    .examples = {{"traceview fleet --site https://traces.example diff shop 417 418",
                  "what got slower between two builds"},
                 {"traceview fleet method shop 'shop.Cart.pay ()V'", "one method, build by build"}},
    .run = run,
};
