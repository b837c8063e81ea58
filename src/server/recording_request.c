/*
 * What is to be recorded: a request becomes the words of a helper; see server/recording.h.
 *
 * Whatever the page sends becomes words of a command line, so each parameter is checked against
 * what it may be before it becomes one; no shell is involved. A text stands behind a fixed
 * "--name=" or begins with a letter, so it can never be read as another option.
 */
#include "server/recording.h"

#include <inttypes.h>
#include <stdio.h>

#define MOST_SERIAL 127u /* as adb/adb.h has it */
#define MOST_NAME 255u
#define MOST_PID (UINT64_C(1) << 22)
#define MOST_BUFFER_MB 2047u
#define MOST_DURATION_S 3600u
#define SHOWN_NAME 100u

enum { MODE_TRACE, MODE_SAMPLE, MODE_STREAM };
const char *const tv_recording_modes[] = {"trace", "sample", "stream", NULL};
/* When recording begins: now, in a process that runs; with an activity that is started; from an
 * app's start on. */
enum { BEGIN_NOW, BEGIN_ACTIVITY, BEGIN_STARTUP };
const char *const tv_recording_begins[] = {"now", "activity", "startup", NULL};

/* Printable ASCII without spaces, as serial numbers are: "emulator-5554", "192.168.0.7:5555",
 * "adb-X1-Y2._adb-tls-connect._tcp". */
static bool is_serial(struct tv_str text)
{
    if (!text.len || text.len > MOST_SERIAL)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] <= ' ' || text.at[i] > '~')
            return false;
    }
    return true;
}

enum tv_code tv_recording_serial(const struct tv_params *params, struct tv_str *serial,
                                 struct tv_error *err)
{
    if (tv_params_find(params, "serial", serial) && !is_serial(*serial))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "serial is no serial number");
    return TV_OK;
}

static bool is_letter(char sign)
{
    return (sign >= 'a' && sign <= 'z') || (sign >= 'A' && sign <= 'Z');
}

/* Names of Java with dots between them, as packages and activities have. An activity may begin with
 * a dot, and may be a class within a class ('$'). */
static bool is_java_name(struct tv_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        const char sign = text.at[i];
        if (!is_letter(sign) && !(sign >= '0' && sign <= '9') && sign != '_' && sign != '.' &&
            sign != '$')
            return false;
    }
    return text.len && text.len <= MOST_NAME;
}

static bool is_package(struct tv_str text)
{
    return is_java_name(text) && is_letter(text.at[0]) &&
           tv_str_find(text, TV_STR("."), TV_CASE_EXACT) != SIZE_MAX &&
           tv_str_find(text, TV_STR("$"), TV_CASE_EXACT) == SIZE_MAX;
}

/* Reads which app and activity are started, if anything is. */
static enum tv_code read_start(const struct tv_params *params, struct tv_recording_request *wish,
                               struct tv_error *err)
{
    TV_TRY(tv_params_choice(params, "begin", tv_recording_begins, BEGIN_STARTUP + 1, &wish->begin,
                            err));
    const bool has_package = tv_params_find(params, "package", &wish->package);
    const bool has_activity = tv_params_find(params, "activity", &wish->activity);
    if (wish->begin == BEGIN_NOW)
        return !has_package && !has_activity
                   ? TV_OK
                   : tv_fail(
                         err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                         "package and activity are of an app that is started: say how by begin");
    if (!wish->serial.len || wish->pid)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "what is started is an app of a device, which has no pid yet");
    if (!is_package(wish->package))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "package is no name of an app, com.example.app");
    if (has_activity && !is_java_name(wish->activity))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "activity is no name of a class, .MainActivity");
    return TV_OK;
}

