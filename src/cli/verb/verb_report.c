/*
 * report: a trace as one page that opens without the program (served/single_file.h).
 *
 * The page has the trace, the viewer and the engine that reads traces in a browser, so whoever gets
 * it needs nothing else. It is written twice: once to count how long it becomes, since its size is
 * told before it is made, and once into the file. A part of a trace is cut out first
 * (export/single_file), so that the page does not hold more than it shows. With --against the page
 * has two traces in it, and what changed from one to the other.
 */
#include <string.h>

#include "base/bytes/base93.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/numbers/duration.h"
#include "base/text/out.h"
#include "base/text/percent.h"
#include "cli/answers/question.h"
#include "cli/compare/change_body.h"
#include "cli/compare/change_page.h"
#include "cli/compare/diff.h"
#include "cli/compare/run_set.h"
#include "cli/file/load.h"
#include "cli/file/output.h"
#include "cli/file/redact_options.h"
#include "cli/terminal/progress.h"
#include "cli/verb.h"
#include "cli/warnings.h"
#include "index/memory.h"
#include "served/single_file.h"

/* `link` and `marks` are texts as they came: they are read before the trace is packed, so that a
 * wrong mark is refused at once. */
struct report_options {
    struct tv_scope_options shared;
    struct tv_redact_options redact;
    const char *out; /* NULL: not given */
    const char *title;
    const char *note;
    const char *link;
    struct tv_texts marks;
    const char *against;
    struct tv_texts matched;
    bool is_tables;
};

/* A report on its way. */
struct making {
    struct tv_asking *asking;
    const struct report_options *options;
    struct tv_viewer_file one;
    struct tv_single_file report;
    struct tv_buffer link;    /* with the marks */
    struct tv_buffer changes; /* of two traces: what changed, as markup */
};

static void init(struct making *making, struct tv_asking *asking,
                 const struct report_options *options)
{
    *making = (struct making){.asking = asking, .options = options};
    tv_viewer_file_init(&making->one, asking->cli->alloc, asking->cli->pool);
    tv_buffer_init(&making->link, asking->cli->alloc);
    tv_buffer_init(&making->changes, asking->cli->alloc);
}

static void release(struct making *making)
{
    tv_buffer_release(&making->changes);
    tv_buffer_release(&making->link);
    tv_viewer_file_release(&making->one);
}

/* Takes the part of the trace that is asked for. */
static enum tv_code take(struct making *making, struct tv_error *err)
{
    const struct tv_asking *asking = making->asking;
    const struct report_options *options = making->options;
    const struct tv_redact_opts redact = tv_redact_opts_of(&options->redact);
    struct tv_progress shown;
    struct tv_export_opts opts = {.file = tv_file_label(asking->file),
                                  .redact = options->redact.is_on ? &redact : NULL,
                                  .tell = tv_progress_tell,
                                  .ctx = &shown};
    tv_progress_init(&shown, asking->cli, asking->file);
    tv_progress_phase(&shown, "writing", 100);
    enum tv_code code = tv_question_scope(making->asking, &options->shared, &opts.scope, err);
    if (code == TV_OK)
        tv_single_file_init(&making->report, &opts);
    if (code == TV_OK)
        code = tv_viewer_file_take(&making->one, asking->index, &opts, err);
    tv_progress_clear(&shown);
    return code;
}

/* A sink that writes nowhere: it counts for write_out and text_len. */
static enum tv_code count(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    uint64_t *total = ctx;
    (void)bytes, (void)err;
    *total += len;
    return TV_OK;
}

/* How many characters the trace takes in the page. Base 93 has no length that follows from that of
 * the bytes alone, so it is written once into nowhere. */
static uint64_t text_len(struct tv_str packed)
{
    uint64_t total = 0;
    struct tv_error err = {.code = TV_OK};
    struct tv_out out;
    tv_out_init(&out, (struct tv_sink){.write = count, .ctx = &total});
    tv_base93_put(&out, (const uint8_t *)(const void *)packed.at, packed.len);
    return tv_out_finish(&out, &err) == TV_OK ? total : 0;
}

/* On standard output, unless the page goes there. Mail and chats limit attachments, so the size is
 * what decides whether a shorter part is wanted. */
