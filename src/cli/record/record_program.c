/*
 * A program under the recorder; see cli/record/record_program.h. The library for instrumented
 * programs is preloaded, and streams into a file beside the one that is wanted; functions are known
 * there by address. When the program has ended, the stream is written as a plain trace, with names.
 *
 * With --sample nothing is put into the program: its threads are looked at from outside
 * (record_samples.c). A Java program gets the agent in place of the library (record_java.c).
 */
#include "cli/record/record_program.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory/arena.h"
#include "base/units.h"
#include "cli/file/output.h"
#include "cli/record/record_children.h"
#include "cli/record/record_library.h"
#include "cli/record/record_lock.h"
#include "cli/record/record_result.h"
#include "cli/record/record_ring.h"
#include "cli/record/record_run.h"
#include "cli/record/record_samples.h"
#include "cli/record/record_stream.h"
#include "os/file/file.h"
#include "os/file/paths.h"
#include "os/process/child.h"
#include "os/process/sampler.h"
#include "os/symbols/unwind.h"

#define SAMPLE_LEAST_NS 1000u
#define RING_LEAST (UINT64_C(64) << 10) /* the recorder takes no less */

/* Says why no stream was made. A file that is there but empty, or a place where none can be made,
 * is a failure that the library has reported already. */
static enum tv_code fail_without_stream(const struct tv_record_run *recording, struct tv_error *err)
{
    FILE *file = fopen(recording->stream, "rb");
    bool is_made = file != NULL;
    if (!file)
        file = fopen(recording->stream, "wb");
    bool has_place = file != NULL;
    if (file)
        (void)fclose(file);
    (void)remove(recording->stream);
    const bool is_for_java_alone = recording->options->sample.is_given && recording->has_children;
    const char *what =
        is_made || !has_place ? "it was not recorded"
        : is_for_java_alone   ? "no Java program was begun, and no other could be looked at"
        : recording->is_java
            ? "it took no agent: does it start, and has it no other?"
            : "it took no recorder: is it set-user-ID, of another C library than glibc, or linked "
              "statically, but not with libtraceview-instrument.a?";
    return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "%s: %s", recording->words[0], what);
}

/* The stream becomes the trace. It is removed once the trace is written, and where there was
 * nothing in it; any other failure keeps it, since the calls are in it only. */
static enum tv_code finish(struct tv_record_run *recording, struct tv_error *err)
{
    enum tv_code code = tv_record_stream_finish(recording, err);
    if (code != TV_OK && code != TV_ERR_NOT_FOUND) {
        tv_cli_note(recording->cli, recording->stream,
                    recording->given_back
                        ? "the calls are lost: the disk had no room for them and the trace"
                        : "the calls are kept here");
        if (recording->given_back)
            (void)remove(recording->stream);
        return code;
    }
    (void)remove(recording->stream);
    if (code != TV_OK)
        return code;
    recording->bytes = tv_record_run_len(recording->path);
    tv_record_tell_result(recording);
    return TV_OK;
}

/* Runs the program and writes its trace. */
static enum tv_code record(struct tv_record_run *recording, struct tv_error *err)
{
    (void)remove(recording->stream);
    TV_TRY(recording->is_java && !recording->has_children ? tv_record_run_java(recording, err)
                                                          : tv_record_run_program(recording, err));
    if (recording->options->ring)
        tv_record_ring_take(recording);
    tv_record_tell_end(recording);
    TV_TRY(tv_record_children_join(recording, err));
    if (tv_record_run_len(recording->stream) == 0)
        return fail_without_stream(recording, err);
    return finish(recording, err);
}

static enum tv_code write_file(struct tv_record_run *recording, struct tv_record_samples *samples,
                               const char *path, struct tv_record_samples_result *result,
                               struct tv_error *err)
{
    struct tv_output_file output;
    TV_TRY(tv_output_open(&output, recording->cli, path, TV_OUTPUT_TRACE, err));
    enum tv_code code =
        tv_record_samples_write(samples, tv_output_sink(&output), &recording->result, result, err);
    if (code == TV_OK && recording->result.records == 0)
        code = tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "%s: it ended before it was looked at",
                       recording->words[0]);
    return tv_output_close(&output, code, err);
}

