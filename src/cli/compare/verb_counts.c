/*
 * counts: how often each method was called, as a lockfile that is committed beside the source, and
 * whether runs still have those counts (compare/call_lock.h).
 *
 * What is counted (--mine, --between, --per) stands in the lockfile, so --check and --update take
 * it from there and refuse these options. Counts of several runs are joined by the names of
 * methods; a method whose count differs between runs has its range. --check ends with status 3 if a
 * count is outside of its range by more than the range is wide; what is nearer is a stray, which is
 * told and breaks nothing.
 */

#include "analysis/question/scope.h"
#include "api/comparisons/counts.h"
#include "base/error.h"
#include "cli/compare/run_set.h"
#include "cli/file/output.h"
#include "cli/terminal/table.h"
#include "cli/verb.h"
#include "compare/call_lock.h"
#include "compare/counted_runs.h"
#include "compare/lock_change.h"
#include "os/file/paths.h"

#define COUNT_USUAL 20u

struct counts_options {
    const char *output;
    const char *check;
    const char *update;
    const char *mine;
    struct tv_word_list between;
    const char *per;
    uint64_t count;
    bool json;
};

/* What the counts are of, as texts. */
struct counted {
    const struct counts_options *options;
    struct tv_lock_subject subject;
    struct tv_buffer texts[4]; /* of a lock's subject, unescaped */
    struct tv_run_method from, until, per;
    struct tv_counted_runs runs;
};

/* The lock's own words are views into its file, and the search wants a text that ends. */
static enum tv_code find_method(struct tv_run_method *method, struct tv_asking *asking,
                                struct tv_str name, uint32_t *method_ix, struct tv_error *err)
{
    struct tv_str zero_ended;
    *method_ix = TV_NONE;
    if (!name.len)
        return TV_OK;
    TV_TRY(tv_arena_keep(&asking->arena, name, &zero_ended, err));
    return tv_run_method_find(method, asking, zero_ended.at, method_ix, err);
}

/* Called for each recording while its index is open; what is kept is copied into the join. */
static enum tv_code take_run(void *ctx, struct tv_asking *asking, size_t run, struct tv_error *err)
{
    struct counted *counted = ctx;
    const struct tv_lock_subject *subject = &counted->subject;
    struct tv_call_counts_opts opts = {.mine = subject->mine};
    TV_TRY(tv_run_counts_check(asking->index, err));
    TV_TRY(find_method(&counted->from, asking, subject->from, &opts.from, err));
    TV_TRY(find_method(&counted->until, asking, subject->until, &opts.until, err));
    TV_TRY(find_method(&counted->per, asking, subject->per, &opts.per, err));
    return tv_counted_runs_add(&counted->runs, run, asking->index, &opts,
                               tv_file_label(asking->file), err);
}

/* Counts the calls of all files into a lock. Returns a status. */
static int count_files(const struct tv_cli *cli, struct counted *counted,
                       const struct tv_arguments *arguments, struct tv_call_lock *lock)
{
    struct tv_lock_subject *subject = &counted->subject;
    struct tv_error err = {.code = TV_OK};
    tv_counted_runs_begin(&counted->runs, arguments->count);
    int status = tv_run_set_load(cli, arguments->of, arguments->count,
                                 &(struct tv_run_taker){.take = take_run, .ctx = counted});
    if (status != TV_STATUS_FINE)
        return status;
    tv_run_set_tell_copies(cli, arguments->of, arguments->count);
    /* In the next build the names of the file are those of other methods. */
    subject->from = tv_run_method_source(&counted->from, subject->from);
    subject->until = tv_run_method_source(&counted->until, subject->until);
    subject->per = tv_run_method_source(&counted->per, subject->per);
    const enum tv_code code = tv_counted_runs_lock(&counted->runs, subject, lock, &err);
    return code == TV_OK ? TV_STATUS_FINE : tv_cli_fail(cli, NULL, &err);
}

/* A path that is also a trace that was read would lose the trace. */
static enum tv_code check_path(const struct tv_arguments *arguments, const char *path,
                               struct tv_error *err)
{
    for (size_t i = 0; i < arguments->count; i++) {
        if (tv_output_replaces(path, arguments->of[i]))
            return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                           "%s is a trace that was read, and would be overwritten", path);
    }
    return TV_OK;
}

/* The lock must not replace a recording that it is made of (check_path). One of no method is not
 * written: whoever checks by it would be told for ever that nothing differs. */