static void tell_size(const struct making *making, uint64_t total)
{
    const struct tv_cli *cli = making->asking->cli;
    const bool is_page_there = strcmp(making->options->out, "-") == 0;
    struct tv_text text;
    tv_text_init(&text, cli->alloc);
    if (!is_page_there) {
        tv_text_add_name(&text, tv_str_from(making->options->out));
        tv_text_add(&text, ": ");
    }
    tv_text_add(&text, "a page of ");
    tv_text_add_size(&text, total);
    tv_text_add(&text, making->report.old_trace.len ? ", of which the traces are "
                                                    : ", of which the trace is ");
    tv_text_add_size(&text, text_len(tv_buffer_view(&making->one.packed)) +
                                text_len(making->report.old_trace));
    const struct tv_str told = tv_text_view(&text);
    if (is_page_there) {
        tv_cli_note(cli, making->asking->file, "%.*s", (int)told.len, told.at);
    } else {
        tv_text_add(&text, "\n");
        tv_cli_answer_text(cli, tv_text_view(&text));
    }
    tv_text_release(&text);
}

/* What stands behind the # of a link to the viewer, or the text itself. */
static struct tv_str link_of(const char *text)
{
    const char *hash = text ? strchr(text, '#') : NULL;
    return tv_str_from(hash ? hash + 1 : text ? text : "");
}

static enum tv_code fail_for_mark(const char *text, struct tv_error *err)
{
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                   "--mark %s: a mark is FROM-TO, or FROM-TO=TEXT: 1.2s-1.5s=cold cache", text);
}

/* "1.2s-1.5s=cold cache" */
static enum tv_code read_mark(const char *text, struct tv_single_file_mark *mark,
                              struct tv_error *err)
{
    struct tv_str name = tv_str_from(text);
    struct tv_str to, from;
    (void)tv_str_split(&name, '=', &to);
    bool has_to = tv_str_split(&to, '-', &from) && to.at;
    if (!has_to || !tv_duration_ns(from, &mark->from_ns) || !tv_duration_ns(to, &mark->to_ns) ||
        mark->from_ns >= mark->to_ns)
        return fail_for_mark(text, err);
    mark->text = name.at ? name : TV_STR("");
    return TV_OK;
}

/* The view that the page opens at, with the marks of the options behind those of the link. */
static enum tv_code take_link(struct making *making, struct tv_error *err)
{
    const struct report_options *options = making->options;
    const struct tv_str link = link_of(options->link);
    struct tv_out out;
    tv_out_init(&out, tv_buffer_sink(&making->link));
    tv_out_text(&out, link);
    for (size_t i = 0; i < options->marks.count; i++) {
        struct tv_single_file_mark mark;
        TV_TRY(read_mark(options->marks.of[i], &mark, err));
        if (i || link.len)
            tv_out_text(&out, TV_STR("&"));
        tv_single_file_mark_put(&out, &mark);
    }
    return tv_out_finish(&out, err);
}

/* The first pass only counts; its cost is small beside packing the trace, which was done before. */
static enum tv_code write_out(struct making *making, struct tv_error *err)
{
    const struct tv_asking *asking = making->asking;
    const struct tv_cli *cli = asking->cli;
    const struct report_options *options = making->options;
    struct tv_single_file *report = &making->report;
    struct tv_output_file output;
    uint64_t total = 0;
    report->title = tv_str_from(options->title ? options->title : "");
    report->note = tv_str_from(options->note ? options->note : "");
    report->link = tv_buffer_view(&making->link);
    TV_TRY(tv_viewer_file_write(&making->one, report,
                                (struct tv_sink){.write = count, .ctx = &total}, err));
    tell_size(making, total);
    TV_TRY(tv_output_open_beside(&output, cli, options->out, TV_OUTPUT_TEXT, asking->file, err));
    enum tv_code code = tv_viewer_file_write(&making->one, report, tv_output_sink(&output), err);
    return tv_output_close(&output, code, err);
}

/* The link first: it costs nothing, and is where words can be wrong. */
static enum tv_code make(struct making *making, struct tv_error *err)
{
    TV_TRY(take_link(making, err));
    TV_TRY(take(making, err));
    return write_out(making, err);
}

static const char too_long[] = "the report takes too much memory: take a shorter part";

