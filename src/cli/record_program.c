/*
 * A program under the recorder; see cli/record_program.h. The library for instrumented programs is
 * preloaded, and streams into a file beside the one that is wanted; functions are known there by
 * address. When the program has ended, the stream is written as a plain trace, with names.
 */
#include "cli/record_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "cli/load.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/record_filter.h"
#include "cli/record_java.h"
#include "cli/record_java_line.h"
#include "cli/record_library.h"
#include "cli/record_names.h"
#include "cli/record_samples.h"
#include "cli/record_tell.h"
#include "format/leave_out.h"
#include "format/write.h"
#include "os/child.h"
#include "os/paths.h"
#include "os/sampler.h"
#include "os/symbols.h"
#include "record/hooks.h"

#define NUMBER_CAP 24u

/* A recording, from the program's start to the finished file. */
struct recording {
    const struct tv_cli *cli;
    const struct tv_record_program_options *options;
    const char *const *words;
    const char *path;         /* of the trace */
    char stream[TV_PATH_CAP]; /* what the program writes */
    char library[TV_PATH_CAP];
    bool is_java;
    struct tv_record_java java; /* for that */
    struct tv_symbols *symbols; /* NULL: functions keep their addresses */
    const char *why_no_names;   /* NULL: functions have names */
    struct tv_arena texts;      /* of methods */
    uint64_t nameless;          /* functions that nothing is known of */
    struct tv_record_filter filter;
    struct tv_leave_out left_out;
    struct tv_write_result result;
    uint64_t call_ns; /* as the library measured it */
    uint64_t lost;    /* records, as it says */
    bool is_whole;    /* the library wrote the stream to its end */
    uint64_t bytes;
    struct tv_record_teller teller;
    struct tv_record_java_line live; /* of a program that is attached to */
};

/* A variable of the program's environment: ours, and behind it what the user has there. */
static enum tv_code joined(struct recording *recording, const char *ours, const char *variable,
                           const char **value, struct tv_error *err)
{
    const char *before = getenv(variable);
    size_t cap = strlen(ours) + (before ? strlen(before) : 0) + 2;
    char *text;
    *value = ours;
    if (!before || !*before)
        return TV_OK;
    TV_TRY(tv_arena_take(&recording->texts, cap, &text, err));
    (void)snprintf(text, cap, "%s:%s", ours, before);
    *value = text;
    return TV_OK;
}

/* Runs the program; *status is as waitpid() gives it. */
static enum tv_code run_program(struct recording *recording, int *status, struct tv_error *err)
{
    const struct tv_record_program_options *options = recording->options;
    char buffer[NUMBER_CAP], depth[NUMBER_CAP];
    const char *preload, *asan;
    (void)snprintf(buffer, sizeof(buffer), "%llu", (unsigned long long)options->buffer);
    (void)snprintf(depth, sizeof(depth), "%llu", (unsigned long long)options->depth);
    TV_TRY(joined(recording, recording->library, "LD_PRELOAD", &preload, err));
    /* gcc's AddressSanitizer refuses to be loaded behind another library, and works all the same.
     */
    TV_TRY(joined(recording, "verify_asan_link_order=0", "ASAN_OPTIONS", &asan, err));
    const struct tv_variable variables[] = {
        {"LD_PRELOAD", preload},
        {"ASAN_OPTIONS", asan},
        {TV_HOOKS_FILE, recording->stream},
        {TV_HOOKS_CLOCK, options->clock},
        {TV_HOOKS_BUFFER, options->buffer ? buffer : NULL},
        {TV_HOOKS_DEPTH, options->depth ? depth : NULL},
        {TV_HOOKS_THEN, options->then},
    };
    const struct tv_child program = {.words = recording->words,
                                     .variables = variables,
                                     .variable_count = TV_COUNT_OF(variables),
                                     .process_variable = TV_HOOKS_PROCESS,
                                     .duration_ns =
                                         options->duration.is_given ? options->duration.time_ns : 0,
                                     .signal = TV_HOOKS_STOP_SIGNAL,
                                     .is_ended = !options->then || options->then[0] != 'k'};
    return tv_child_run(&program, status, err);
}

static uint64_t size_of(const char *path)
{
    FILE *file = fopen(path, "rb");
    long len = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
    if (file)
        (void)fclose(file);
    return len > 0 ? (uint64_t)len : 0;
}

