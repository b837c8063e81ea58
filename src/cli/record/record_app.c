/*
 * The steps of a recording on a device: find the process, begin, end, and explain a failure; see
 * cli/record/record_app.h. Each step is a command of the device's shell, mostly `am profile`, and
 * what it answered is judged by its text (tv_profile_answer_of()), so that each failure becomes a
 * sentence that says what to do.
 *
 * Everything that the device answers is untrusted text: names of packages are copied sign by sign
 * (copy_package()), and reasons are shown cut. `command` and `answer` of the struct are used again
 * by each step; what a step needs of an answer must be taken before the next question.
 */
#include "cli/record/record_app.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/device/record_advice.h"
#include "os/clock.h"

/* An app has START_NS to start, and is looked for every LOOK_MS; a slow emulator takes some
 * seconds. */
#define START_NS UINT64_C(20000000000)
#define LOOK_MS 100u
#define SDK_LOG_OF_PROCESS 24u

static struct tv_str answered(const struct tv_recorded_app *app)
{
    return tv_buffer_view(&app->answer);
}

static enum tv_code ask(struct tv_recorded_app *app, int *status, struct tv_error *err)
{
    return tv_device_ask(&app->device, &app->command, &app->answer, status, err);
}

static enum tv_code begin_command(struct tv_recorded_app *app, const char *words,
                                  struct tv_error *err)
{
    app->command.len = 0;
    return tv_buffer_append(&app->command, words, strlen(words), err);
}

/* Letters and the few signs that names of packages have. */
static bool is_of_package(char sign)
{
    return (sign >= 'a' && sign <= 'z') || (sign >= 'A' && sign <= 'Z') ||
           (sign >= '0' && sign <= '9') || sign == '.' || sign == '_' || sign == '-';
}

/* Copies the package of a process that the device names, which may have any length and anything in
 * it: the name goes into paths, and into commands that people copy from messages. */
static void copy_package(char package[TV_PROCESS_CAP], struct tv_str process)
{
    size_t len = 0;
    while (len < process.len && len < TV_PROCESS_CAP - 1 && process.at[len] != ':') {
        package[len] = is_of_package(process.at[len]) ? process.at[len] : '_';
        len++;
    }
    package[len] = '\0';
}

/* Looks for the process; *is_there tells whether it runs. */
static enum tv_code look_for(struct tv_recorded_app *app, bool *is_there, struct tv_error *err)
{
    struct tv_str name;
    TV_TRY(tv_device_processes(&app->device, &app->answer, err));
    *is_there = tv_profile_find_process(answered(app), tv_str_from(app->process), &app->pid, &name);
    if (!*is_there) {
        app->pid = 0;
        return TV_OK;
    }
    if (!app->package[0]) /* a number was given */
        copy_package(app->package, name);
    return TV_OK;
}

/* An app that several users of the device have open: a work profile is a user, too. */
static enum tv_code check_one(const struct tv_recorded_app *app, struct tv_error *err)
{
    char numbers[TV_PROFILE_NUMBERS_CAP];
    const unsigned count =
        tv_profile_count_processes(answered(app), tv_str_from(app->process), numbers);
    if (count < 2)
        return TV_OK;
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                   "%u processes on %s are called %s, as with a work profile: say which one by its "
                   "number, %s (`traceview processes` has their users)",
                   count, app->device.target.model, app->process, numbers);
}

/* Why a process is not there, and what to do. Only where the process has a package is the device
 * asked whether that is installed. */
