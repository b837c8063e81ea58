/*
 * Recording an app on a device; see cli/record/record_device.h. The steps are in record_app.c and
 * record_watch.c, the file's way here in device_pull.c. Whatever goes wrong on the way: a recording
 * that began is ended, the device gets back what was set, and what was recorded is kept.
 */
#include "cli/record/record_device.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/device/device.h"
#include "cli/device/record_advice.h"
#include "cli/record/record_app.h"
#include "cli/record/record_debug.h"
#include "cli/wording.h"
#include "os/clock.h"
#include "os/process/child.h"

#define MIB ((uint64_t)1 << 20)
#define MOST_SAMPLING_US 1000000u
/* A device that is gone when the recording is to end is waited for during BACK_NS, and looked for
 * every BACK_LOOK_MS. */
#define BACK_NS UINT64_C(60000000000)
#define BACK_LOOK_MS 500u
/* The longest command in a message; a message has room for less than twice this. */
#define COMMAND_CAP 400u

const char *const tv_record_device_clocks[] = {"dual", "wall", "thread-cpu", NULL};

/* Whether $PATH has a program of this name. */
static bool is_program(const char *name)
{
    const char *folders = getenv("PATH");
    struct tv_str rest = tv_str_from(folders ? folders : ""), folder;
    while (tv_str_split(&rest, ':', &folder)) {
        char path[TV_PATH_CAP];
        int len = snprintf(path, sizeof(path), "%.*s/%s", (int)folder.len, folder.at, name);
        if (len > 0 && (size_t)len < sizeof(path) && access(path, X_OK) == 0)
            return true;
    }
    return false;
}

/* A number is a process; a word is an app if it is spelled as a package and no program of that name
 * is in $PATH. Words behind "--" are always a program. */
bool tv_record_is_of_device(const struct tv_arguments *arguments)
{
    uint64_t number;
    if (arguments->count != 1 || arguments->has_dashes)
        return false;
    const char *word = arguments->of[0];
    if (tv_str_to_u64(tv_str_from(word), 10, &number))
        return true;
    return tv_profile_is_package(tv_str_from(word)) && !is_program(word);
}

/* The first option that only an app on a device has, for the sentence that refuses it for a
 * program. */
const char *tv_record_device_option(const struct tv_record_device_options *options)
{
    return options->serial              ? "--serial"
           : options->method            ? "--method"
           : options->clock_type        ? "--clock-type"
           : options->output_version    ? "--output-version"
           : options->start_activity    ? "--start-activity"
           : options->sampling.is_given ? "--sampling"
           : options->streaming         ? "--streaming"
           : options->app_startup       ? "--app-startup"
           : options->no_view           ? "--no-view"
                                        : NULL;
}

/* What cannot be asked for together; NULL: nothing. */
static const char *misuse(const struct tv_record_device *asked)
{
    const struct tv_record_device_options *options = asked->options;
    const uint64_t us = options->sampling.time_ns / 1000;
    bool is_number = asked->process[0] >= '0' && asked->process[0] <= '9';
    bool is_watched = options->method && options->method[0] == 'D';
    if (asked->output && strcmp(asked->output, "-") == 0)
        return "a trace of an app goes to a file: name one with -o";
    if (options->sampling.is_given && (us == 0 || us > MOST_SAMPLING_US))
        return "--sampling takes 1us to 1s: 1ms is usual";
    if (options->sampling.is_given && options->streaming)
        return "--sampling and --streaming: `am profile` takes one of them";
    if (asked->buffer_len > TV_PROFILE_BUFFER_MOST_MIB * MIB)
        return "--buffer takes up to 2047m: Android has no larger one";
    if (is_number && (options->app_startup || options->start_activity))
        return "a process number has been started already: give its package";
    if (is_watched && is_number)
        return "--method Debug takes a package";
    if (is_watched && (options->sampling.is_given || options->streaming || options->clock_type ||
                       options->output_version || asked->buffer_len || options->app_startup))
        return "--method Debug waits for what the app writes by itself: the app says how";
    return NULL;
}