static int write_lock(const struct tv_cli *cli, const struct tv_call_lock *lock,
                      const struct tv_arguments *arguments, const char *path)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_output_file output;
    if (tv_call_lock_check(lock, &err) != TV_OK)
        return tv_cli_fail(cli, NULL, &err);
    enum tv_code code = check_path(arguments, path, &err);
    if (code == TV_OK)
        code = tv_output_open(&output, cli, path, TV_OUTPUT_TEXT, &err);
    if (code == TV_OK) {
        code = tv_call_lock_write(lock, tv_output_sink(&output), &err);
        code = tv_output_close(&output, code, &err);
    }
    return code == TV_OK ? TV_STATUS_FINE : tv_cli_fail(cli, path, &err);
}

/* A method that the lock or the run lacks was called 0 times there. */
static void add_range(struct tv_text_table *table, const struct tv_lock_line *line)
{
    tv_table_range(table, line ? line->least : 0, line ? line->most : 0);
}

static enum tv_code add_row(struct tv_text_table *table,
                            const struct tv_lock_difference *difference, struct tv_buffer *name,
                            struct tv_error *err)
{
    TV_TRY(tv_lock_difference_name(difference, name, err));
    add_range(table, difference->locked);
    add_range(table, difference->run);
    tv_table_name(table, tv_str_from(tv_lock_change_words[difference->change]));
    tv_table_method(table, tv_buffer_view(name));
    return TV_OK;
}

/* Locked and found counts side by side, since that is what a reviewer compares. */
static enum tv_code add_table(const struct tv_cli *cli, const struct counts_options *options,
                              const struct tv_lock_changes *differences, struct tv_text *out,
                              struct tv_error *err)
{
    size_t shown = options->count && differences->count > options->count ? (size_t)options->count
                                                                         : differences->count;
    struct tv_text_table table;
    struct tv_buffer name;
    enum tv_code code = TV_OK;
    tv_table_init(&table, cli);
    tv_buffer_init(&name, cli->alloc);
    tv_table_column(&table, "Locked", TV_ALIGN_RIGHT);
    tv_table_keep(&table);
    tv_table_column(&table, "Calls", TV_ALIGN_RIGHT);
    tv_table_keep(&table);
    tv_table_column(&table, "Is", TV_ALIGN_LEFT);
    tv_table_column(&table, "Method", TV_ALIGN_LEFT);
    for (size_t i = 0; code == TV_OK && i < shown; i++)
        code = add_row(&table, &differences->of[i], &name, err);
    if (code == TV_OK)
        code = tv_table_write(&table, out, err);
    if (shown < differences->count) {
        tv_text_add(out, "\nand ");
        tv_text_add_count(out, differences->count - shown);
        tv_text_add(out, " more: -n 0 shows all\n");
    }
    tv_buffer_release(&name);
    tv_table_release(&table);
    return code;
}

/* One line that says it all, for logs that are read from the end. */
static void add_summary(struct tv_text *out, const char *path, const struct tv_call_lock *locked,
                        const struct tv_lock_changes *differences)
{
    tv_text_add_name(out, tv_file_label(path));
    if (!locked->count) {
        tv_text_add(out, ": the file says no method, so nothing was checked.\n");
        return;
    }
    tv_text_add(out, ": ");
    tv_text_add_count(out, locked->count);
    tv_text_add(out, " methods of %llu run%s, ", (unsigned long long)locked->runs,
                locked->runs == 1 ? "" : "s");
    if (differences->broken) {
        tv_text_add_count(out, differences->broken);
        tv_text_add(out, " %s", differences->broken == 1 ? "differs" : "differ");
    } else {
        tv_text_add(out, "none differs");
    }
    if (differences->strays) {
        tv_text_add(out, "; ");
        tv_text_add_count(out, differences->strays);
        tv_text_add(out, " unstable %s out of the range, by no more than it is wide",
                    differences->strays == 1 ? "one is" : "ones are");
    }
    if (differences->inlined) {
        tv_text_add(out, "; ");
        tv_text_add_count(out, differences->inlined);
        tv_text_add(out, " undecided, which a mapping says %s inlined",
                    differences->inlined == 1 ? "was" : "were");
    }
    tv_text_add(out, "\n");
}

static enum tv_code tell_differences(const struct tv_cli *cli, const struct counted *counted,
                                     const struct tv_call_lock *locked,
                                     const struct tv_lock_changes *differences, struct tv_text *out,
                                     struct tv_error *err)
{
    if (counted->options->json)
        return tv_answer_lock_changes(differences, locked, tv_file_label(counted->options->check),
                                      &out->buffer, SIZE_MAX, err);
    add_summary(out, counted->options->check, locked, differences);
    if (!differences->count)
        return TV_OK;
    tv_text_add(out, "\n");
    return add_table(cli, counted->options, differences, out, err);
}