/* How far it is, for people at a terminal, and for programs that asked for that. */
static void tell(void *ctx, const char *phase, uint64_t passed_ns)
{
    struct recording *recording = ctx;
    const struct tv_record_step step = {
        .phase = phase, .passed_ns = passed_ns, .bytes = size_of(recording->stream)};
    recording->teller.is_on = recording->options->progress != NULL;
    if (strcmp(phase, "recording") == 0)
        tv_record_java_line_show(&recording->live, passed_ns);
    else
        tv_record_java_line_clear(&recording->live);
    tv_record_tell(&recording->teller, recording->cli, &step);
}

static void stop_java(void *ctx, pid_t child)
{
    const struct recording *recording = ctx;
    struct tv_error err = {.code = TV_OK};
    if (tv_record_java_stop(&recording->java, child, &err) != TV_OK)
        tv_cli_note(recording->cli, recording->words[0], "%s", err.text);
}

/* The same of a Java program; or attaches to one that runs. */
static enum tv_code run_java(struct recording *recording, int *status, struct tv_error *err)
{
    const struct tv_record_program_options *options = recording->options;
    uint64_t duration_ns = options->duration.is_given ? options->duration.time_ns : 0;
    const char *const *words = NULL;
    if (options->jvm)
        return tv_record_java_attach(&recording->texts, &recording->java, options->jvm, duration_ns,
                                     err);
    TV_TRY(tv_record_java_words(&recording->texts, &recording->java,
                                tv_java_launcher(recording->words[0]), recording->words, &words,
                                err));
    const struct tv_child program = {.words = words,
                                     .process_variable = TV_HOOKS_PROCESS,
                                     .duration_ns = duration_ns,
                                     .over = stop_java,
                                     .ctx = recording,
                                     .is_ended = !options->then || options->then[0] != 'k'};
    return tv_child_run(&program, status, err);
}

/* The library names a method by the file that the function is in, and its address there. */
static enum tv_code describe(void *ctx, struct tv_trace_method *method, struct tv_error *err)
{
    struct recording *recording = ctx;
    char module[TV_PATH_CAP];
    struct tv_symbol symbol;
    uint64_t address;
    struct tv_str digits = method->name;
    if (!tv_str_starts_with(digits, TV_STR("0x")) || method->class_name.len >= sizeof(module))
        return TV_OK;
    digits = (struct tv_str){digits.at + 2, digits.len - 2};
    memcpy(module, method->class_name.at, method->class_name.len);
    module[method->class_name.len] = '\0';
    if (!tv_str_to_u64(digits, 16, &address))
        return TV_OK;
    if (recording->symbols && tv_symbols_find(recording->symbols, module, address, &symbol))
        return tv_record_name(&recording->texts, &symbol, module, method, err);
    recording->nameless++;
    if (recording->symbols)
        method->class_name = tv_record_file_name(method->class_name);
    return TV_OK;
}

static enum tv_code keep_thread(void *ctx, uint32_t id, struct tv_str *name, struct tv_error *err)
{
    (void)ctx;
    (void)id;
    (void)name;
    (void)err;
    return TV_OK;
}

static bool keep_property(struct tv_str key, struct tv_str value)
{
    (void)key;
    (void)value;
    return true;
}

static uint64_t property_of(const struct tv_trace *trace, struct tv_str key)
{
    uint64_t value = 0;
    for (size_t i = 0; i < trace->property_count; i++) {
        if (tv_str_equal(trace->properties[i].key, key))
            (void)tv_str_to_u64(trace->properties[i].value, 10, &value);
    }
    return value;
}

static enum tv_code is_out(void *ctx, const struct tv_trace_method *method, bool *is_out,
                           struct tv_error *err)
{
    struct recording *recording = ctx;
    struct tv_trace_method named = *method;
    TV_TRY(describe(recording, &named, err));
    return tv_record_filter_is_out(&recording->filter, &named, is_out, err);
}

static bool leaves_out(const struct tv_record_program_options *options)
{
    return options->only.count || options->skip.count || options->min_duration.is_given;
}

/* Finds the calls that are left out. */
static enum tv_code leave_out(struct recording *recording, const struct tv_opened *opened,
                              struct tv_error *err)
{
    const struct tv_record_program_options *options = recording->options;
    bool has_patterns = options->only.count || options->skip.count;
    const struct tv_leave_out_question question = {
        .is_out = has_patterns ? is_out : NULL,
        .ctx = recording,
        .least_ns = options->min_duration.is_given ? options->min_duration.time_ns : 0};
    if (!leaves_out(options))
        return TV_OK;
    if (has_patterns && recording->why_no_names)
        return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET, "--only and --skip need names: %s",
                       recording->why_no_names);
    TV_TRY(tv_leave_out_find(&recording->left_out, opened->file.bytes, opened->file.len,
                             &opened->trace.opts, &question, err));
    recording->nameless = 0; /* they are counted when they are written */
    return TV_OK;
}

