/*
 * Runs a program that is recorded, or attaches to a Java program; see cli/record/record_run.h. A
 * native program gets the library for instrumented programs by LD_PRELOAD, and its options by
 * variables of the environment; a Java program gets the agent as a word of its command line. Both
 * write the stream themselves, in their own process: here only its length is looked at.
 */
#include "cli/record/record_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compiler.h"
#include "cli/record/record_children.h"
#include "cli/record/record_ring.h"
#include "os/java/java.h"
#include "os/process/child.h"
#include "os/process/program_file.h"
#include "os/process/thread_facts.h"
#include "record/hooks.h"

#define NUMBER_CAP 24u

/* A variable of the program's environment: ours, and behind it what the user has there. */
static enum tv_code joined(struct tv_record_run *recording, const char *ours, const char *variable,
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

/* Whether another C library than glibc loads the program: musl refuses what is preloaded. */
static bool is_foreign(const char *program)
{
    char path[TV_PATH_CAP], loader[TV_LOADER_NAME_CAP] = "";
    if (tv_program_file(program, path))
        tv_program_file_loader(path, loader);
    return strncmp(loader, "ld-musl", strlen("ld-musl")) == 0;
}

void tv_record_run_ask(void *ctx, pid_t child)
{
    tv_record_ring_ask(ctx, child);
}

/* Five times a second. The line would get between the lines of a program that writes on the same
 * terminal. */
static void look(void *ctx, uint64_t passed_ns)
{
    struct tv_record_run *recording = ctx;
    if (recording->options->ring)
        tv_record_ring_take(recording);
    if (!isatty(STDOUT_FILENO))
        tv_record_java_line_show(&recording->live, passed_ns);
}

/* The recording begins with the stream; of a program that has no hooks itself, as a shell or
 * Python, with the first file of another recorder. */
static bool has_begun(void *ctx)
{
    const struct tv_record_run *recording = ctx;
    if (recording->has_children && !recording->options->children)
        return tv_record_children_have_begun(recording);
    return access(recording->stream, F_OK) == 0;
}

/* What holds for any program that is started here. */
static struct tv_child child_of(struct tv_record_run *recording)
{
    const struct tv_record_program_options *options = recording->options;
    return (struct tv_child){.words = recording->words,
                             .process_variable = TV_HOOKS_PROCESS,
                             .duration_ns =
                                 options->duration.is_given ? options->duration.time_ns : 0,
                             .has_begun = has_begun,
                             .request = options->ring ? SIGUSR2 : 0,
                             .requested = tv_record_run_ask,
                             .look = look,
                             .ctx = recording,
                             .is_ended = !options->then || options->then[0] != 'k'};
}

/* The time is over. Who begins to record meanwhile sees that himself. */
static void stop(void *ctx, pid_t child)
{
    struct tv_record_run *recording = ctx;
    tv_record_children_await_no_more(recording);
    if (tv_process_handles(child, TV_HOOKS_STOP_SIGNAL))
        (void)kill(child, TV_HOOKS_STOP_SIGNAL);
    tv_record_children_stop(recording);
}

/* Starts the program with the recorder preloaded, and waits for its end. What the user has in
 * LD_PRELOAD and ASAN_OPTIONS stays behind ours. */
enum tv_code tv_record_run_program(struct tv_record_run *recording, struct tv_error *err)
{
    const struct tv_record_program_options *options = recording->options;
    const uint64_t buffer_len = options->ring ? options->ring : options->buffer;
    char buffer[NUMBER_CAP], depth[NUMBER_CAP], most[NUMBER_CAP], slow[NUMBER_CAP];
    const char *preload, *asan, *stream;
    TV_TRY(tv_record_run_from_root(recording, recording->stream, &stream, err));
    (void)snprintf(buffer, sizeof(buffer), "%llu", (unsigned long long)buffer_len);
    (void)snprintf(most, sizeof(most), "%llu", (unsigned long long)options->max_size);
    (void)snprintf(slow, sizeof(slow), "%llu", (unsigned long long)options->slower_than.time_ns);
    (void)snprintf(depth, sizeof(depth), "%llu", (unsigned long long)options->depth);
    TV_TRY(joined(recording, recording->library, "LD_PRELOAD", &preload, err));
    if (is_foreign(recording->words[0]))
        preload = NULL; /* it would not begin */
    if (options->sample.is_given)
        preload = NULL; /* a program started by it is sampled, and records no calls */
    /* gcc's AddressSanitizer refuses to be loaded behind another library, and works all the same.
     */
    TV_TRY(joined(recording, "verify_asan_link_order=0", "ASAN_OPTIONS", &asan, err));
    const struct tv_variable variables[] = {
        {"LD_PRELOAD", preload},
        {"ASAN_OPTIONS", asan},
        {TV_HOOKS_FILE, stream},
        {TV_HOOKS_WHILE, recording->marker >= 0 ? recording->parts : NULL},
        {TV_HOOKS_PARTS, recording->has_children ? recording->parts : NULL},
        {TV_HOOKS_CLOCK, options->clock},
        {TV_HOOKS_BUFFER, buffer_len ? buffer : NULL},
        {TV_HOOKS_RING, options->ring ? "yes" : NULL},
        {TV_HOOKS_SLOW, options->slower_than.is_given ? slow : NULL},
        {TV_HOOKS_SLOW_NAME, options->slow_method},
        {TV_HOOKS_MOST, options->max_size ? most : NULL},
        {TV_HOOKS_DEPTH, options->depth ? depth : NULL},
        {TV_HOOKS_THEN, options->then},
        {"JAVA_TOOL_OPTIONS", recording->java_tool_options},
        {"PYTHONPATH", recording->python_path},
    };
    struct tv_child program = child_of(recording);
    program.variables = variables;
    program.variable_count = TV_COUNT_OF(variables);
    program.over = stop;
    recording->has_ended = true;
    const enum tv_code code = tv_child_run(&program, &recording->end, err);
    tv_record_java_line_clear(&recording->live);
    return code;
}

enum tv_code tv_record_run_from_root(struct tv_record_run *recording, const char *path,
                                     const char **whole, struct tv_error *err)
{
    char text[TV_PATH_CAP];
    struct tv_str kept;
    *whole = path;
    if (path[0] == '/' || !tv_path_from_root(text, path))
        return TV_OK;
    TV_TRY(tv_arena_keep(&recording->texts, tv_str_from(text), &kept, err));
    *whole = kept.at;
    return TV_OK;
}

DIR *tv_record_run_folder(const char *path, const char **name)
{
    char folder[TV_PATH_CAP];
    const char *slash = strrchr(path, '/');
    *name = slash ? slash + 1 : path;
    (void)snprintf(folder, sizeof(folder), "%.*s", (int)(*name - path), path);
    return opendir(slash ? folder : ".");
}

/* 0 where the file is not there, as when nothing was recorded. */
uint64_t tv_record_run_len(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0
               ? (uint64_t)status.st_size
               : 0;
}

bool tv_record_run_tell(void *ctx, const char *phase, uint64_t passed_ns)
{
    struct tv_record_run *recording = ctx;
    const struct tv_record_step step = {
        .phase = phase, .passed_ns = passed_ns, .bytes = tv_record_run_len(recording->stream)};
    if (recording->options->ring)
        tv_record_ring_take(recording);
    if (strcmp(phase, "recording") == 0)
        tv_record_java_line_show(&recording->live, passed_ns);
    else
        tv_record_java_line_clear(&recording->live);
    tv_record_tell(&recording->teller, recording->cli, &step);
    return !recording->teller.is_unheard;
}

static void stop_java(void *ctx, pid_t child)
{
    const struct tv_record_run *recording = ctx;
    struct tv_error err = {.code = TV_OK};
    if (tv_record_java_stop(&recording->java, child, &err) != TV_OK)
        tv_cli_note(recording->cli, recording->words[0], "%s", err.text);
}

/* Attaching to a program that runs already starts none. has_ended is set before the run, since the
 * status is the program's from then on, also where waiting for it fails. */
enum tv_code tv_record_run_java(struct tv_record_run *recording, struct tv_error *err)
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
    struct tv_child program = child_of(recording);
    program.words = words;
    program.over = stop_java;
    recording->has_ended = true;
    const enum tv_code code = tv_child_run(&program, &recording->end, err);
    tv_record_java_line_clear(&recording->live);
    return code;
}