static enum tv_code fail_missing(struct tv_recorded_app *app, struct tv_error *err)
{
    const char *model = app->device.target.model;
    char line[TV_PROCESS_CAP + 16];
    int status;
    struct tv_str other;
    if (!app->package[0])
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                       "no process %s runs on %s: `traceview processes` lists those that can be "
                       "recorded",
                       app->process, model);
    if (tv_profile_find_other_process(answered(app), tv_str_from(app->process), &other))
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                       "%s does not run on %s, and its process %.*s does: name that, or start the "
                       "app, or give --start-activity, or --app-startup to record its start",
                       app->process, model, (int)other.len, other.at);
    TV_TRY(begin_command(app, "pm list packages ", err));
    TV_TRY(tv_adb_quote(&app->command, tv_str_from(app->package), err));
    TV_TRY(ask(app, &status, err));
    struct tv_str rest = answered(app), found;
    (void)snprintf(line, sizeof(line), "package:%s", app->package);
    while (tv_str_split(&rest, '\n', &found)) {
        if (tv_str_starts_with(found, tv_str_from(line)) &&
            (found.len == strlen(line) || found.at[strlen(line)] == '\r'))
            return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                           "%s does not run on %s: start it, or give --start-activity, or "
                           "--app-startup to record its start",
                           app->process, model);
    }
    return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                   "%s is not installed on %s: `traceview processes` lists what can be recorded",
                   app->package, model);
}

/* What an answer of `am` other than "done" means for the user. */
static enum tv_code fail_answer(struct tv_recorded_app *app, enum tv_profile_answer answer,
                                struct tv_error *err)
{
    const char *model = app->device.target.model;
    struct tv_str reason = tv_profile_reason(answered(app));
    int len = tv_str_shown_len(reason);
    switch (answer) {
    case TV_PROFILE_NO_PROCESS:
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                       "%s ended before it could be recorded: start it again, or give "
                       "--start-activity",
                       app->process);
    case TV_PROFILE_NOT_ALLOWED:
        tv_record_advise_permission(app->cli, app->package, app->device.sdk);
        return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
                       tv_profile_knows(app->device.sdk, TV_PROFILE_PROFILEABLE)
                           ? "%s may not be recorded: it is neither debuggable "
                             "nor profileable"
                           : "%s may not be recorded: it is not debuggable",
                       app->package);
    case TV_PROFILE_NO_FILE:
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET,
                       "Android on %s may not write into %s, by SELinux or the folder's "
                       "permissions (`adb shell ls -ldZ %s`): let the app trace itself, with "
                       "--method Debug",
                       model, TV_DEVICE_FOLDER, TV_DEVICE_FOLDER);
    case TV_PROFILE_NO_OPTION:
        return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
                       "%s says %s, but its `am` does not take an option of it: leave it out "
                       "(%.*s)",
                       model, app->device.version, len, reason.at);
    case TV_PROFILE_NO_ACTIVITY:
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                       "%s cannot be started on %s: is it installed, and the activity spelled as "
                       "in its manifest? (%.*s)",
                       app->package, model, len, reason.at);
    case TV_PROFILE_DONE:
    case TV_PROFILE_OTHER_FAILURE:
        break;
    }
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%s refuses: %.*s", model, len ? len : 9,
                   len ? reason.at : "no reason");
}

/* Runs what is in `command`, an `am`, and looks at its answer. */
static enum tv_code run_am(struct tv_recorded_app *app, struct tv_error *err)
{
    int status = 0;
    TV_TRY(ask(app, &status, err));
    enum tv_profile_answer answer = tv_profile_answer_of(answered(app), status);
    return answer == TV_PROFILE_DONE ? TV_OK : fail_answer(app, answer, err);
}

/* An app that crashes at its start never has a process; after START_NS that is told, with where
 * Android says why. The activity of some apps is in another process than the package's own. */
static enum tv_code fail_without_process(const struct tv_recorded_app *app, struct tv_error *err)
{
    struct tv_str other;
    if (tv_profile_find_other_process(answered(app), tv_str_from(app->package), &other))
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                       "%s was started and has no process %s: name another one of its processes, "
                       "as %.*s",
                       app->package, app->process, (int)other.len, other.at);
    return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                   "%s was started and has no process: `adb logcat` says why", app->package);
}

/* `am start` answers before the process has its name. */
static enum tv_code wait_for_process(struct tv_recorded_app *app, struct tv_error *err)
{
    const uint64_t begun_ns = tv_now_ns();
    for (;;) {
        bool is_there;
        TV_TRY(look_for(app, &is_there, err));
        if (is_there)
            return TV_OK;
        if (tv_passed_ns(begun_ns, tv_now_ns()) > START_NS)
            return fail_without_process(app, err);
        if (tv_stop_request_wait(&app->stop, LOOK_MS) != TV_STOP_NOT)
            return tv_fail(err, TV_ERR_CANCELLED, TV_NO_OFFSET, "cancelled");
    }
}