static const char *why_no_call(const struct recording *recording)
{
    if (!recording->is_whole)
        return ", or lost all: SIGKILL and exec() lose each thread's last ones";
    return recording->is_java ? ""
                              : ": compile it with -finstrument-functions (not -pg -mfentry, nor "
                                "-fpatchable-function-entry), or give --sample 1ms";
}

/* Writes the stream as a plain trace with names. */
static enum tv_code write_trace(struct recording *recording, const struct tv_opened *opened,
                                struct tv_error *err)
{
    struct tv_output output;
    const struct tv_write_names names = {.ctx = recording,
                                         .method = describe,
                                         .thread = keep_thread,
                                         .has_property = keep_property,
                                         .keeps_start_time = true};
    TV_TRY(leave_out(recording, opened, err));
    const struct tv_write_opts opts = {
        .as = TV_STR("v3"),
        .read = opened->trace.opts,
        .names = &names,
        .left_out = leaves_out(recording->options) ? &recording->left_out : NULL,
        .result = &recording->result};
    TV_TRY(tv_output_open(&output, recording->cli, recording->path, TV_OUTPUT_TRACE, err));
    enum tv_code code = tv_write_trace(recording->cli->alloc, opened->file.bytes, opened->file.len,
                                       &opts, tv_output_sink(&output), err);
    if (code == TV_OK && recording->result.records == 0 && recording->left_out.calls)
        code = tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "%s: all of its calls are left out",
                       recording->words[0]);
    if (code == TV_OK && recording->result.records == 0)
        code = tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "%s: it recorded no call%s",
                       recording->words[0], why_no_call(recording));
    return tv_output_close(&output, tv_opened_check(opened, code, err), err);
}

static enum tv_code finish(struct recording *recording, struct tv_error *err)
{
    struct tv_opened opened;
    const char *why = NULL;
    if (!recording->is_java)
        TV_TRY(tv_symbols_new(&recording->symbols, &why, err));
    recording->why_no_names = recording->symbols ? NULL : why;
    tv_opened_init(&opened, recording->cli->alloc);
    enum tv_code code =
        tv_opened_open(&opened, recording->stream, &(struct tv_open_opts){.tell = NULL}, err);
    if (code == TV_OK) {
        recording->call_ns = property_of(&opened.trace, TV_STR("record-call-overhead-nsec"));
        bool has_end =
            recording->call_ns || property_of(&opened.trace, TV_STR("sampling-interval-usec"));
        recording->lost = property_of(&opened.trace, TV_STR("records-lost"));
        recording->is_whole = has_end && !opened.trace.has_overflow;
        code = write_trace(recording, &opened, err);
    }
    tv_opened_release(&opened);
    tv_symbols_free(recording->symbols);
    recording->symbols = NULL;
    return code;
}

/* Says how the program ended, where that was not well. */
static void tell_end(const struct recording *recording, int status)
{
    const char *name = recording->words[0];
    if (WIFSIGNALED(status))
        tv_cli_note(recording->cli, name, "ended by signal %d (%s)", WTERMSIG(status),
                    strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status))
        tv_cli_note(recording->cli, name, "ended with status %d", WEXITSTATUS(status));
}

static void tell_result(const struct recording *recording)
{
    const struct tv_write_result *result = &recording->result;
    double overhead_ns = (double)recording->call_ns * (double)result->records / 2;
    bool is_large = recording->bytes >= 1000000;
    double size = (double)recording->bytes / (is_large ? 1e6 : 1e3);
    const char *unit = is_large ? "MB" : "kB";
    char lost[NUMBER_CAP] = "none";
    if (recording->lost)
        (void)snprintf(lost, sizeof(lost), "%llu", (unsigned long long)recording->lost);
    if (recording->is_whole && recording->options->sample.is_given)
        tv_cli_note(recording->cli, recording->path, "%.1f %s, %llu records; sampled every %llu us",
                    size, unit, (unsigned long long)result->records,
                    (unsigned long long)recording->options->sample.time_ns / 1000);
    else if (recording->is_whole)
        tv_cli_note(recording->cli, recording->path,
                    "%.1f %s, %llu records, %s lost; recording took some %.1f ms (%llu ns a call)",
                    size, unit, (unsigned long long)result->records, lost, overhead_ns / 1e6,
                    (unsigned long long)recording->call_ns);
    else
        tv_cli_note(recording->cli, recording->path,
                    "%.1f %s, %llu records; the last ones of each thread are lost", size, unit,
                    (unsigned long long)result->records);
    if (recording->left_out.calls)
        tv_cli_note(recording->cli, recording->path, "%llu calls are left out",
                    (unsigned long long)recording->left_out.calls);
    if (recording->why_no_names)
        tv_cli_note(recording->cli, recording->path, "functions have addresses for names: %s",
                    recording->why_no_names);
    else if (recording->nameless)
        tv_cli_note(recording->cli, recording->path, "%llu functions have no symbol",
                    (unsigned long long)recording->nameless);
}