/* Writes the trace: where Java programs have looked at themselves, joined with what they wrote. */
static enum tv_code write_samples(struct tv_record_run *recording,
                                  struct tv_record_samples *samples, struct tv_error *err)
{
    struct tv_record_samples_result result;
    if (!tv_record_children_have_recorded(recording)) {
        TV_TRY(write_file(recording, samples, recording->path, &result, err));
        recording->bytes = tv_record_run_len(recording->path);
        tv_record_tell_samples(recording, &result);
        tv_record_tell_samples_lack(recording, &result);
        return TV_OK;
    }
    enum tv_code code = write_file(recording, samples, recording->stream, &result, err);
    if (code == TV_OK || code == TV_ERR_NOT_FOUND)
        code = tv_record_children_join(recording, err);
    if (code == TV_OK)
        code = finish(recording, err);
    if (code == TV_OK)
        tv_record_tell_samples_lack(recording, &result);
    return code;
}

static void stop_children(void *ctx)
{
    tv_record_children_await_no_more(ctx);
    tv_record_children_stop(ctx);
}

static void tell_full(void *ctx)
{
    struct tv_record_run *recording = ctx;
    tv_record_java_line_clear(&recording->live);
    tv_cli_note(recording->cli, recording->words[0],
                "its samples take %llu bytes, as many as they may: it is looked at no more",
                (unsigned long long)recording->options->max_size);
}

/* In a copy of this process, whose end the sampler waits for as for any child's: the program is
 * looked at meanwhile. */
static void dump(void *ctx, struct tv_record_samples *samples)
{
    struct tv_record_run *recording = ctx;
    struct tv_record_samples_result result;
    struct tv_error err = {.code = TV_OK};
    char path[TV_PATH_CAP];
    recording->dumps++;
    const pid_t copy = fork();
    if (copy != 0)
        return;
    if (tv_record_ring_name(path, recording->path, recording->dumps) &&
        write_file(recording, samples, path, &result, &err) == TV_OK)
        tv_cli_note(recording->cli, path, TV_RECORD_RING_NOTE,
                    (unsigned long long)recording->result.records,
                    (double)result.elapsed_ns / TV_NS_PER_S);
    else if (err.code != TV_OK)
        tv_cli_note(recording->cli, path, "%s", err.text);
    _exit(0);
}

/* Runs the program, looks at it, and writes what was seen. */
static enum tv_code sample(struct tv_record_run *recording, struct tv_error *err)
{
    const struct tv_record_program_options *options = recording->options;
    const struct tv_variable java = {"JAVA_TOOL_OPTIONS", recording->java_tool_options};
    struct tv_sampler sampler = {.words = recording->words,
                                 .variables = &java,
                                 .variable_count = 1,
                                 .duration_ns =
                                     options->duration.is_given ? options->duration.time_ns : 0,
                                 .is_ended = !options->then || options->then[0] != 'k',
                                 .follows = recording->has_children};
    struct tv_record_samples *samples;
    TV_TRY(tv_record_samples_new(&samples, recording->cli->alloc, options->sample.time_ns, err));
    tv_record_samples_take(samples, &sampler);
    if (options->lines)
        tv_record_samples_tell_lines(samples);
    if (recording->java_tool_options)
        tv_record_samples_let_java_go(samples, recording->parts);
    tv_record_samples_at_end(samples, stop_children, recording);
    tv_record_samples_limit(samples, options->ring ? options->ring : options->max_size,
                            options->ring != 0);
    tv_record_samples_at_limit(samples, tell_full, recording);
    if (options->ring) {
        sampler.request = SIGUSR2;
        tv_record_samples_at_request(samples, dump, recording);
    }
    /* The line would get between those of a program that writes on the same terminal. */
    if (!isatty(STDOUT_FILENO))
        tv_record_samples_show(samples, &recording->live);
    recording->has_ended = true;
    enum tv_code code = tv_sampler_run(&sampler, &recording->end, err);
    tv_record_java_line_clear(&recording->live);
    /* The program has ended, so that no child is left but those that write what was asked for. */
    while (recording->dumps && (waitpid(-1, NULL, 0) > 0 || errno == EINTR))
        continue;
    if (code == TV_OK) {
        tv_record_tell_end(recording);
        code = write_samples(recording, samples, err);
    }
    tv_record_samples_free(&samples);
    return code;
}

/* Why no program but those in Java can be looked at here; NULL: nothing is known against it. */
static const char *why_no_samples(void)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_unwind *unwind = NULL;
    const char *why = tv_sampler_is_forbidden();
    if (why || tv_unwind_new(&unwind, getpid(), &why, &err) != TV_OK || !unwind)
        return why;
    tv_unwind_free(unwind);
    return NULL;
}