/* Returns a status. */
static int answer(struct tv_asking *asking, const struct report_options *options)
{
    struct tv_error err = {.code = TV_OK};
    struct making making;
    init(&making, asking, options);
    enum tv_code code =
        tv_memory_tell(&asking->limit, make(&making, &err), asking->index, too_long, &err);
    int status = code == TV_OK ? tv_warn_of_export(asking->cli, asking->file, "report",
                                                   &making.one.part.result)
                               : tv_asking_fail(asking, &err);
    release(&making);
    return status;
}

/* --- two traces --- */

/* One of two traces while it becomes a part of the page: asked as it was loaded, and as it will be
 * in the page. */
struct side {
    struct tv_index index;
    struct tv_asking asking;
    struct tv_asking asking_part;
    struct making making;
    bool is_loaded;
    bool is_taken;
};

/* Rows of each list of what changed. Each may be a path of many callers, and all of them are little
 * beside the traces. */
#define CHANGES_MOST 15u

/* What a redacted page calls its traces. */
static const char *const redacted_names[] = {
    [TV_SIDE_OLD] = "redacted-old.trace", [TV_SIDE_NEW] = "redacted.trace"};

static void release_side(struct side *side)
{
    if (side->is_taken)
        tv_asking_release(&side->asking_part);
    if (side->is_loaded) {
        release(&side->making);
        tv_asking_release(&side->asking);
    }
    tv_index_release(&side->index);
}

/* Loads a trace and takes the part of it; its own index is let go of then, since the parts of both
 * are in memory together. */
static int take_side(const struct tv_cli *cli, const struct report_options *options,
                     const char *file, struct side *side)
{
    struct tv_error err = {.code = TV_OK};
    int status = tv_load_for_verb(cli, file, TV_WARNINGS_TOLD, &side->index);
    if (status != TV_STATUS_FINE)
        return status;
    tv_asking_init(&side->asking, cli, file, &side->index);
    init(&side->making, &side->asking, options);
    side->is_loaded = true;
    enum tv_code code = tv_memory_tell(&side->asking.limit, take(&side->making, &err), &side->index,
                                       too_long, &err);
    tv_index_release(&side->index);
    tv_index_init(&side->index);
    if (code != TV_OK)
        return tv_asking_fail(&side->asking, &err);
    tv_asking_init(&side->asking_part, cli, file, &side->making.one.part.index);
    side->is_taken = true;
    return TV_STATUS_FINE;
}

/* What changed is told of the parts that the page has in it, by the names that it has. */
static int put_changes(const struct tv_cli *cli, const struct report_options *options,
                       struct tv_hand_matches *matches, struct side sides[TV_SIDE_COUNT])
{
    const struct tv_scope_options *shared = &options->shared;
    const struct tv_scope_options whole = {.clock = shared->clock};
    struct tv_change_body body = {.cli = cli,
                                  .scope = &whole,
                                  .matches = matches,
                                  .is_part = shared->from.is_given || shared->to.is_given ||
                                             shared->threads.count || shared->processes.count ||
                                             shared->matches.count,
                                  .most_rows = CHANGES_MOST,
                                  .look = tv_single_file_look()};
    struct tv_error err = {.code = TV_OK};
    struct tv_out out;
    tv_out_init(&out, tv_buffer_sink(&sides[TV_SIDE_NEW].making.changes));
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
        body.sides[side] = &sides[side].asking_part;
        if (options->redact.is_on)
            sides[side].asking_part.file = redacted_names[side];
    }
    int status = tv_change_body_put(&body, &out);
    if (status == TV_STATUS_FINE && tv_out_finish(&out, &err) != TV_OK)
        status = tv_cli_fail(cli, NULL, &err);
    return status;
}

/* Adds the methods that are matched to the view that the page opens at, as the viewer's links have
 * them, by whole names. */
static enum tv_code link_matches(struct making *making, const struct tv_hand_matches *matches,
                                 struct tv_error *err)
{
    static const char *const keys[] = {[TV_SIDE_OLD] = "matched=", [TV_SIDE_NEW] = "&as="};
    struct tv_out out;
    tv_out_init(&out, tv_buffer_sink(&making->link));
    for (size_t i = 0; i < matches->count; i++) {
        if (making->link.len || i)
            tv_out_text(&out, TV_STR("&"));
        for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
            tv_out_text(&out, tv_str_from(keys[side]));
            tv_percent_put(&out, matches->of[i].joined[side]);
        }
    }
    return tv_out_finish(&out, err);
}