/* Where the library could not write, it has said why. */
static enum tv_code fail_without_stream(const struct recording *recording, struct tv_error *err)
{
    FILE *file = fopen(recording->stream, "rb");
    bool is_made = file != NULL;
    if (!file)
        file = fopen(recording->stream, "wb");
    bool has_place = file != NULL;
    if (file)
        (void)fclose(file);
    (void)remove(recording->stream);
    const char *what =
        is_made || !has_place ? "it was not recorded"
        : recording->is_java
            ? "it took no agent: does it start, and has it no other?"
            : "it took no recorder: is it set-user-ID, or linked statically, but not "
              "with libtraceview-instrument.a?";
    return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "%s: %s", recording->words[0], what);
}

/* Runs the program and writes its trace. */
static enum tv_code record(struct recording *recording, struct tv_error *err)
{
    int status = 0;
    (void)remove(recording->stream);
    TV_TRY(recording->is_java ? run_java(recording, &status, err)
                              : run_program(recording, &status, err));
    tell_end(recording, status);
    if (size_of(recording->stream) == 0)
        return fail_without_stream(recording, err);
    enum tv_code code = finish(recording, err);
    if (code != TV_OK && code != TV_ERR_NOT_FOUND) {
        tv_cli_note(recording->cli, recording->stream, "the calls are kept here");
        return code;
    }
    (void)remove(recording->stream);
    if (code != TV_OK)
        return code;
    recording->bytes = size_of(recording->path);
    tell_result(recording);
    return TV_OK;
}

static void tell_samples(const struct recording *recording,
                         const struct tv_record_samples_result *result)
{
    tv_cli_note(recording->cli, recording->path,
                "%.1f kB, %llu stacks, %llu records; sampled every %llu us",
                (double)recording->bytes / 1e3, (unsigned long long)result->stacks,
                (unsigned long long)recording->result.records,
                (unsigned long long)recording->options->sample.time_ns / 1000);
    if (result->incomplete)
        tv_cli_note(recording->cli, recording->path,
                    "%llu stacks could not be followed to their outermost calls",
                    (unsigned long long)result->incomplete);
    if (result->nameless)
        tv_cli_note(recording->cli, recording->path, "%llu places have no symbol",
                    (unsigned long long)result->nameless);
}

static enum tv_code write_samples(struct recording *recording, struct tv_record_samples *samples,
                                  struct tv_error *err)
{
    struct tv_record_samples_result result;
    struct tv_output output;
    TV_TRY(tv_output_open(&output, recording->cli, recording->path, TV_OUTPUT_TRACE, err));
    enum tv_code code =
        tv_record_samples_write(samples, tv_output_sink(&output), &recording->result, &result, err);
    if (code == TV_OK && recording->result.records == 0)
        code = tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "%s: it ended before it was looked at",
                       recording->words[0]);
    TV_TRY(tv_output_close(&output, code, err));
    recording->bytes = size_of(recording->path);
    tell_samples(recording, &result);
    return TV_OK;
}

/* Runs the program, looks at it, and writes what was seen. */
static enum tv_code sample(struct recording *recording, struct tv_error *err)
{
    const struct tv_record_program_options *options = recording->options;
    struct tv_sampler sampler = {.words = recording->words,
                                 .duration_ns =
                                     options->duration.is_given ? options->duration.time_ns : 0,
                                 .is_ended = !options->then || options->then[0] != 'k'};
    struct tv_record_samples *samples;
    int status = 0;
    TV_TRY(tv_record_samples_new(&samples, recording->cli->alloc, options->sample.time_ns, err));
    tv_record_samples_take(samples, &sampler);
    enum tv_code code = tv_sampler_run(&sampler, &status, err);
    if (code == TV_OK) {
        tell_end(recording, status);
        code = write_samples(recording, samples, err);
    }
    tv_record_samples_free(&samples);
    return code;
}

/* What --sample has no use for; NULL: nothing is asked of it. */
static const char *useless_for_samples(const struct tv_record_program_options *options)
{
    return options->clock             ? "--clock"
           : options->depth           ? "--depth"
           : options->buffer          ? "--buffer"
           : leaves_out(options)      ? "--only, --skip and --min-duration"
           : !options->sample.time_ns ? "a time of 0"
                                      : NULL;
}