/* --children asks for Java programs at least, which look at themselves. */
static bool looks_at_java_alone(const struct tv_record_run *recording)
{
    if (!recording->options->children || !recording->java_tool_options)
        return false;
    const char *why = why_no_samples();
    if (why)
        tv_cli_note(recording->cli, recording->words[0], "Java programs alone are looked at: %s",
                    why);
    return why != NULL;
}

/* The first option that makes no sense with --sample; NULL: none is given. */
static const char *useless_for_samples(const struct tv_record_program_options *options)
{
    return options->clock                              ? "--clock"
           : options->depth                            ? "--depth"
           : options->buffer                           ? "--buffer"
           : tv_record_leaves_out(options)             ? "--only, --skip and --min-duration"
           : options->sample.time_ns < SAMPLE_LEAST_NS ? "a time below 1us"
                                                       : NULL;
}

/* Whether the trace would take the place of the program, which then could not be run again, or of
 * the first file that it is given, as the script of an interpreter or a jar. */
static bool replaces_program(const struct tv_record_program_options *options,
                             const struct tv_arguments *arguments)
{
    struct stat trace, file;
    if (!options->output || stat(options->output, &trace) != 0)
        return false;
    for (size_t i = 0; i < arguments->count; i++) {
        const char *word = arguments->of[i];
        if (stat(word, &file) == 0 && tv_file_is_same(&trace, &file))
            return true;
        if (i && word[0] != '-')
            return false;
    }
    return false;
}

static bool is_folder(const char *path)
{
    struct stat there;
    return stat(path, &there) == 0 && S_ISDIR(there.st_mode);
}

/* What is asked for and cannot be; NULL: nothing. */
static const char *misuse(const struct tv_record_program_options *options, size_t word_count,
                          bool is_java)
{
    if (options->output && strcmp(options->output, "-") == 0)
        return "the program writes to standard output itself: name a file with -o";
    if (options->output && !*options->output)
        return "-o names no file";
    if (options->output && is_folder(options->output))
        return "-o names a folder";
    if (options->duration.is_given && !options->duration.time_ns)
        return "--duration has no use for a time of 0";
    if (!options->jvm && !word_count)
        return "PACKAGE of an app, or PROGRAM behind --, is missing";
    if (options->jvm && word_count)
        return "--jvm is instead of a program";
    if (options->jvm && options->then)
        return "--then is for a program that is started here";
    if (options->jvm && options->status)
        return "--status is for a program that is started here";
    if (!is_java && (options->mode || options->classes || options->boot || options->machine ||
                     options->waits || options->alloc || options->skip_trivial))
        return "--mode, --classes, --boot, --machine, --waits, --alloc and --skip-trivial are for "
               "Java "
               "programs, and those that start one";
    if (options->ring && (options->buffer || options->max_size))
        return "--ring is instead of --buffer and --max-size";
    if (options->slower_than.is_given && options->sample.is_given)
        return "--slower-than has no use for --sample, which sees no call begin or end";
    if ((options->slower_than.is_given && !options->ring) ||
        (options->slow_method && !options->slower_than.is_given))
        return "--slower-than is for --ring, and --slow-method for --slower-than";
    if (options->slower_than.is_given && options->slower_than.time_ns < SAMPLE_LEAST_NS)
        return "--slower-than has no use for a time below 1us";
    if (options->slow_method && strchr(options->slow_method, ','))
        return "--slow-method is a name, in which no comma is";
    if (options->ring && options->ring < RING_LEAST)
        return "--ring needs 64k or more";
    if (options->skip_trivial &&
        (options->sample.is_given || (options->mode && strcmp(options->mode, "events") == 0)))
        return "--skip-trivial has no use for --sample and --mode events";
    if ((options->waits || options->alloc) && options->sample.is_given)
        return "--waits and --alloc have no use for --sample";
    if (options->lines && !options->sample.is_given)
        return "--lines is for --sample";
    if (options->alone && (!options->sample.is_given || options->children || is_java))
        return "--alone is for --sample of programs other than Java, and instead of --children";
    if (options->jvm && options->children)
        return "--children is for a program that is started here";
    if (is_java && options->sample.is_given && options->sample.time_ns < SAMPLE_LEAST_NS)
        return "--sample has no use for a time below 1us";
    return NULL;
}