/* Turns the options into a wish for `am profile`, before the device's version is considered:
 * tv_profile_fit() then leaves out what the device does not know. A buffer is rounded up to whole
 * MiB, the unit in which Android is told of it. */
static void set_wish(struct tv_recorded_app *app)
{
    const struct tv_record_device_options *options = app->asked->options;
    app->wish = (struct tv_profile_wish){
        .sampling_us = options->sampling.is_given ? options->sampling.time_ns / 1000 : 0,
        .is_streamed = options->streaming,
        .clock = options->clock_type
                     ? (enum tv_profile_clock)(
                           tv_choice_position(tv_record_device_clocks, options->clock_type) +
                           TV_PROFILE_CLOCK_DUAL)
                     : TV_PROFILE_CLOCK_ANY,
        .output_version =
            options->output_version ? (unsigned)(options->output_version[0] - '0') : 0,
        .buffer_mib = (unsigned)((app->asked->buffer_len + MIB - 1) / MIB),
        .is_launch = options->app_startup};
}

/* A note rather than a refusal: the recording is still what was wanted, only less so. */
static void tell_left_out(void *ctx, const char *text)
{
    const struct tv_recorded_app *app = ctx;
    tv_cli_note(app->cli, app->device.version, "%s", text);
}

/* The package of the words, unless they are a number, and the process. */
static enum tv_code name_app(struct tv_recorded_app *app, struct tv_error *err)
{
    const char *process = app->asked->process;
    if (strlen(process) >= TV_PROCESS_CAP)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "the name of the package is too long");
    (void)snprintf(app->process, sizeof(app->process), "%s", process);
    if (process[0] >= '0' && process[0] <= '9')
        return TV_OK;
    (void)snprintf(app->package, sizeof(app->package), "%.*s", (int)strcspn(process, ":"), process);
    return TV_OK;
}

/* Everything before the recording. */
static enum tv_code prepare(struct tv_recorded_app *app, struct tv_error *err)
{
    TV_TRY(name_app(app, err));
    TV_TRY(tv_device_open(&app->device, app->cli, app->asked->options->serial, &app->stop, err));
    TV_TRY(tv_device_ask_version(&app->device, err));
    set_wish(app);
    TV_TRY(tv_profile_fit(&app->wish, app->device.sdk, tell_left_out, app, err));
    TV_TRY(tv_app_find(app, err));
    TV_TRY(tv_app_file_take(&app->file, app->package, app->asked->output, err));
    (void)snprintf(app->remote, sizeof(app->remote), TV_DEVICE_FOLDER "/%s", app->file.name);
    struct tv_record_rate rate = tv_record_rate_of(app->cli, app->device.target.serial,
                                                   app->package, app->wish.sampling_us > 0);
    tv_record_advise_buffer(app->cli, app->package, &app->wish, app->device.sdk, &rate,
                            app->asked->duration_ns);
    return TV_OK;
}

/* What ends the recording is said in the same line, since that is the next thing that one wants to
 * know. */
static void tell_begin(const struct tv_recorded_app *app)
{
    struct tv_text until;
    tv_text_init(&until, app->cli->alloc);
    if (app->asked->duration_ns) {
        tv_text_add(&until, "for ");
        tv_record_add_duration(&until, app->asked->duration_ns, " ");
    } else {
        tv_text_add(&until, app->asked->progress ? "until it is ended"
                            : app->stop.has_keys ? "any key ends it"
                                                 : "Ctrl-C ends it");
    }
    tv_cli_note(app->cli, app->package, "recording %s %" PRIu64 " on %s, %s: %.*s",
                app->wish.sampling_us ? "samples of process" : "all calls of process", app->pid,
                app->device.target.model, app->device.version, (int)tv_text_view(&until).len,
                tv_text_view(&until).at);
    tv_text_release(&until);
}