enum tv_code tv_recording_read(const struct tv_params *params, struct tv_recording_request *wish,
                               struct tv_error *err)
{
    static const unsigned mode_count = MODE_STREAM + 1;
    *wish = (struct tv_recording_request){.pid = 0};
    TV_TRY(tv_recording_serial(params, &wish->serial, err));
    TV_TRY(tv_params_u64(params, "pid", 1, MOST_PID, &wish->pid, err));
    TV_TRY(tv_params_choice(params, "mode", tv_recording_modes, mode_count, &wish->mode, err));
    TV_TRY(tv_params_u64(params, "buffer_mb", 1, MOST_BUFFER_MB, &wish->buffer_mb, err));
    TV_TRY(tv_params_u64(params, "duration_s", 1, MOST_DURATION_S, &wish->duration_s, err));
    if (!tv_params_find(params, "name", &wish->name) || !wish->name.len ||
        wish->name.len > MOST_NAME)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "name is missing, or too long");
    TV_TRY(read_start(params, wish, err));
    if (!wish->pid && wish->begin == BEGIN_NOW)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "pid is missing");
    if (!wish->serial.len && (wish->mode == MODE_STREAM || wish->buffer_mb))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "streams and buffers are of devices, and serial is missing");
    return TV_OK;
}

/* A process is named by its number: a name could be taken for a program that `record` would start.
 * A package stands behind options of devices, with which `record` starts no program. */
void tv_recording_words(const struct tv_recording_request *wish, const char *path,
                        struct tv_helper_thread_words *words)
{
    *words = (struct tv_helper_thread_words){.count = 0};
    tv_helper_thread_add(words, "record");
    tv_helper_thread_add(words, "--output=%s", path);
    if (wish->duration_s)
        tv_helper_thread_add(words, "--duration=%" PRIu64 "s", wish->duration_s);
    if (wish->buffer_mb)
        tv_helper_thread_add(words, "--buffer=%" PRIu64 "m", wish->buffer_mb);
    tv_helper_thread_add(words, "--progress=json");
    if (!wish->serial.len) {
        if (wish->mode == MODE_SAMPLE)
            tv_helper_thread_add(words, "--sample=1ms");
        tv_helper_thread_add(words, "--jvm=%" PRIu64, wish->pid);
        return;
    }
    tv_helper_thread_add(words, "--serial=%.*s", (int)wish->serial.len, wish->serial.at);
    tv_helper_thread_add(words, "--no-view");
    if (wish->mode == MODE_SAMPLE)
        tv_helper_thread_add(words, "--sampling=1ms");
    if (wish->mode == MODE_STREAM)
        tv_helper_thread_add(words, "--streaming");
    if (wish->begin == BEGIN_STARTUP)
        tv_helper_thread_add(words, "--app-startup");
    if (wish->activity.len)
        tv_helper_thread_add(words, "--start-activity=%.*s", (int)wish->activity.len,
                             wish->activity.at);
    else if (wish->begin == BEGIN_ACTIVITY)
        tv_helper_thread_add(words, "--start-activity");
    if (wish->pid)
        tv_helper_thread_add(words, "%" PRIu64, wish->pid);
    else
        tv_helper_thread_add(words, "%.*s", (int)wish->package.len, wish->package.at);
}

/* The process's name with anything but letters, digits, dots and dashes as '_', and the local time.
 */
void tv_recording_file_name(char name[TV_RECORDING_NAME_CAP], struct tv_str process,
                            const struct tm *when)
{
    char plain[SHOWN_NAME + 1];
    size_t len = 0;
    for (size_t i = 0; i < process.len && len < SHOWN_NAME; i++) {
        const char byte = process.at[i];
        const bool is_word = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                             (byte >= '0' && byte <= '9');
        const bool is_sign = i > 0 && (byte == '.' || byte == '-');
        plain[len++] = is_word || is_sign ? byte : '_';
    }
    plain[len] = '\0';
    (void)snprintf(name, TV_RECORDING_NAME_CAP, "%s-%04d%02d%02d-%02d%02d%02d.trace", plain,
                   (when->tm_year + 1900) % 10000, (when->tm_mon + 1) % 100, when->tm_mday % 100,
                   when->tm_hour % 100, when->tm_min % 100, when->tm_sec % 100);
}
