/*
 * record: an app on a device (cli/record/record_device.h), or a program on this machine
 * (cli/record/record_program.h). What stands behind the options tells which.
 *
 * Behind "--" stands a program of this machine with its own words; a word without it is the name of
 * an app. Options that belong to the other kind are refused rather than ignored, since the
 * recording would not be what was asked for.
 */
#include "cli/record/record_device.h"
#include "cli/record/record_pairs.h"
#include "cli/record/record_program.h"
#include "cli/verb.h"

/* Both kinds stand in one table of options, since one is named only after all words are read: -o,
 * --buffer, --duration and --progress are of both, and stand with the program's. */
struct record_options {
    struct tv_record_program_options program;
    struct tv_record_device_options device;
    uint64_t pairs; /* 0: a program alone */
};

/* What was asked for and is for programs alone; NULL: nothing. --output, --buffer, --duration and
 * --progress are not in it: a device has them too. */
static const char *program_option(const struct tv_record_program_options *options)
{
    return options->clock                   ? "--clock"
           : options->depth                 ? "--depth"
           : options->max_size              ? "--max-size"
           : options->ring                  ? "--ring"
           : options->slower_than.is_given  ? "--slower-than"
           : options->slow_method           ? "--slow-method"
           : options->sample.is_given       ? "--sample"
           : options->lines                 ? "--lines"
           : options->only.count            ? "--only"
           : options->skip.count            ? "--skip"
           : options->min_duration.is_given ? "--min-duration"
           : options->then                  ? "--then"
           : options->status                ? "--status"
           : options->jvm                   ? "--jvm"
           : options->classes               ? "--classes"
           : options->boot                  ? "--boot"
           : options->machine               ? "--machine"
           : options->waits                 ? "--waits"
           : options->alloc                 ? "--alloc"
           : options->skip_trivial          ? "--skip-trivial"
           : options->mode                  ? "--mode"
           : options->children              ? "--children"
           : options->alone                 ? "--alone"
           : options->view                  ? "--view"
                                            : NULL;
}

/* --sample and --sampling, --clock and --clock-type: which is of which is easily mixed up. */
static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    const struct record_options *options = values;
    const struct tv_record_program_options *program = &options->program;
    const char *other;
    if (!options->pairs && !program->jvm && tv_record_is_of_device(arguments)) {
        const struct tv_record_device asked = {
            .options = &options->device,
            .process = arguments->of[0],
            .output = program->output,
            .progress = program->progress,
            .duration_ns = program->duration.is_given ? program->duration.time_ns : 0,
            .buffer_len = program->buffer};
        other = program_option(program);
        if (other)
            return tv_cli_misuse(cli,
                                 "record: %s is for programs on this machine, which stand behind "
                                 "--: '%s' is taken for an app on a device",
                                 other, asked.process);
        if (program->duration.is_given && !asked.duration_ns)
            return tv_cli_misuse(cli, "record: --duration has no use for a time of 0");
        return tv_record_device_run(cli, &asked);
    }
    other = tv_record_device_option(&options->device);
    if (other)
        return tv_cli_misuse(cli,
                             "record: %s is for apps on Android devices: name one, as in "
                             "`traceview record com.example.app`",
                             other);
    if (program->progress && !program->jvm)
        return tv_cli_misuse(cli, "record: --progress is for apps on Android devices, and --jvm");
    if (options->pairs)
        return tv_record_pairs(cli, program, options->pairs, arguments);
    return tv_record_program(cli, program, arguments);
}

static const char *const clocks[] = {"dual", "wall", NULL};
static const char *const ends[] = {"stop", "keep", NULL};
static const char *const whose[] = {"program", "recorder", NULL};
static const char *const modes[] = {"rewrite", "events", NULL};
static const char *const output_versions[] = {"1", "2", NULL};
static const char *const progress_formats[] = {"json", NULL};
static const char *const methods[] = {"am", "Debug", NULL};