/* Writes the page of the new trace, with the old one in it. */
static int write_two(struct side sides[TV_SIDE_COUNT])
{
    struct making *making = &sides[TV_SIDE_NEW].making;
    struct tv_single_file *report = &making->report;
    struct tv_error err = {.code = TV_OK};
    report->old_trace = tv_buffer_view(&sides[TV_SIDE_OLD].making.one.packed);
    report->decoder = sides[TV_SIDE_OLD].making.one.decoder;
    report->old_name = tv_file_label(sides[TV_SIDE_OLD].asking_part.file);
    report->changes = tv_buffer_view(&making->changes);
    enum tv_code code = tv_memory_tell(&making->asking->limit, write_out(making, &err),
                                       &making->one.part.index, too_long, &err);
    return code == TV_OK ? TV_STATUS_FINE : tv_asking_fail(making->asking, &err);
}

/* The worst of what the parts had to change. */
static int warn_of_two(const struct tv_cli *cli, const struct side sides[TV_SIDE_COUNT])
{
    int worst = TV_STATUS_FINE;
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
        const struct making *making = &sides[side].making;
        int status =
            tv_warn_of_export(cli, making->asking->file, "report", &making->one.part.result);
        worst = status > worst ? status : worst;
    }
    return worst;
}

/* The link first, as for one trace. */
static int answer_two(const struct tv_cli *cli, const struct report_options *options,
                      const char *const files[TV_SIDE_COUNT], struct tv_hand_matches *matches,
                      struct side sides[TV_SIDE_COUNT])
{
    struct tv_error err = {.code = TV_OK};
    int status = tv_run_set_check(cli, files, TV_SIDE_COUNT);
    for (unsigned side = 0; side < TV_SIDE_COUNT && status == TV_STATUS_FINE; side++)
        status = take_side(cli, options, files[side], &sides[side]);
    if (status == TV_STATUS_FINE && take_link(&sides[TV_SIDE_NEW].making, &err) != TV_OK)
        status = tv_asking_fail(&sides[TV_SIDE_NEW].asking, &err);
    if (status == TV_STATUS_FINE)
        status = put_changes(cli, options, matches, sides);
    if (status == TV_STATUS_FINE &&
        link_matches(&sides[TV_SIDE_NEW].making, matches, &err) != TV_OK)
        status = tv_asking_fail(&sides[TV_SIDE_NEW].asking, &err);
    if (status == TV_STATUS_FINE)
        status = write_two(sides);
    return status == TV_STATUS_FINE ? warn_of_two(cli, sides) : status;
}

static int run_two(const struct tv_cli *cli, const struct report_options *options, const char *name,
                   struct tv_hand_matches *matches)
{
    const char *const files[TV_SIDE_COUNT] = {options->against, name};
    struct side sides[TV_SIDE_COUNT] = {{.is_loaded = false}};
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
        tv_index_init(&sides[side].index);
    int status = answer_two(cli, options, files, matches, sides);
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
        release_side(&sides[side]);
    return status;
}

/* Options that a page of tables cannot have: it has no trace in it, and no viewer. NULL: none was
 * given. */
static const char *excess_option(const struct report_options *options)
{
    const struct tv_scope_options *shared = &options->shared;
    const struct {
        bool is_given;
        const char *name;
    } given[] = {
        {options->link != NULL, "link"},      {options->marks.count > 0, "mark"},
        {options->redact.is_on, "redact"},    {shared->processes.count > 0, "process"},
        {shared->matches.count > 0, "match"}, {shared->hides.count > 0, "hide"},
    };
    for (size_t i = 0; i < TV_COUNT_OF(given); i++) {
        if (given[i].is_given)
            return given[i].name;
    }
    return NULL;
}