/* Sets what the agent is to be told. */
static void prepare_java(struct tv_record_run *recording)
{
    const struct tv_record_program_options *options = recording->options;
    recording->java = (struct tv_record_java){
        .library = recording->library,
        .stream = recording->stream,
        .awaited = recording->marker >= 0 ? recording->parts : NULL,
        .clock = options->clock,
        .mode = options->mode,
        .classes = options->classes,
        .buffer = options->buffer,
        .depth = options->depth,
        .max_size = options->max_size,
        .ring = options->ring,
        .slow_ns = options->slower_than.is_given ? options->slower_than.time_ns : 0,
        .slow_method = options->slow_method,
        .sample_ns = options->sample.is_given ? options->sample.time_ns : 0,
        .has_boot = options->boot,
        .skips_trivial = options->skip_trivial,
        .has_machine = options->machine,
        .has_waits = options->waits,
        .has_allocations = options->alloc,
        .has_lines = options->lines,
        .tell = tv_record_run_tell,
        .requested = options->ring ? tv_record_run_ask : NULL,
        .ctx = recording,
    };
    tv_record_tell_begin(&recording->teller, options->progress);
    recording->live = (struct tv_record_java_line){.line = {.cli = recording->cli},
                                                   .program = recording->words[0],
                                                   .stream = recording->stream,
                                                   .is_sampled = options->sample.is_given};
}

/* In this order: what contradicts itself is refused, patterns are compiled, the program is run and
 * its stream made a trace, and at last the viewer takes the place of this process where that is
 * wanted. Everything is released before, since nothing runs behind it. */
int tv_record_program(const struct tv_cli *cli, const struct tv_record_program_options *options,
                      const struct tv_arguments *arguments)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_record_run recording = {
        .cli = cli, .marker = -1, .lock = -1, .options = options, .words = arguments->of};
    const char **words;
    recording.is_java =
        options->jvm || (arguments->count && tv_java_launcher(arguments->of[0]) != TV_JAVA_NONE);
    recording.has_children = arguments->count && tv_record_children_are_recorded(&recording);
    const char *what =
        misuse(options, arguments->count, recording.is_java || recording.has_children);
    if (!what && replaces_program(options, arguments))
        what = "-o names the program itself, or its script, which the trace would replace";
    if (what)
        return tv_cli_misuse(cli, "record: %s", what);
    const bool is_sampled = options->sample.is_given && !recording.is_java;
    if (is_sampled && useless_for_samples(options))
        return tv_cli_misuse(cli, "record: --sample has no use for %s",
                             useless_for_samples(options));
    tv_arena_init(&recording.texts, cli->alloc);
    tv_call_filter_init(&recording.left_out, cli->alloc);
    tv_record_filter_init(&recording.filter, cli->alloc);
    enum tv_code code =
        tv_record_filter_compile(&recording.filter, &options->only, &options->skip, &err);
    if (code == TV_ERR_ARGUMENT) {
        tv_record_filter_release(&recording.filter);
        return tv_cli_misuse(cli, "record: %s", err.text);
    }
    if (code == TV_OK)
        code =
            tv_arena_take(&recording.texts, (arguments->count + 2) * sizeof(*words), &words, &err);
    if (code == TV_OK) {
        memcpy(words, arguments->of, arguments->count * sizeof(*words));
        words[arguments->count] = NULL;
        if (options->jvm)
            words[0] = options->jvm;
        recording.words = words;
    }
    const char *library =
        recording.is_java && !recording.has_children ? TV_RECORD_JAVA_LIBRARY : TV_RECORD_LIBRARY;
    if (code == TV_OK)
        code = tv_record_lock_take(&recording, &err);
    const bool is_taken = code == TV_ERR_CONFLICT;
    if (code == TV_OK)
        code = tv_record_children_await(&recording, &err);
    if (code == TV_OK && !is_sampled)
        code = tv_record_find_library(recording.library, library, &err);
    if (code == TV_OK && !is_sampled && strcmp(library, TV_RECORD_LIBRARY) == 0)
        code = tv_record_link_library(recording.library, &err);
    prepare_java(&recording);
    if (code == TV_OK && recording.has_children)
        code = tv_record_children_prepare(&recording, &err);
    if (code == TV_OK)
        code = is_sampled && !looks_at_java_alone(&recording) ? sample(&recording, &err)
                                                              : record(&recording, &err);
    tv_record_children_await_no_more(&recording);
    tv_record_lock_drop(&recording);
    tv_record_filter_release(&recording.filter);
    tv_call_filter_release(&recording.left_out);
    tv_arena_release(&recording.texts);
    if (code != TV_OK)
        (void)tv_cli_fail(cli, NULL, &err);
    if (is_taken)
        return TV_STATUS_MISUSED; /* nothing was begun */
    const char *const view[] = {"traceview", "view", recording.path, NULL};
    if (code == TV_OK && options->view)
        tv_child_become("/proc/self/exe", view);
    return tv_record_status(&recording, code);
}