/* Ends the recording; where the device is gone, waits until it is back, or until the user stops
 * waiting. */
static enum tv_code end_when_back(struct tv_recorded_app *app, struct tv_error *err)
{
    const uint64_t begun_ns = tv_now_ns();
    bool is_told = false;
    for (;;) {
        enum tv_code code = tv_app_end(app, err);
        enum tv_adb_trouble trouble = app->device.adb.trouble;
        bool may_come = trouble == TV_ADB_GONE || trouble == TV_ADB_SILENT ||
                        trouble == TV_ADB_OFFLINE || trouble == TV_ADB_NOT_THERE ||
                        trouble == TV_ADB_NO_DEVICE;
        if (code == TV_OK || !may_come || tv_passed_ns(begun_ns, tv_now_ns()) > BACK_NS)
            return code;
        if (!is_told)
            tv_cli_note(app->cli, app->device.target.model,
                        "it is gone, and goes on recording: connect it again, so that it can be "
                        "ended (Ctrl-C gives up)");
        is_told = true;
        if (tv_stop_request_wait(&app->stop, BACK_LOOK_MS) == TV_STOP_SIGNAL)
            return code;
    }
}

/* An option of a command, and its value where it has one, quoted for a shell. */
static void add_option(struct tv_text *text, const char *option, const char *value)
{
    tv_text_add(text, " %s", option);
    if (!value)
        return;
    tv_text_add(text, " ");
    tv_text_add_quoted(text, tv_str_from(value));
}

static void add_serial(struct tv_text *text, const struct tv_recorded_app *app)
{
    if (app->asked->options->serial)
        add_option(text, "-s", app->asked->options->serial);
}

static void tell_left_behind(const struct tv_recorded_app *app)
{
    struct tv_text serial;
    tv_text_init(&serial, app->cli->alloc);
    add_serial(&serial, app);
    const struct tv_str device = tv_text_view(&serial);
    tv_cli_note(
        app->cli, app->package,
        "it may still be recorded: when %s is back, `adb%.*s shell am profile stop %s`, then "
        "`traceview pull%.*s %s`",
        app->device.target.model, (int)device.len, device.at, app->process, (int)device.len,
        device.at, app->remote);
    tv_text_release(&serial);
}

/* Ends what began, also where that fails half-way: the device may be gone by now. */
static enum tv_code end(struct tv_recorded_app *app, enum tv_code code, struct tv_error *err)
{
    struct tv_error why = {.code = TV_OK};
    enum tv_code ended = end_when_back(app, &why);
    tv_app_put_back(app);
    if (ended != TV_OK && app->is_recording)
        tell_left_behind(app);
    if (code == TV_OK && ended != TV_OK && err)
        *err = why;
    return code == TV_OK ? ended : code;
}

/* One line that says whether it was worth it: how large, how many records, how long. */
static void tell_result(const struct tv_recorded_app *app, const struct tv_device_trace *trace)
{
    struct tv_text text;
    tv_text_init(&text, app->cli->alloc);
    tv_text_add_size(&text, trace->len);
    tv_text_add(&text, ", ");
    tv_text_add_count(&text, trace->records);
    tv_text_add(&text, " records");
    if (trace->run_ns) {
        tv_text_add(&text, ", ");
        tv_text_add_time(&text, trace->run_ns);
    }
    tv_cli_note(app->cli, app->file.local, "%.*s", (int)tv_text_view(&text).len,
                tv_text_view(&text).at);
    tv_text_release(&text);
}