static struct tv_str activity_of(const struct tv_recorded_app *app)
{
    return tv_str_from(app->asked->options->start_activity ? app->asked->options->start_activity
                                                           : "");
}

/* A start with the profiler and a start without it are the same command; the file is empty where
 * only the app is wanted. */
static enum tv_code launch(struct tv_recorded_app *app, const char *file, struct tv_error *err)
{
    TV_TRY(begin_command(app, "", err));
    TV_TRY(tv_profile_launch(&app->command, &app->wish, tv_str_from(app->package), activity_of(app),
                             tv_str_from(file), err));
    TV_TRY(run_am(app, err));
    return wait_for_process(app, err);
}

/* Another recording of `am` would be ended by ours without a word. */
static enum tv_code check_alone(struct tv_recorded_app *app, struct tv_error *err)
{
    struct tv_str package, file;
    char name[TV_PROCESS_CAP];
    int status;
    TV_TRY(tv_device_ask_text(&app->device, "dumpsys activity processes | grep mProfile",
                              &app->answer, &status, err));
    if (!tv_profile_under_way(answered(app), &package, &file))
        return TV_OK;
    copy_package(name, package);
    return tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET,
                   "%s is being recorded already, into %.*s: end that, by Android Studio or `adb "
                   "shell am profile stop %s`, and try again",
                   name, tv_str_shown_len(file), file.at, name);
}

/* Asks first whether the process runs, for a process that the user wants started may be missing. An
 * app is started here only with --start-activity alone; with --app-startup the start is the
 * beginning of the recording, in tv_app_begin(). */
enum tv_code tv_app_find(struct tv_recorded_app *app, struct tv_error *err)
{
    const struct tv_record_device_options *options = app->asked->options;
    bool is_there;
    TV_TRY(look_for(app, &is_there, err));
    bool is_started = options->app_startup || options->start_activity;
    if (!is_there && (!is_started || !app->package[0]))
        return fail_missing(app, err);
    if (!is_started)
        TV_TRY(check_one(app, err)); /* of the processes that look_for() asked for */
    TV_TRY(check_alone(app, err));
    if (options->start_activity && !options->app_startup)
        return launch(app, "", err);
    return TV_OK;
}

/* Sets the property from which the process reads the size of its buffer when tracing starts. The
 * old value is kept only where it is a number, since tv_app_put_back() writes it into a command;
 * otherwise the property becomes empty again. */
static enum tv_code set_buffer(struct tv_recorded_app *app, struct tv_error *err)
{
    char command[128];
    int status = 0;
    if (!app->wish.buffer_mib)
        return TV_OK;
    TV_TRY(tv_device_ask_text(&app->device, "getprop " TV_PROFILE_BUFFER_PROPERTY, &app->answer,
                              &status, err));
    struct tv_str old = answered(app), line = {"", 0};
    uint64_t value;
    (void)tv_str_split(&old, '\n', &line);
    if (line.len < sizeof(app->old_buffer) && tv_str_to_u64(line, 10, &value)) {
        memcpy(app->old_buffer, line.at, line.len);
        app->old_buffer[line.len] = '\0';
    }
    (void)snprintf(command, sizeof(command), "setprop " TV_PROFILE_BUFFER_PROPERTY " %u",
                   app->wish.buffer_mib);
    TV_TRY(tv_device_ask_text(&app->device, command, &app->answer, &status, err));
    app->has_set_buffer = true;
    if (status == 0)
        return TV_OK;
    struct tv_str reason = tv_profile_reason(answered(app));
    return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
                   "%s does not take a buffer of %u MiB: leave --buffer out (%.*s)",
                   app->device.target.model, app->wish.buffer_mib, tv_str_shown_len(reason),
                   reason.at);
}

/* The property is the device's and not the app's: it would change the next recording of somebody
 * else. */