static int run_against(const struct tv_cli *cli, const struct report_options *options,
                       const char *name)
{
    const char *excess = options->is_tables ? excess_option(options) : NULL;
    struct tv_hand_matches matches;
    const struct tv_change_page page = {.old_file = options->against,
                                        .new_file = name,
                                        .out = options->out,
                                        .title = options->title,
                                        .note = options->note,
                                        .scope = &options->shared,
                                        .matches = &matches};
    if (excess)
        return tv_cli_misuse(cli, "report: --tables writes no trace: leave --%s out", excess);
    if (options->shared.clock && strcmp(options->shared.clock, "wait") == 0)
        return tv_cli_misuse(cli, "report: --against compares wall or CPU time, and no waits");
    if (tv_output_replaces(options->out, options->against))
        return tv_cli_misuse(cli, "report: %s is what is compared with: name another file",
                             options->out);
    if (options->redact.is_on && options->matched.count)
        return tv_cli_misuse(cli, "report: --matched tells names, which --redact takes out");
    tv_hand_matches_init(&matches, cli->alloc);
    int status = tv_diff_read_matches(cli, "report: --matched", &options->matched, &matches);
    if (status == TV_STATUS_FINE)
        status = options->is_tables ? tv_change_page_write(cli, &page)
                                    : run_two(cli, options, name, &matches);
    tv_hand_matches_release(&matches);
    return status;
}

/* -o has no default, because a page that is printed into a terminal helps nobody. */
static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    const struct report_options *options = values;
    const char *name = arguments->of[0];
    const char *lacking = tv_redact_lacking(&options->redact);
    struct tv_index index;
    struct tv_asking asking;
    if (lacking)
        return tv_cli_misuse(cli, "report: %s is for --redact", lacking);
    if (!options->out)
        return tv_cli_misuse(cli, "report: -o OUT.html says where the page goes");
    if (options->is_tables && !options->against)
        return tv_cli_misuse(cli, "report: --tables is for --against");
    if (options->matched.count && !options->against)
        return tv_cli_misuse(cli, "report: --matched is for --against");
    if (options->against)
        return run_against(cli, options, name);
    tv_index_init(&index);
    int status = tv_load_for_verb(cli, name, TV_WARNINGS_TOLD, &index);
    if (status == TV_STATUS_FINE) {
        tv_asking_init(&asking, cli, name, &index);
        status = answer(&asking, options);
        tv_asking_release(&asking);
    }
    tv_index_release(&index);
    return status;
}

static const struct report_options defaults = {.out = NULL};

static const struct tv_option option_table[] = {
    {.letter = 'o',
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct report_options, out),
     .argument = "OUT",
     .help = "the page to write, always given; - is standard output",
     .group = TV_GROUP_OUTPUT},
    {.name = "title",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct report_options, title),
     .argument = "TEXT",
     .help = "the page's title (the name of FILE)"},
    {.name = "note",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct report_options, note),
     .argument = "TEXT",
     .help = "what the reader should know, shown with the trace"},
    {.name = "link",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct report_options, link),
     .argument = "LINK",
     .help = "open at this view: a link of the viewer, or what follows its #"},
    {.name = "mark",
     .kind = TV_OPTION_TEXTS,
     .field = offsetof(struct report_options, marks),
     .argument = "MARK",
     .help = "mark a range: 1.2s-1.5s, or 1.2s-1.5s=TEXT; may be repeated"},
    {.name = "against",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct report_options, against),
     .argument = "OLD",
     .help = "with OLD in it, too, and what changed from it to FILE"},
    {.name = "matched",
     .kind = TV_OPTION_TEXTS,
     .field = offsetof(struct report_options, matched),
     .argument = "OLD=NEW",
     .help = "--against: the old method OLD is the new method NEW; may be repeated"},
    {.name = "tables",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct report_options, is_tables),
     .help = "--against: tables and pictures alone, without the traces"},
    TV_REDACT_OPTIONS(struct report_options, redact),
    TV_PART_OPTIONS(struct report_options, TV_RANGE_END_OPTION(struct report_options)),
};

const struct tv_verb tv_verb_report = {
    .name = "report",
    .summary = "a trace as one page, which opens without the program",
    .arguments = "FILE",
    .argument_count = 1,
    .uses_index = true,
    .options = TV_OPTIONS(option_table),
    .defaults = &defaults,
    .values_len = TV_VALUES_LEN(struct report_options),
    .notes = "The page has the viewer and the trace in it, and sends nothing anywhere.\n"
             "Its size is told before it is written.",
    .examples = {{"traceview report app.trace -o app.html --title 'Slow start'",
                  "a page to send by mail"},
                 {"traceview report --against old.trace new.trace -o change.html",
                  "what changed, with both traces in it, for a pull request"}},
    .run = run,
};