/* Status 3 where a count differs, or where no count could, so that a build can stop; the
 * differences are printed in any case. */
static int compare(const struct tv_cli *cli, const struct counted *counted,
                   const struct tv_call_lock *locked, const struct tv_call_lock *runs)
{
    struct tv_lock_changes differences;
    struct tv_error err = {.code = TV_OK};
    struct tv_text out;
    tv_text_init(&out, cli->alloc);
    tv_lock_changes_init(&differences, cli->alloc);
    enum tv_code code = tv_call_locks_match(locked, runs, &err);
    if (code == TV_OK)
        code = tv_lock_changes_find(&differences, locked, runs, &err);
    if (code == TV_OK)
        code = tell_differences(cli, counted, locked, &differences, &out, &err);
    if (code == TV_OK && out.code != TV_OK)
        code = tv_fail_memory(&err, out.buffer.len);
    int status = differences.broken || !locked->count ? TV_STATUS_BELOW : TV_STATUS_FINE;
    if (code != TV_OK)
        status = tv_cli_fail(cli, NULL, &err);
    else if (counted->options->json)
        tv_cli_answer(cli, tv_text_view(&out));
    else
        tv_cli_answer_text(cli, tv_text_view(&out));
    tv_text_release(&out);
    tv_lock_changes_release(&differences);
    return status;
}

/* Takes what the counts are of from a lockfile. */
static enum tv_code take_subject(struct counted *counted, const struct tv_lock_subject *escaped,
                                 struct tv_error *err)
{
    const struct tv_str from[] = {escaped->mine, escaped->from, escaped->until, escaped->per};
    struct tv_str *const to[] = {&counted->subject.mine, &counted->subject.from,
                                 &counted->subject.until, &counted->subject.per};
    for (size_t i = 0; i < TV_COUNT_OF(from); i++) {
        TV_TRY(tv_lock_unescape(from[i], &counted->texts[i], err));
        *to[i] = tv_buffer_view(&counted->texts[i]);
    }
    return TV_OK;
}

/* Tells what a lock of fewer runs does not know any more. */
static void warn_of_ranges(const struct tv_cli *cli, const char *path,
                           const struct tv_call_lock *locked, const struct tv_call_lock *runs)
{
    const size_t lost = tv_lock_lost_ranges(locked, runs);
    if (lost)
        tv_cli_note(cli, path,
                    "%zu %s lost, since the counts were of %llu recordings and are of %llu now: "
                    "--check will take what differs from run to run for a change",
                    lost, lost == 1 ? "range is" : "ranges are", (unsigned long long)locked->runs,
                    (unsigned long long)runs->runs);
}

/* Reads the lockfile at `path`, counts what it is of, and compares, or with --update writes it
 * anew. */
static int use_lock(const struct tv_cli *cli, struct counted *counted,
                    const struct tv_arguments *arguments, const char *path)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_buffer text;
    struct tv_call_lock locked;
    struct tv_call_lock runs;
    int status = TV_STATUS_FINE;
    tv_buffer_init(&text, cli->alloc);
    tv_call_lock_init(&locked, cli->alloc);
    tv_call_lock_init(&runs, cli->alloc);
    enum tv_code code = tv_file_read_small(path, TV_LOCK_MOST, &text, &err);
    if (code == TV_OK)
        code = tv_call_lock_read(&locked, tv_buffer_view(&text), &err);
    if (code == TV_OK)
        code = take_subject(counted, &locked.subject, &err);
    if (code != TV_OK)
        status =
            tv_cli_fail(cli, code == TV_ERR_FORMAT || code == TV_ERR_MEMORY ? path : NULL, &err);
    if (status == TV_STATUS_FINE)
        status = count_files(cli, counted, arguments, &runs);
    if (status == TV_STATUS_FINE && counted->options->update) {
        status = write_lock(cli, &runs, arguments, path);
        if (status == TV_STATUS_FINE)
            warn_of_ranges(cli, path, &locked, &runs);
    } else if (status == TV_STATUS_FINE)
        status = compare(cli, counted, &locked, &runs);
    tv_call_lock_release(&runs);
    tv_call_lock_release(&locked);
    tv_buffer_release(&text);
    return status;
}

/* Writes a lockfile to the file of -o, or to standard output. */
static int make_lock(const struct tv_cli *cli, struct counted *counted,
                     const struct tv_arguments *arguments)
{
    const struct counts_options *options = counted->options;
    struct tv_call_lock lock;
    tv_call_lock_init(&lock, cli->alloc);
    if (options->mine)
        counted->subject.mine = tv_str_from(options->mine);
    if (options->between.count) {
        counted->subject.from = tv_str_from(options->between.of[0]);
        counted->subject.until = tv_str_from(options->between.of[1]);
    }
    if (options->per)
        counted->subject.per = tv_str_from(options->per);
    int status = count_files(cli, counted, arguments, &lock);
    if (status == TV_STATUS_FINE)
        status = write_lock(cli, &lock, arguments, options->output ? options->output : "-");
    tv_call_lock_release(&lock);
    return status;
}