void tv_app_put_back(struct tv_recorded_app *app)
{
    char command[128];
    int status;
    if (!app->has_set_buffer)
        return;
    app->has_set_buffer = false;
    (void)snprintf(command, sizeof(command), "setprop " TV_PROFILE_BUFFER_PROPERTY " '%s'",
                   app->old_buffer);
    if (tv_device_ask_text(&app->device, command, &app->answer, &status, NULL) != TV_OK)
        tv_cli_note(app->cli, app->device.target.model,
                    "the property " TV_PROFILE_BUFFER_PROPERTY " stays %u until it restarts",
                    app->wish.buffer_mib);
}

/* From the moment the command is sent a recording may run on the device, even where its answer is
 * lost; so it counts as begun before. */
enum tv_code tv_app_begin(struct tv_recorded_app *app, struct tv_error *err)
{
    char number[24];
    TV_TRY(set_buffer(app, err));
    app->is_recording = true; /* also where the answer is lost on its way */
    if (app->asked->options->app_startup) {
        TV_TRY(launch(app, app->remote, err));
    } else {
        (void)snprintf(number, sizeof(number), "%" PRIu64, app->pid);
        TV_TRY(begin_command(app, "", err));
        TV_TRY(tv_profile_start(&app->command, &app->wish, tv_str_from(number),
                                tv_str_from(app->remote), err));
        TV_TRY(run_am(app, err));
    }
    app->begun_ns = tv_now_ns();
    return TV_OK;
}

/* Asks for the end once; a second call does nothing, so every way out may call it. */
enum tv_code tv_app_end(struct tv_recorded_app *app, struct tv_error *err)
{
    char number[24];
    int status;
    if (!app->is_recording || app->has_ended)
        return TV_OK;
    (void)snprintf(number, sizeof(number), "%" PRIu64, app->pid);
    /* A start is recorded before its process is found. */
    const char *process = app->pid ? number : app->process;
    TV_TRY(begin_command(app, "", err));
    TV_TRY(tv_profile_stop(&app->command, tv_str_from(process), err));
    TV_TRY(ask(app, &status, err));
    app->is_recording = false;
    enum tv_profile_answer answer = tv_profile_answer_of(answered(app), status);
    /* A process that ended in this moment has nothing to stop. */
    return answer == TV_PROFILE_DONE || answer == TV_PROFILE_NO_PROCESS
               ? TV_OK
               : fail_answer(app, answer, err);
}

/* Looks for a cause that `am` did not report, in the device's log. The messages are Android's; a
 * log without any of them leaves `why` empty, but for a recorded start. */
void tv_app_why(struct tv_recorded_app *app, char why[TV_PATH_CAP])
{
    char command[96] = "logcat -d -t 1000 2>/dev/null";
    int status;
    why[0] = '\0';
    if (app->has_ended) {
        (void)snprintf(why, TV_PATH_CAP, "%s ended while it was recorded%s", app->package,
                       app->wish.is_streamed ||
                               !tv_profile_knows(app->device.sdk, TV_PROFILE_STREAMING)
                           ? ""
                           : ", and its buffer with it: --streaming keeps what came until then");
        return;
    }
    if (app->device.sdk >= SDK_LOG_OF_PROCESS)
        (void)snprintf(command, sizeof(command), "logcat -d -t 1000 --pid=%" PRIu64 " 2>/dev/null",
                       app->pid);
    if (tv_device_ask_text(&app->device, command, &app->answer, &status, NULL) != TV_OK)
        return;
    if (tv_str_find(answered(app), TV_STR("Trace already in progress"), TV_CASE_EXACT) != SIZE_MAX)
        (void)snprintf(why, TV_PATH_CAP,
                       "%s traces itself already (Debug.startMethodTracing): wait for its own file "
                       "with --method Debug, or let it end first",
                       app->package);
    else if (tv_str_find(answered(app), TV_STR("No space left on device"), TV_CASE_EXACT) !=
             SIZE_MAX)
        (void)snprintf(why, TV_PATH_CAP,
                       "the disk of %s is full: make room there (`adb shell df %s`), or record "
                       "less",
                       app->device.target.model, TV_DEVICE_FOLDER);
    else if (app->asked->options->app_startup)
        (void)snprintf(why, TV_PATH_CAP,
                       "is %s debuggable or profileable? A start is not recorded otherwise, and "
                       "Android does not say so",
                       app->package);
}