/* The command that was given, with another buffer. */
static void add_command(struct tv_text *text, const struct tv_recorded_app *app,
                        unsigned buffer_mib)
{
    const struct tv_record_device *asked = app->asked;
    const struct tv_record_device_options *options = asked->options;
    tv_text_add(text, "traceview record");
    add_serial(text, app);
    if (asked->duration_ns) {
        tv_text_add(text, " --duration ");
        tv_record_add_duration(text, asked->duration_ns, "");
    }
    if (options->sampling.is_given) {
        tv_text_add(text, " --sampling ");
        tv_record_add_duration(text, options->sampling.time_ns, "");
    }
    if (options->clock_type)
        add_option(text, "--clock-type", options->clock_type);
    if (options->output_version)
        add_option(text, "--output-version", options->output_version);
    if (options->app_startup)
        add_option(text, "--app-startup", NULL);
    if (options->start_activity) {
        tv_text_add(text, options->start_activity[0] ? " --start-activity=" : " --start-activity");
        if (options->start_activity[0])
            tv_text_add_quoted(text, tv_str_from(options->start_activity));
    }
    if (options->no_view)
        add_option(text, "--no-view", NULL);
    tv_text_add(text, " --buffer %um", buffer_mib);
    if (asked->output)
        add_option(text, "-o", asked->output);
    tv_text_add(text, " ");
    tv_text_add_quoted(text, tv_str_from(app->process));
}

/* A command that is cut or has an escape in it would not run: then its new part alone is told. */
static void tell_advice(const struct tv_recorded_app *app, const struct tv_device_trace *trace,
                        unsigned needed_mib)
{
    char command[COMMAND_CAP] = "";
    struct tv_text text;
    tv_text_init(&text, app->cli->alloc);
    if (needed_mib)
        add_command(&text, app, needed_mib);
    const struct tv_str whole = tv_text_view(&text);
    if (whole.len < sizeof(command) && tv_text_can_quote(whole))
        (void)snprintf(command, sizeof(command), "%.*s", (int)whole.len, whole.at);
    else
        (void)snprintf(command, sizeof(command), "--buffer %um", needed_mib);
    tv_record_advise_after(app->cli, app->package, &app->wish, app->device.sdk, trace, command);
    tv_text_release(&text);
}

/* Reads the file that came, says what it holds, and why it ends early. A rate is kept for the next
 * recording only of a whole trace that did not overflow. What came is kept in any case. */
static enum tv_code judge(struct tv_recorded_app *app, struct tv_error *err)
{
    struct tv_device_trace trace;
    char why[TV_PATH_CAP] = "";
    tv_device_look(app->cli, app->file.local, &trace);
    if ((!trace.is_readable || !trace.is_whole) && !app->has_ended)
        tv_app_why(app, why);
    if (why[0])
        tv_cli_note(app->cli, app->package, "%s", why);
    if (!trace.is_readable) {
        if (err)
            *err = trace.why;
        return trace.why.code;
    }
    tell_result(app, &trace);
    bool is_guess;
    const struct tv_record_step full = {
        .phase = "full",
        .needed_mib = tv_record_needed_buffer(&app->wish, app->device.sdk, &trace, &is_guess)};
    tell_advice(app, &trace, (unsigned)full.needed_mib);
    if (full.needed_mib)
        tv_record_tell(&app->device.teller, app->cli, &full);
    uint64_t run_ns = trace.run_ns ? trace.run_ns : app->ended_ns - app->begun_ns;
    if (trace.is_whole && trace.records && run_ns && !trace.has_overflow)
        tv_record_rate_keep(app->cli, app->device.target.serial, app->package,
                            app->wish.sampling_us > 0,
                            (uint64_t)((double)trace.len * 1e9 / (double)run_ns));
    if (!trace.is_whole && !app->has_ended)
        return tv_fail(err, TV_ERR_FORMAT, TV_NO_OFFSET,
                       "the end of the recording never came; what came is kept, and can be read");
    return TV_OK;
}

