/*
 * report: a trace as one page that opens without the program (served/single_file.h).
 *
 * The page has the trace, the viewer and the engine that reads traces in a browser, so whoever gets
 * it needs nothing else. It is written twice: once to count how long it becomes, since its size is
 * told before it is made, and once into the file. A part of a trace is cut out first
 * (export/single_file), so that the page does not hold more than it shows. With --against the page
 * has two traces in it, and what changed from one to the other; with --old and --new it has several
 * runs of each side.
 */
#include <stdio.h>
#include <string.h>

#include "api/diff_query.h"
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
#include "cli/compare/run_files.h"
#include "cli/compare/run_set.h"
#include "cli/file/load.h"
#include "cli/file/mapping_files.h"
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
    const char *old_mapping;
    struct tv_word_list sides[TV_SIDE_COUNT];
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

static uint64_t more_text_len(const struct tv_single_file *report)
{
    uint64_t total = 0;
    for (size_t i = 0; i < report->more_count; i++)
        total += text_len(report->more[i].trace);
    return total;
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
                                text_len(making->report.old_trace) +
                                more_text_len(&making->report));
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

/* What the page reads of a link (web/src/model/page/url-state.ts and lens-link.ts). */
static const char link_keys[] =
    "tab clock range view picked threads open pin hide order mark call method sort search filter "
    "without mine group flame middle siblings callers idle op along upwards of those within past "
    "lasting then selected against runs matched as change beside align old story trace zoom";

static bool is_link_key(struct tv_str key)
{
    struct tv_str rest = TV_STR(link_keys);
    struct tv_str known;
    while (tv_str_split(&rest, ' ', &known)) {
        if (tv_str_equal(known, key))
            return true;
    }
    return false;
}