/* Why the options contradict each other; NULL: they do not. */
static const char *contradiction(const struct counts_options *options)
{
    bool has_subject = options->mine || options->per || options->between.count;
    bool has_lock = options->check || options->update;
    if (options->check && options->update)
        return "--check and --update are two questions";
    if (has_lock && has_subject)
        return "what is counted stands in the lockfile: leave --mine, --between and --per out";
    if (has_lock && options->output)
        return "-o is for a new lockfile: leave it out with --check and --update";
    if (options->json && !options->check)
        return "--json is for --check";
    if (options->count != COUNT_USUAL && !options->check)
        return "-n is for --check: a lockfile has all methods";
    if (options->per && options->between.count)
        return "--between and --per are two ways to count";
    return NULL;
}

/* The texts are those of the lockfile and of its options; they live until the answer is written. */
static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    const struct counts_options *options = values;
    struct counted counted = {.options = options};
    int status;
    if (contradiction(options))
        return tv_cli_misuse(cli, "counts: %s", contradiction(options));
    tv_counted_runs_init(&counted.runs, cli->alloc);
    for (size_t i = 0; i < TV_COUNT_OF(counted.texts); i++)
        tv_buffer_init(&counted.texts[i], cli->alloc);
    tv_run_method_init(&counted.from, cli->alloc);
    tv_run_method_init(&counted.until, cli->alloc);
    tv_run_method_init(&counted.per, cli->alloc);
    if (options->check || options->update)
        status =
            use_lock(cli, &counted, arguments, options->check ? options->check : options->update);
    else
        status = make_lock(cli, &counted, arguments);
    for (size_t i = 0; i < TV_COUNT_OF(counted.texts); i++)
        tv_buffer_release(&counted.texts[i]);
    tv_run_method_release(&counted.per);
    tv_run_method_release(&counted.until);
    tv_run_method_release(&counted.from);
    tv_counted_runs_release(&counted.runs);
    return status;
}

static const struct tv_option options[] = {
    {.letter = 'o',
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct counts_options, output),
     .argument = "OUT",
     .help = "write the lockfile there, instead of to standard output"},
    {.name = "check",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct counts_options, check),
     .argument = "OUT",
     .help = "compare with this lockfile; status 3 where a count differs"},
    {.name = "update",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct counts_options, update),
     .argument = "OUT",
     .help = "write this lockfile anew, of what it is of"},
    {.letter = 'n',
     .kind = TV_OPTION_COUNT,
     .field = offsetof(struct counts_options, count),
     .argument = "COUNT",
     .help = "of --check: how many rows; 0 is all (20)",
     .most = UINT32_MAX},
    {.name = "mine",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct counts_options, mine),
     .argument = "PACKAGES",
     .help = "only methods of these packages, and the calls they make",
     .group = TV_GROUP_PART},
    {.name = "between",
     .kind = TV_OPTION_WORDS,
     .field = offsetof(struct counts_options, between),
     .argument = "FROM UNTIL",
     .help = "only from the first call of one method to that of another",
     .most = 2,
     .group = TV_GROUP_PART},
    {.name = "per",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct counts_options, per),
     .argument = "METHOD",
     .help = "calls in each call of METHOD: the median of these",
     .group = TV_GROUP_PART},
    {.name = "json",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct counts_options, json),
     .help = "of --check: the answer as JSON",
     .group = TV_GROUP_OUTPUT},
};

static const struct counts_options defaults = {.count = COUNT_USUAL};

const struct tv_verb tv_verb_counts = {
    .name = "counts",
    .summary = "how often each method was called, as a file to commit",
    .arguments = "FILE...",
    .argument_count = 1,
    .repeats_last = true,
    .uses_index = true,
    .prints_tables = true,
    .options = TV_OPTIONS(options),
    .defaults = &defaults,
    .values_len = TV_VALUES_LEN(struct counts_options),
    .notes = "A lockfile has a line for each method. Of several files, a method whose count\n"
             "differs between them is unstable and has its range, 3..7.",
    .examples = {{"traceview counts --mine com.example. -o app.counts app.trace",
                  "a lockfile of one's own code"},
                 {"traceview counts --mine com.example. old.trace new.trace",
                  "several recordings, which tell what is unstable"}},
    .run = run,
};