/* What to do where no file came. */
static enum tv_code fail_to_bring(struct tv_recorded_app *app, enum tv_code code,
                                  struct tv_error *err)
{
    char why[TV_PATH_CAP] = "";
    if (code == TV_ERR_NOT_FOUND) { /* it is empty */
        tv_app_why(app, why);
        tv_device_remove(&app->device, app->remote);
        return why[0] ? tv_fail(err, code, TV_NO_OFFSET, "nothing was recorded: %s", why) : code;
    }
    struct tv_text command;
    tv_text_init(&command, app->cli->alloc);
    add_serial(&command, app);
    if (app->asked->output) /* what came has its name */
        add_option(&command, "-o", app->asked->output);
    tv_text_add(&command, " ");
    tv_text_add_quoted(&command, tv_str_from(app->remote));
    tv_cli_note(
        app->cli, app->package, "the recording is still on %s: `traceview pull%.*s` goes on",
        app->device.target.model, (int)tv_text_view(&command).len, tv_text_view(&command).at);
    tv_text_release(&command);
    return code;
}

/* Pulls the file, and removes it there once it is here. */
static enum tv_code bring(struct tv_recorded_app *app, struct tv_error *err)
{
    struct tv_device_pull pull = {
        .from = app->remote, .to = app->file.local, .stop = &app->stop, .is_being_written = true};
    memcpy(pull.part, app->file.part, sizeof(pull.part));
    enum tv_code code = tv_device_take(&app->device, &pull, err);
    if (code == TV_OK) {
        tv_device_remove(&app->device, app->remote);
        return judge(app, err);
    }
    return fail_to_bring(app, code, err);
}

/* Of the steps whoever gave --progress learns; without it nothing is written. */
static void tell_phase(struct tv_recorded_app *app, const char *phase)
{
    tv_record_tell(&app->device.teller, app->cli, &(struct tv_record_step){.phase = phase});
}

/* The whole recording. Until the device is told to go on, a signal cancels; from then on a signal
 * ends the recording. A recording that failed to begin is ended as well, since the answer of `am`
 * may have been lost, but not the recording. */
static enum tv_code record(struct tv_recorded_app *app, struct tv_error *err)
{
    TV_TRY(prepare(app, err));
    tv_record_tell_begin(&app->device.teller, app->asked->progress);
    tv_device_go_on(&app->device); /* a signal ends the recording now */
    tell_phase(app, "starting");
    enum tv_code code = tv_app_begin(app, err);
    if (code != TV_OK) {
        if (app->device.adb.trouble == TV_ADB_NONE || code != TV_ERR_CANCELLED)
            tv_device_remove(&app->device, app->remote);
        return end(app, code, err);
    }
    tell_begin(app);
    tv_app_watch(app);
    tv_stop_request_leave_keys(&app->stop);
    tell_phase(app, "finishing");
    TV_TRY(end(app, TV_OK, err));
    return bring(app, err);
}

/* Runs one recording, and then becomes the viewer of its trace, unless --no-view is given. Where
 * the viewer cannot be started, the recording is still a success. */
int tv_record_device_run(const struct tv_cli *cli, const struct tv_record_device *asked)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_recorded_app app = {.cli = cli, .asked = asked, .device = {.cli = cli}};
    const char *what = misuse(asked);
    if (what)
        return tv_cli_misuse(cli, "record: %s", what);
    if (asked->options->method && asked->options->method[0] == 'D')
        return tv_record_debug(cli, asked);
    tv_buffer_init(&app.command, cli->alloc);
    tv_buffer_init(&app.answer, cli->alloc);
    enum tv_code code = tv_stop_request_open(&app.stop, &err);
    if (code == TV_OK) {
        code = record(&app, &err);
        tv_app_file_release(&app.file);
        tv_stop_request_close(&app.stop);
    }
    tv_buffer_release(&app.answer);
    tv_buffer_release(&app.command);
    if (code != TV_OK)
        return tv_device_fail(&app.device, &err);
    const char *const view[] = {"traceview", "view", app.file.local, NULL};
    if (!asked->options->no_view)
        tv_child_become("/proc/self/exe", view);
    return TV_STATUS_FINE;
}