static const struct tv_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct record_options, program.output),
     .argument = "FILE",
     .help = "the trace (dmtrace.trace, or PACKAGE-DATE.trace)"},
    {.name = "clock",
     .kind = TV_OPTION_CHOICE,
     .field = offsetof(struct record_options, program.clock),
     .argument = "CLOCK",
     .help = "dual (wall and CPU time, the default), or wall",
     .choices = clocks,
     .group = TV_GROUP_PROGRAM},
    {.name = "depth",
     .kind = TV_OPTION_COUNT,
     .field = offsetof(struct record_options, program.depth),
     .argument = "LEVELS",
     .help = "leave out calls that are deeper (0: none is)",
     .group = TV_GROUP_PROGRAM},
    {.name = "sample",
     .kind = TV_OPTION_TIME,
     .field = offsetof(struct record_options, program.sample),
     .argument = "INTERVAL",
     .help = "look at any program's stacks so often instead: 1ms",
     .group = TV_GROUP_PROGRAM},
    {.name = "lines",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct record_options, program.lines),
     .help = "of --sample: the line of the innermost function, too",
     .group = TV_GROUP_PROGRAM},
    {.name = "only",
     .kind = TV_OPTION_TEXTS,
     .field = offsetof(struct record_options, program.only),
     .argument = "PATTERN",
     .help = "leave out calls of functions that do not match",
     .group = TV_GROUP_PROGRAM},
    {.name = "skip",
     .kind = TV_OPTION_TEXTS,
     .field = offsetof(struct record_options, program.skip),
     .argument = "PATTERN",
     .help = "leave out calls of functions that match",
     .group = TV_GROUP_PROGRAM},
    {.name = "min-duration",
     .kind = TV_OPTION_TIME,
     .field = offsetof(struct record_options, program.min_duration),
     .argument = "TIME",
     .help = "leave out calls that are shorter: 10us",
     .group = TV_GROUP_PROGRAM},
    {.name = "buffer",
     .kind = TV_OPTION_SIZE,
     .field = offsetof(struct record_options, program.buffer),
     .argument = "SIZE",
     .help = "memory that is recorded into (8m)"},
    {.name = "max-size",
     .kind = TV_OPTION_SIZE,
     .field = offsetof(struct record_options, program.max_size),
     .argument = "SIZE",
     .help = "stop recording when the file has this size: 1g",
     .group = TV_GROUP_PROGRAM},
    {.name = "ring",
     .kind = TV_OPTION_SIZE,
     .field = offsetof(struct record_options, program.ring),
     .argument = "SIZE",
     .help = "keep what came last in so much memory, until the end or a signal: 256m",
     .group = TV_GROUP_PROGRAM},
    {.name = "slower-than",
     .kind = TV_OPTION_TIME,
     .field = offsetof(struct record_options, program.slower_than),
     .argument = "TIME",
     .help = "with --ring: write it when a call has taken longer: 100ms",
     .group = TV_GROUP_PROGRAM},
    {.name = "slow-method",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct record_options, program.slow_method),
     .argument = "NAME",
     .help = "with --slower-than: calls of this method alone: Server.handle",
     .group = TV_GROUP_PROGRAM},
    {.name = "duration",
     .kind = TV_OPTION_TIME,
     .field = offsetof(struct record_options, program.duration),
     .argument = "TIME",
     .help = "stop after this time: 500ms, 10s"},
    {.name = "then",
     .kind = TV_OPTION_CHOICE,
     .field = offsetof(struct record_options, program.then),
     .argument = "END",
     .help = "what --duration and Ctrl-C do with the program: stop, keep",
     .choices = ends,
     .group = TV_GROUP_PROGRAM},
    {.name = "status",
     .kind = TV_OPTION_CHOICE,
     .field = offsetof(struct record_options, program.status),
     .argument = "WHOSE",
     .help = "end with the status of the program (the default), or recorder",
     .choices = whose,
     .group = TV_GROUP_PROGRAM},
    {.name = "jvm",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct record_options, program.jvm),
     .argument = "PROCESS",
     .help = "a Java program that runs: its number or main class",
     .group = TV_GROUP_PROGRAM},
    {.name = "classes",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct record_options, program.classes),
     .argument = "PACKAGES",
     .help = "of Java: record only these: com.example:org.Main",
     .group = TV_GROUP_PROGRAM},
    {.name = "boot",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct record_options, program.boot),
     .help = "of Java: record its own classes, too",
     .group = TV_GROUP_PROGRAM},
    {.name = "machine",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct record_options, program.machine),
     .help = "of Java: its compiler, collector and pauses, too",
     .group = TV_GROUP_PROGRAM},
    {.name = "waits",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct record_options, program.waits),
     .help = "of Java: what threads wait for, and who has it",
     .group = TV_GROUP_PROGRAM},
    {.name = "alloc",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct record_options, program.alloc),
     .help = "of Java: how many bytes methods allocate, for top",
     .group = TV_GROUP_PROGRAM},
    {.name = "skip-trivial",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct record_options, program.skip_trivial),
     .help = "of Java: leave out methods that do next to nothing",
     .group = TV_GROUP_PROGRAM},
    {.name = "mode",
     .kind = TV_OPTION_CHOICE,
     .field = offsetof(struct record_options, program.mode),
     .argument = "MODE",
     .help = "of Java: rewrite classes (the default), or events",
     .choices = modes,
     .group = TV_GROUP_PROGRAM},
    {.name = "pairs",
     .kind = TV_OPTION_COUNT,
     .field = offsetof(struct record_options, pairs),
     .argument = "COUNT",
     .help = "so many of two programs, -- OLD -- NEW, in turns; ends with the diff",
     .most = TV_RECORD_PAIRS_MOST,
     .group = TV_GROUP_PROGRAM},
    {.name = "children",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct record_options, program.children),
     .help = "record the programs that it starts, too",
     .group = TV_GROUP_PROGRAM},
    {.name = "alone",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct record_options, program.alone),
     .help = "of --sample: leave out what it starts",
     .group = TV_GROUP_PROGRAM},
    {.name = "view",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct record_options, program.view),
     .help = "open the trace in the viewer",
     .group = TV_GROUP_PROGRAM},
    {.name = "serial",
     .letter = 's',
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct record_options, device.serial),
     .argument = "SERIAL",
     .help = "this device, where there are several",
     .group = TV_GROUP_DEVICE},
    {.name = "sampling",
     .kind = TV_OPTION_TIME,
     .field = offsetof(struct record_options, device.sampling),
     .argument = "INTERVAL",
     .help = "look at the stacks so often instead of recording calls: 1ms",
     .group = TV_GROUP_DEVICE},
    {.name = "streaming",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct record_options, device.streaming),
     .help = "write the file while it records: no buffer overflows (Android 8)",
     .group = TV_GROUP_DEVICE},
    {.name = "clock-type",
     .kind = TV_OPTION_CHOICE,
     .field = offsetof(struct record_options, device.clock_type),
     .argument = "CLOCK",
     .help = "dual (the default), wall or thread-cpu (Android 14)",
     .choices = tv_record_device_clocks,
     .group = TV_GROUP_DEVICE},
    {.name = "output-version",
     .kind = TV_OPTION_CHOICE,
     .field = offsetof(struct record_options, device.output_version),
     .argument = "VERSION",
     .help = "of the file's format: 1 or 2 (Android 15)",
     .choices = output_versions,
     .group = TV_GROUP_DEVICE},
    {.name = "start-activity",
     .kind = TV_OPTION_MAYBE,
     .field = offsetof(struct record_options, device.start_activity),
     .argument = "NAME",
     .help = "start the app first: the launcher's activity, or this one",
     .group = TV_GROUP_DEVICE},
    {.name = "app-startup",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct record_options, device.app_startup),
     .help = "end the app, start it, and record from its first moment",
     .group = TV_GROUP_DEVICE},
    {.name = "method",
     .kind = TV_OPTION_CHOICE,
     .field = offsetof(struct record_options, device.method),
     .argument = "METHOD",
     .help = "am (the default), or Debug: wait for a trace that the app writes",
     .choices = methods,
     .group = TV_GROUP_DEVICE},
    {.name = "no-view",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct record_options, device.no_view),
     .help = "do not open the trace in the viewer",
     .group = TV_GROUP_DEVICE},
    {.name = "progress",
     .kind = TV_OPTION_CHOICE,
     .field = offsetof(struct record_options, program.progress),
     .argument = "FORMAT",
     .help = "tell other programs how far it is (apps and --jvm): json",
     .choices = progress_formats},
};

const struct tv_verb tv_verb_record = {
    .name = "record",
    .summary = "record an app on an Android device, or a program here",
    .arguments = "PACKAGE | PID | -- PROGRAM [ARGUMENT...]",
    .argument_count = 1,
    .may_lack = 1,
    .unpacks_nothing = true,
    .repeats_last = true,
    .runs_program = true,
    .options = TV_OPTIONS(options),
    .values_len = TV_VALUES_LEN(struct record_options),
    .notes =
        "PACKAGE, com.example.app, or PID is a process on a device that adb knows, and that is "
        "debuggable or profileable. It is recorded until a key, Ctrl-C, the --duration or its "
        "end, and the trace is pulled, named and shown.\n"
        "\n"
        "PROGRAM is one that was compiled with -finstrument-functions, with -g for names of "
        "source files, or java, or another tool of a JDK. Of a program that is neither, as a "
        "shell, env, make or mvn, the programs that it starts are recorded. Programs that mark "
        "their scopes themselves use libtraceview-record. --jvm "
        "is instead of a program.",
    .examples = {{"traceview record --duration 5s com.example.app", "an app on the device"},
                 {"traceview record -o app.trace -- ./app --its-option", "all calls of a program"}},
    .run = run,
};
