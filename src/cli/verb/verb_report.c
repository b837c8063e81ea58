/*
 * report: a trace as one page that opens without the program (served/single_file.h).
 *
 * The page has the trace, the viewer and the engine that reads traces in a browser, so whoever gets
 * it needs nothing else. It is written twice: once to count how long it becomes, since its size is
 * told before it is made, and once into the file. A part of a trace is cut out first
 * (export/single_file), so that the page does not hold more than it shows.
 */
#include <string.h>

#include "base/bytes/base93.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/numbers/duration.h"
#include "base/text/out.h"
#include "cli/answers/question.h"
#include "cli/compare/change_page.h"
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
};

/* A report on its way. */
struct making {
    struct tv_asking *asking;
    const struct report_options *options;
    struct tv_viewer_file one;
    struct tv_single_file report;
    struct tv_buffer link; /* with the marks */
};

static void init(struct making *making, struct tv_asking *asking,
                 const struct report_options *options)
{
    *making = (struct making){.asking = asking, .options = options};
    tv_viewer_file_init(&making->one, asking->cli->alloc, asking->cli->pool);
    tv_buffer_init(&making->link, asking->cli->alloc);
}

static void release(struct making *making)
{
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
static uint64_t text_len(const struct tv_buffer *packed)
{
    uint64_t total = 0;
    struct tv_error err = {.code = TV_OK};
    struct tv_out out;
    tv_out_init(&out, (struct tv_sink){.write = count, .ctx = &total});
    tv_base93_put(&out, packed->bytes, packed->len);
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
    tv_text_add(&text, ", of which the trace is ");
    tv_text_add_size(&text, text_len(&making->one.packed));
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

/* Returns a status. */
static int answer(struct tv_asking *asking, const struct report_options *options)
{
    struct tv_error err = {.code = TV_OK};
    struct making making;
    init(&making, asking, options);
    enum tv_code code =
        tv_memory_tell(&asking->limit, make(&making, &err), asking->index,
                       "the report takes too much memory: take a shorter part", &err);
    int status = code == TV_OK ? tv_warn_of_export(asking->cli, asking->file, "report",
                                                   &making.one.part.result)
                               : tv_asking_fail(asking, &err);
    release(&making);
    return status;
}

/* Options that a page of what changed cannot have: it has no trace in it, and no viewer. NULL: none
 * was given. */
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

static int run_change(const struct tv_cli *cli, const struct report_options *options,
                      const char *name)
{
    const char *excess = excess_option(options);
    const struct tv_change_page page = {.old_file = options->against,
                                        .new_file = name,
                                        .out = options->out,
                                        .title = options->title,
                                        .note = options->note,
                                        .scope = &options->shared};
    if (excess)
        return tv_cli_misuse(cli, "report: --against writes no trace: leave --%s out", excess);
    if (options->shared.clock && strcmp(options->shared.clock, "wait") == 0)
        return tv_cli_misuse(cli, "report: --against compares wall or CPU time, and no waits");
    if (strcmp(name, "-") == 0 || strcmp(options->against, "-") == 0)
        return tv_cli_misuse(cli, "report: --against reads both traces twice: name files");
    if (tv_output_replaces(options->out, options->against))
        return tv_cli_misuse(cli, "report: %s is what is compared with: name another file",
                             options->out);
    return tv_change_page_write(cli, &page);
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
    if (options->against)
        return run_change(cli, options, name);
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
     .help = "no trace: what changed from OLD to FILE, as tables and pictures"},
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
                 {"traceview report app.trace -o main.html --thread main --redact",
                  "only the main thread, with hashes for names"}},
    .run = run,
};