/* Whether the trace would take the place of the program, which then could not be run again. */
static bool replaces_program(const struct tv_record_program_options *options, const char *program)
{
    struct stat trace, file;
    return options->output && program && stat(options->output, &trace) == 0 &&
           stat(program, &file) == 0 && trace.st_dev == file.st_dev && trace.st_ino == file.st_ino;
}

/* What is asked for and cannot be; NULL: nothing. */
static const char *misuse(const struct tv_record_program_options *options, size_t word_count,
                          bool is_java)
{
    if (options->output && strcmp(options->output, "-") == 0)
        return "the program writes to standard output itself: name a file with -o";
    if (options->duration.is_given && !options->duration.time_ns)
        return "--duration has no use for a time of 0";
    if (!options->jvm && !word_count)
        return "PACKAGE of an app, or PROGRAM behind --, is missing";
    if (options->jvm && word_count)
        return "--jvm is instead of a program";
    if (options->jvm && options->then)
        return "--then is for a program that is started here";
    if (!is_java && (options->mode || options->classes || options->boot || options->machine))
        return "--mode, --classes, --boot and --machine are for Java programs";
    if (is_java && options->sample.is_given && !options->sample.time_ns)
        return "--sample has no use for a time of 0";
    return NULL;
}

/* What the program writes lies beside the trace. */
static enum tv_code name_stream(struct recording *recording, struct tv_error *err)
{
    int len = snprintf(recording->stream, TV_PATH_CAP, "%s.recording", recording->path);
    return len > 0 && len < TV_PATH_CAP
               ? TV_OK
               : tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "the name of the trace is too long");
}

/* Sets what the agent is to be told. */
static void prepare_java(struct recording *recording)
{
    const struct tv_record_program_options *options = recording->options;
    recording->java = (struct tv_record_java){
        .library = recording->library,
        .stream = recording->stream,
        .clock = options->clock,
        .mode = options->mode,
        .classes = options->classes,
        .buffer = options->buffer,
        .depth = options->depth,
        .sample_ns = options->sample.is_given ? options->sample.time_ns : 0,
        .has_boot = options->boot,
        .has_machine = options->machine,
        .tell = tell,
        .ctx = recording,
    };
    recording->live = (struct tv_record_java_line){.line = {.cli = recording->cli},
                                                   .program = options->jvm,
                                                   .stream = recording->stream,
                                                   .is_sampled = options->sample.is_given};
}

int tv_record_program(const struct tv_cli *cli, const struct tv_record_program_options *options,
                      const struct tv_arguments *arguments)
{
    struct tv_error err = {.code = TV_OK};
    struct recording recording = {.cli = cli,
                                  .options = options,
                                  .words = arguments->of,
                                  .path = options->output ? options->output : "dmtrace.trace"};
    const char **words;
    recording.is_java =
        options->jvm || (arguments->count && tv_java_launcher(arguments->of[0]) != TV_JAVA_NONE);
    const char *what = misuse(options, arguments->count, recording.is_java);
    if (!what && replaces_program(options, arguments->count ? arguments->of[0] : NULL))
        what = "-o names the program itself, which the trace would replace";
    if (what)
        return tv_cli_misuse(cli, "record: %s", what);
    if (options->sample.is_given && !recording.is_java && useless_for_samples(options))
        return tv_cli_misuse(cli, "record: --sample has no use for %s",
                             useless_for_samples(options));
    tv_arena_init(&recording.texts, cli->alloc);
    tv_leave_out_init(&recording.left_out, cli->alloc);
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
    bool is_sampled = options->sample.is_given && !recording.is_java;
    const char *library = recording.is_java ? TV_RECORD_JAVA_LIBRARY : TV_RECORD_LIBRARY;
    if (code == TV_OK && !is_sampled)
        code = name_stream(&recording, &err);
    if (code == TV_OK && !is_sampled)
        code = tv_record_find_library(recording.library, library, &err);
    prepare_java(&recording);
    if (code == TV_OK)
        code = is_sampled ? sample(&recording, &err) : record(&recording, &err);
    tv_record_filter_release(&recording.filter);
    tv_leave_out_release(&recording.left_out);
    tv_arena_release(&recording.texts);
    if (code != TV_OK)
        return tv_cli_fail(cli, NULL, &err);
    const char *const view[] = {"traceview", "view", recording.path, NULL};
    if (options->view)
        tv_child_become("/proc/self/exe", view);
    return TV_STATUS_FINE;
}