/* A link with a word that the page does not know would open at another view than is meant. */
static int check_link(const struct tv_cli *cli, const char *text)
{
    const struct tv_str link = link_of(text);
    struct tv_str rest = link;
    struct tv_str part, key;
    if (link.len && !memchr(link.at, '=', link.len))
        return tv_cli_misuse(cli,
                             "report: --link %.*s: a link of the viewer is meant, or what follows "
                             "its #, such as view=10-20ms&tab=flame",
                             tv_str_shown_len(link), link.at);
    while (tv_str_split(&rest, '&', &part)) {
        (void)tv_str_split(&part, '=', &key);
        if (key.len && !is_link_key(key))
            return tv_cli_misuse(cli, "report: --link: '%.*s' is in no link of the viewer: %s",
                                 tv_str_shown_len(key), key.at, link_keys);
    }
    return TV_STATUS_FINE;
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

/* --- two traces, or several runs a side --- */

/* A run while it becomes a part of the page: asked as it was loaded, and as it will be in the page.
 */
struct run {
    struct tv_index index;
    struct tv_asking asking;
    struct tv_asking asking_part;
    struct making making;
    char redacted_name[48]; /* what a redacted page calls the trace */
    bool is_loaded;
    bool is_taken;
};

/* All runs of both sides, the old ones first. */
struct run_list {
    const struct tv_cli *cli;
    const struct tv_cli *old_cli; /* that has the mapping of the old side */
    const struct report_options *options;
    struct run *of;
    size_t counts[TV_SIDE_COUNT];
    struct tv_single_file_run *more; /* beside the first one of each side */
    struct tv_asking **askings;      /* about the parts */
};

/* Rows of each list of what changed. Each may be a path of many callers, and all of them are little
 * beside the traces. */
#define CHANGES_MOST 15u

static size_t run_count(const struct run_list *runs)
{
    return runs->counts[TV_SIDE_OLD] + runs->counts[TV_SIDE_NEW];
}

/* The run that the page is of, and shows first. */
static struct run *own_run(const struct run_list *runs)
{
    return &runs->of[runs->counts[TV_SIDE_OLD]];
}

static void release_run(struct run *run)
{
    if (run->is_taken)
        tv_asking_release(&run->asking_part);
    if (run->is_loaded) {
        release(&run->making);
        tv_asking_release(&run->asking);
    }
    tv_index_release(&run->index);
}

static void release_runs(struct run_list *runs)
{
    const struct tv_alloc *alloc = runs->cli->alloc;
    for (size_t i = 0; runs->of && i < run_count(runs); i++)
        release_run(&runs->of[i]);
    tv_alloc_release(alloc, &runs->askings, run_count(runs), sizeof(*runs->askings));
    tv_alloc_release(alloc, &runs->more, run_count(runs), sizeof(*runs->more));
    tv_alloc_release(alloc, &runs->of, run_count(runs), sizeof(*runs->of));
}

static enum tv_code take_run_room(struct run_list *runs, struct tv_error *err)
{
    const struct tv_alloc *alloc = runs->cli->alloc;
    TV_TRY(tv_alloc_new(alloc, &runs->of, run_count(runs), sizeof(*runs->of), err));
    TV_TRY(tv_alloc_new(alloc, &runs->more, run_count(runs), sizeof(*runs->more), err));
    TV_TRY(tv_alloc_new(alloc, &runs->askings, run_count(runs), sizeof(*runs->askings), err));
    for (size_t i = 0; i < run_count(runs); i++)
        tv_index_init(&runs->of[i].index);
    return TV_OK;
}

/* Loads a trace and takes the part of it; its own index is let go of then, since the parts of all
 * are in memory together. */
static int take_run(const struct run_list *runs, const char *file, struct run *run)
{
    const struct tv_cli *cli =
        run < &runs->of[runs->counts[TV_SIDE_OLD]] ? runs->old_cli : runs->cli;
    struct tv_error err = {.code = TV_OK};
    int status = tv_load_for_verb(cli, file, TV_WARNINGS_TOLD, &run->index);
    if (status != TV_STATUS_FINE)
        return status;
    tv_asking_init(&run->asking, cli, file, &run->index);
    init(&run->making, &run->asking, runs->options);
    run->is_loaded = true;
    enum tv_code code =
        tv_memory_tell(&run->asking.limit, take(&run->making, &err), &run->index, too_long, &err);
    tv_index_release(&run->index);
    tv_index_init(&run->index);
    if (code != TV_OK)
        return tv_asking_fail(&run->asking, &err);
    tv_asking_init(&run->asking_part, cli, file, &run->making.one.part.index);
    run->is_taken = true;
    return TV_STATUS_FINE;
}

/* "redacted-old.trace", "redacted-2.trace" */
static void name_redacted(const struct run_list *runs, size_t place)
{
    const bool is_old = place < runs->counts[TV_SIDE_OLD];
    const size_t number = is_old ? place : place - runs->counts[TV_SIDE_OLD];
    struct run *run = &runs->of[place];
    char more[24] = "";
    if (number)
        (void)snprintf(more, sizeof(more), "-%zu", number + 1);
    (void)snprintf(run->redacted_name, sizeof(run->redacted_name), "redacted%s%s.trace",
                   is_old ? "-old" : "", more);
    run->asking_part.file = run->redacted_name;
}

/* What changed is told of the parts that the page has in it, by the names that it has. */
static int put_changes(const struct run_list *runs, struct tv_hand_matches *matches)
{
    const struct tv_scope_options *shared = &runs->options->shared;
    const struct tv_scope_options whole = {.clock = shared->clock};
    const struct tv_change_body body = {
        .cli = runs->cli,
        .runs = runs->askings,
        .counts = {runs->counts[TV_SIDE_OLD], runs->counts[TV_SIDE_NEW]},
        .scope = &whole,
        .matches = matches,
        .is_part = shared->from.is_given || shared->to.is_given || shared->threads.count ||
                   shared->processes.count || shared->matches.count,
        .most_rows = CHANGES_MOST,
        .look = tv_single_file_look()};
    struct tv_error err = {.code = TV_OK};
    struct tv_out out;
    tv_out_init(&out, tv_buffer_sink(&own_run(runs)->making.changes));
    for (size_t i = 0; i < run_count(runs); i++) {
        runs->askings[i] = &runs->of[i].asking_part;
        if (runs->options->redact.is_on)
            name_redacted(runs, i);
    }
    int status = tv_change_body_put(&body, &out);
    if (status == TV_STATUS_FINE && tv_out_finish(&out, &err) != TV_OK)
        status = tv_cli_fail(runs->cli, NULL, &err);
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

/* All runs but the first one of each side. */
static void list_more(const struct run_list *runs, struct tv_single_file *report)
{
    for (size_t i = 1; i < run_count(runs); i++) {
        const struct run *run = &runs->of[i];
        if (run == own_run(runs))
            continue;
        runs->more[report->more_count++] =
            (struct tv_single_file_run){.is_old = i < runs->counts[TV_SIDE_OLD],
                                        .trace = tv_buffer_view(&run->making.one.packed),
                                        .name = tv_file_label(run->asking_part.file)};
    }
    report->more = runs->more;
}

/* Writes the page of the first new run, with all others in it. */
static int write_runs(const struct run_list *runs)
{
    const struct run *old_run = &runs->of[0];
    struct making *making = &own_run(runs)->making;
    struct tv_single_file *report = &making->report;
    struct tv_error err = {.code = TV_OK};
    report->old_trace = tv_buffer_view(&old_run->making.one.packed);
    report->old_name = tv_file_label(old_run->asking_part.file);
    report->changes = tv_buffer_view(&making->changes);
    list_more(runs, report);
    for (size_t i = 0; i < run_count(runs); i++) {
        if (runs->of[i].making.one.decoder.len)
            report->decoder = runs->of[i].making.one.decoder;
    }
    enum tv_code code = tv_memory_tell(&making->asking->limit, write_out(making, &err),
                                       &making->one.part.index, too_long, &err);
    return code == TV_OK ? TV_STATUS_FINE : tv_asking_fail(making->asking, &err);
}

/* The worst of what the parts had to change. */
static int warn_of_runs(const struct run_list *runs)
{
    int worst = TV_STATUS_FINE;
    for (size_t i = 0; i < run_count(runs); i++) {
        const struct making *making = &runs->of[i].making;
        int status =
            tv_warn_of_export(runs->cli, making->asking->file, "report", &making->one.part.result);
        worst = status > worst ? status : worst;
    }
    return worst;
}

/* The link first, as for one trace. */
static int answer_runs(struct run_list *runs, const char *const *files,
                       struct tv_hand_matches *matches)
{
    struct tv_error err = {.code = TV_OK};
    if (take_run_room(runs, &err) != TV_OK)
        return tv_cli_fail(runs->cli, NULL, &err);
    int status = tv_run_set_check(runs->cli, files, run_count(runs));
    for (size_t i = 0; i < run_count(runs) && status == TV_STATUS_FINE; i++)
        status = take_run(runs, files[i], &runs->of[i]);
    if (status != TV_STATUS_FINE)
        return status;
    struct run *own = own_run(runs);
    if (take_link(&own->making, &err) != TV_OK)
        return tv_asking_fail(&own->asking, &err);
    status = put_changes(runs, matches);
    if (status == TV_STATUS_FINE && link_matches(&own->making, matches, &err) != TV_OK)
        status = tv_asking_fail(&own->asking, &err);
    if (status == TV_STATUS_FINE)
        status = write_runs(runs);
    return status == TV_STATUS_FINE ? warn_of_runs(runs) : status;
}

static int run_several(const struct tv_cli *cli, const struct report_options *options,
                       const struct tv_change_page *page)
{
    struct run_list runs = {.cli = cli, .old_cli = page->old_cli, .options = options};
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
        runs.counts[side] = page->counts[side];
    int status = answer_runs(&runs, page->files, page->matches);
    release_runs(&runs);
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

/* What the page of these files cannot be. Returns a status. */
static int check_against(const struct tv_cli *cli, const struct report_options *options,
                         const struct tv_run_files *files)
{
    const char *excess = options->is_tables ? excess_option(options) : NULL;
    if (excess)
        return tv_cli_misuse(cli, "report: --tables writes no trace: leave --%s out", excess);
    if (options->shared.clock && strcmp(options->shared.clock, "wait") == 0)
        return tv_cli_misuse(cli, "report: --against compares wall or CPU time, and no waits");
    if (options->redact.is_on && options->matched.count)
        return tv_cli_misuse(cli, "report: --matched tells names, which --redact takes out");
    if (files->count > TV_DIFF_TRACES_MOST)
        return tv_cli_misuse(cli, "report: %zu traces are more than the %u that are compared",
                             files->count, TV_DIFF_TRACES_MOST);
    for (size_t i = 0; i < files->count; i++) {
        if (tv_output_replaces(options->out, files->of[i]))
            return tv_cli_misuse(cli, "report: %s is one of the traces: name another file",
                                 options->out);
    }
    return TV_STATUS_FINE;
}

static int run_files(const struct tv_cli *cli, const struct tv_cli *old_cli,
                     const struct report_options *options, const struct tv_run_files *files,
                     size_t old_count)
{
    struct tv_hand_matches matches;
    const struct tv_change_page page = {.files = files->of,
                                        .counts = {old_count, files->count - old_count},
                                        .old_cli = old_cli,
                                        .out = options->out,
                                        .title = options->title,
                                        .note = options->note,
                                        .scope = &options->shared,
                                        .matches = &matches};
    int status = check_against(cli, options, files);
    if (status != TV_STATUS_FINE)
        return status;
    tv_hand_matches_init(&matches, cli->alloc);
    status = tv_diff_read_matches(cli, "report: --matched", &options->matched, &matches);
    if (status == TV_STATUS_FINE)
        status = options->is_tables ? tv_change_page_write(cli, &page)
                                    : run_several(cli, options, &page);
    tv_hand_matches_release(&matches);
    return status;
}

/* `name`: the new trace behind --against; NULL: both sides have their options. */
static int run_against(const struct tv_cli *cli, const struct report_options *options,
                       const char *name)
{
    const char *const words[] = {options->against, name};
    struct tv_error err = {.code = TV_OK};
    struct tv_run_files files;
    struct tv_mapping_files mappings;
    struct tv_cli old_cli;
    size_t old_count = 0;
    tv_run_files_init(&files, cli);
    tv_mapping_files_init(&mappings, cli->alloc);
    enum tv_code code =
        tv_run_files_add_sides(&files, name ? words : NULL, options->sides, &old_count, &err);
    int status = code == TV_OK
                     ? tv_mapping_files_open_side(&mappings, cli, options->old_mapping, &old_cli)
                     : tv_cli_fail(cli, NULL, &err);
    if (status == TV_STATUS_FINE)
        status = run_files(cli, &old_cli, options, &files, old_count);
    status = tv_mapping_files_check(&mappings, cli, status);
    tv_mapping_files_release(&mappings);
    tv_run_files_release(&files);
    return status;
}

/* The words of a command line that names too little, or one thing twice; NULL: it does not. */
static const char *misuse_of_files(const struct report_options *options, size_t count)
{
    const struct tv_word_list *sides = options->sides;
    const bool has_side = sides[TV_SIDE_OLD].count || sides[TV_SIDE_NEW].count;
    const bool has_sides = sides[TV_SIDE_OLD].count && sides[TV_SIDE_NEW].count;
    if (has_side && (count || options->against || !has_sides))
        return "report: --old and --new name all traces, each side its own";
    if (!has_side && !count)
        return "report needs a FILE, or files behind --old and --new";
    if (has_sides || options->against)
        return NULL;
    if (options->is_tables)
        return "report: --tables is for --against";
    if (options->old_mapping)
        return "report: --old-mapping is for --against";
    return options->matched.count ? "report: --matched is for --against" : NULL;
}

/* -o has no default, because a page that is printed into a terminal helps nobody. */
static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    const struct report_options *options = values;
    const char *name = arguments->count ? arguments->of[0] : NULL;
    const char *lacking = tv_redact_lacking(&options->redact);
    struct tv_index index;
    struct tv_asking asking;
    if (misuse_of_files(options, arguments->count))
        return tv_cli_misuse(cli, "%s", misuse_of_files(options, arguments->count));
    if (lacking)
        return tv_cli_misuse(cli, "report: %s is for --redact", lacking);
    if (!options->out)
        return tv_cli_misuse(cli, "report: -o OUT.html says where the page goes");
    if (check_link(cli, options->link) != TV_STATUS_FINE)
        return TV_STATUS_MISUSED;
    if (options->against || !name)
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
    {.name = "old-mapping",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct report_options, old_mapping),
     .argument = "MAPPING",
     .help = "--against: names of the old side, as --mapping gives those of the new one"},
    TV_SIDE_OPTIONS(struct report_options),
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
    .arguments = "[FILE]",
    .argument_count = 1,
    .may_lack = 1,
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
