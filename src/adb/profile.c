/*
 * Method tracing by the device's `am`; see adb/profile.h.
 *
 * A wish becomes the words of a shell command, and the text that `am` prints becomes an answer: it
 * has no other way to tell. Options that the device's version of Android does not know are refused
 * with what can be done instead, or left out if nothing is lost by that. Everything here works on
 * texts; nothing is sent.
 *
 * Which option came with which API level stands in one table, tv_profile_abilities.
 */
#include "adb/profile.h"

#include <stdio.h>
#include <string.h>

#include "adb/adb.h"
#include "base/units.h"

#define BYTES_PER_MIB ((uint64_t)1 << 20)
/* The largest power of two that Android has as a buffer. */
#define MOST_ADVISED_MIB 1024u
/* Android 4.2, where the syntax with `start` before the process came. */
#define OLDEST_SDK 17u

const struct tv_profile_since tv_profile_abilities[TV_PROFILE_ABILITY_COUNT] = {
    [TV_PROFILE_SAMPLING] = {"sampling", 23},
    [TV_PROFILE_SAMPLED_LAUNCH] = {"startup-sampling", 21},
    [TV_PROFILE_BUFFER] = {"buffer", 24},
    [TV_PROFILE_STREAMING] = {"streaming", 26},
    [TV_PROFILE_PROFILEABLE] = {"profileable", 29},
    [TV_PROFILE_CLOCK_TYPE] = {"clock-type", 34},
    [TV_PROFILE_OUTPUT_VERSION] = {"output-version", 35},
};

bool tv_profile_knows(unsigned sdk, enum tv_profile_ability ability)
{
    return sdk >= tv_profile_abilities[ability].sdk;
}

/* The name by which people know an API level. Levels that are newer than this program follow from
 * the number, as all have since Android 13. */
void tv_profile_version(unsigned sdk, char name[TV_PROFILE_VERSION_CAP])
{
    static const struct {
        unsigned sdk;
        const char *name;
    } old[] = {{17, "4.2"}, {18, "4.3"}, {19, "4.4"}, {20, "4.4W"}, {21, "5"},   {22, "5.1"},
               {23, "6"},   {24, "7"},   {25, "7.1"}, {26, "8"},    {27, "8.1"}, {28, "9"},
               {29, "10"},  {30, "11"},  {31, "12"},  {32, "12L"}};
    for (size_t i = 0; i < TV_COUNT_OF(old); i++) {
        if (old[i].sdk == sdk) {
            (void)snprintf(name, TV_PROFILE_VERSION_CAP, "Android %s", old[i].name);
            return;
        }
    }
    if (sdk < OLDEST_SDK)
        (void)snprintf(name, TV_PROFILE_VERSION_CAP, "Android of API level %u", sdk);
    else /* since 13 there is one API level a version */
        (void)snprintf(name, TV_PROFILE_VERSION_CAP, "Android %u", sdk - 20);
}

/* Refuses what came with a later version of Android, and says what can be done instead. */
static enum tv_code lacks(unsigned sdk, unsigned since, const char *what, const char *instead,
                          struct tv_error *err)
{
    char has[TV_PROFILE_VERSION_CAP], needed[TV_PROFILE_VERSION_CAP];
    tv_profile_version(sdk, has);
    tv_profile_version(since, needed);
    return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET, "%s needs %s, the device has %s: %s",
                   what, needed, has, instead);
}

static enum tv_code need(unsigned sdk, enum tv_profile_ability ability, const char *what,
                         const char *instead, struct tv_error *err)
{
    return tv_profile_knows(sdk, ability)
               ? TV_OK
               : lacks(sdk, tv_profile_abilities[ability].sdk, what, instead, err);
}

/* Refuses wishes that change what is in the trace. */
static enum tv_code fit_trace(struct tv_profile_wish *wish, unsigned sdk, struct tv_error *err)
{
    const enum tv_profile_ability sampling =
        wish->is_launch ? TV_PROFILE_SAMPLED_LAUNCH : TV_PROFILE_SAMPLING;
    if (wish->sampling_us)
        TV_TRY(need(sdk, sampling, "--sampling",
                    "record every call, without it, or let the app call "
                    "Debug.startMethodTracingSampling",
                    err));
    if (wish->clock == TV_PROFILE_CLOCK_WALL || wish->clock == TV_PROFILE_CLOCK_THREAD_CPU)
        TV_TRY(need(sdk, TV_PROFILE_CLOCK_TYPE, "--clock-type",
                    "without it the trace has both clocks, and views show either", err));
    if (wish->output_version == 2)
        TV_TRY(need(sdk, TV_PROFILE_OUTPUT_VERSION, "--output-version 2",
                    "leave it out: version 1 has the same calls", err));
    if (wish->buffer_mib && wish->buffer_mib != TV_PROFILE_BUFFER_MIB && !wish->is_streamed)
        TV_TRY(need(sdk, TV_PROFILE_BUFFER, "--buffer",
                    tv_profile_knows(sdk, sampling)
                        ? "it has 8 MiB: record a shorter part, or give --sampling"
                        : "it has 8 MiB: record a shorter part",
                    err));
    return TV_OK;
}

/* Leaves out wishes that change nothing in the trace, after those that do were checked. */
enum tv_code tv_profile_fit(struct tv_profile_wish *wish, unsigned sdk,
                            void (*tell)(void *ctx, const char *left_out), void *ctx,
                            struct tv_error *err)
{
    if (sdk < OLDEST_SDK)
        return lacks(sdk, OLDEST_SDK, "recording", "it can only be recorded from a debugger", err);
    TV_TRY(fit_trace(wish, sdk, err));
    if (wish->is_streamed && !tv_profile_knows(sdk, TV_PROFILE_STREAMING)) {
        wish->is_streamed = false;
        tell(ctx, "--streaming needs Android 8, so it is left out: the trace stays in the "
                  "buffer until the end");
        TV_TRY(fit_trace(wish, sdk, err)); /* so the buffer matters after all */
    }
    if (wish->clock == TV_PROFILE_CLOCK_DUAL && !tv_profile_knows(sdk, TV_PROFILE_CLOCK_TYPE)) {
        wish->clock = TV_PROFILE_CLOCK_ANY;
        tell(ctx, "--clock-type needs Android 14, so it is left out: this version has no other "
                  "than dual");
    }
    if (wish->output_version == 1 && !tv_profile_knows(sdk, TV_PROFILE_OUTPUT_VERSION)) {
        wish->output_version = 0;
        tell(ctx, "--output-version needs Android 15, so it is left out: this version has no "
                  "other than 1");
    }
    if (wish->buffer_mib && (wish->is_streamed || !tv_profile_knows(sdk, TV_PROFILE_BUFFER))) {
        tell(ctx, wish->is_streamed
                      ? "--buffer is left out: with --streaming the file holds the trace"
                      : "--buffer is left out: this version always has 8 MiB");
        wish->buffer_mib = 0;
    }
    return TV_OK;
}

static enum tv_code add(struct tv_buffer *command, const char *text, struct tv_error *err)
{
    return tv_buffer_append(command, text, strlen(text), err);
}

static enum tv_code add_number(struct tv_buffer *command, const char *option, uint64_t number,
                               struct tv_error *err)
{
    char text[64];
    (void)snprintf(text, sizeof(text), " %s %llu", option, (unsigned long long)number);
    return add(command, text, err);
}

static enum tv_code add_word(struct tv_buffer *command, struct tv_str word, struct tv_error *err)
{
    TV_TRY(add(command, " ", err));
    return tv_adb_quote(command, word, err);
}

/* Only what is wished for becomes an option: each of them is one that some version of Android does
 * not know. */
static enum tv_code add_wish(struct tv_buffer *command, const struct tv_profile_wish *wish,
                             struct tv_error *err)
{
    static const char *const clocks[] = {"", " --clock-type dual", " --clock-type wall",
                                         " --clock-type thread-cpu"};
    if (wish->sampling_us)
        TV_TRY(add_number(command, "--sampling", wish->sampling_us, err));
    if (wish->is_streamed)
        TV_TRY(add(command, " --streaming", err));
    TV_TRY(add(command, clocks[wish->clock], err));
    if (wish->output_version)
        TV_TRY(add_number(command, "--profiler-output-version", wish->output_version, err));
    return TV_OK;
}

enum tv_code tv_profile_start(struct tv_buffer *command, const struct tv_profile_wish *wish,
                              struct tv_str process, struct tv_str file, struct tv_error *err)
{
    TV_TRY(add(command, "am profile start", err));
    TV_TRY(add_wish(command, wish, err));
    TV_TRY(add_word(command, process, err));
    return add_word(command, file, err);
}

enum tv_code tv_profile_stop(struct tv_buffer *command, struct tv_str process, struct tv_error *err)
{
    TV_TRY(add(command, "am profile stop", err));
    return add_word(command, process, err);
}

/* -S stops the app first, because its profile begins with its process. */
enum tv_code tv_profile_launch(struct tv_buffer *command, const struct tv_profile_wish *wish,
                               struct tv_str package, struct tv_str activity, struct tv_str file,
                               struct tv_error *err)
{
    char component[512];
    TV_TRY(add(command, "am start", err));
    if (file.len) {
        TV_TRY(add(command, " -S --start-profiler", err));
        TV_TRY(add_word(command, file, err));
        TV_TRY(add_wish(command, wish, err));
    }
    if (!activity.len) /* `am` makes the launcher's intent of a bare package */
        return add_word(command, package, err);
    int len = snprintf(component, sizeof(component), "%.*s/%.*s", (int)package.len, package.at,
                       (int)activity.len, activity.at);
    if (len < 0 || (size_t)len >= sizeof(component))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "the name of the activity is too long");
    TV_TRY(add(command, " -n", err));
    return add_word(command, (struct tv_str){component, (size_t)len}, err);
}

static bool says(struct tv_str text, struct tv_str part)
{
    return tv_str_find(text, part, TV_CASE_EXACT) != SIZE_MAX;
}

/* Texts of all versions from 4.2 on; `am` often exits with 0 when it failed. */
enum tv_profile_answer tv_profile_answer_of(struct tv_str text, int status)
{
    static const struct {
        struct tv_str part;
        enum tv_profile_answer answer;
    } parts[] = {
        {{"Unknown process", 15}, TV_PROFILE_NO_PROCESS},
        {{"Process disappeared", 19}, TV_PROFILE_NO_PROCESS},
        {{"Process not debuggable", 22}, TV_PROFILE_NOT_ALLOWED},
        {{"Unknown option", 14}, TV_PROFILE_NO_OPTION},
        {{"has no access to", 16}, TV_PROFILE_NO_FILE}, /* ... file context, write file context */
        {{"Unable to open file", 19}, TV_PROFILE_NO_FILE},
        {{"unable to resolve Intent", 24}, TV_PROFILE_NO_ACTIVITY},
        {{"does not exist", 14}, TV_PROFILE_NO_ACTIVITY},
    };
    for (size_t i = 0; i < TV_COUNT_OF(parts); i++) {
        if (says(text, parts[i].part))
            return parts[i].answer;
    }
    bool is_failure = status != 0 || says(text, TV_STR("Error:")) ||
                      says(text, TV_STR("Exception")) || says(text, TV_STR("PROFILE FAILED")) ||
                      says(text, TV_STR("not found"));
    return is_failure ? TV_PROFILE_OTHER_FAILURE : TV_PROFILE_DONE;
}

/* The line that says why: behind "Exception: " or "Error: ", else the first one. */
struct tv_str tv_profile_reason(struct tv_str text)
{
    struct tv_str line, first = {"", 0};
    while (tv_str_split(&text, '\n', &line)) {
        line = tv_str_trim(line);
        size_t at = tv_str_find(line, TV_STR("Exception: "), TV_CASE_EXACT);
        if (at != SIZE_MAX)
            return (struct tv_str){line.at + at + 11, line.len - at - 11};
        if (tv_str_starts_with(line, TV_STR("Error: ")))
            return (struct tv_str){line.at + 7, line.len - 7};
        if (!first.len && !tv_str_starts_with(line, TV_STR("Exception occurred")))
            first = line;
    }
    return first;
}

/* The word behind `key`, up to the next blank. */
static bool value_of(struct tv_str text, struct tv_str key, struct tv_str *value)
{
    size_t at = tv_str_find(text, key, TV_CASE_EXACT);
    if (at == SIZE_MAX)
        return false;
    struct tv_str rest = {text.at + at + key.len, text.len - at - key.len};
    size_t len = 0;
    while (len < rest.len && rest.at[len] != ' ' && rest.at[len] != '\n' && rest.at[len] != '\r')
        len++;
    *value = (struct tv_str){rest.at, len};
    return len && !tv_str_equal(*value, TV_STR("null"));
}

bool tv_profile_under_way(struct tv_str dump, struct tv_str *package, struct tv_str *file)
{
    *file = (struct tv_str){"", 0};
    if (!value_of(dump, TV_STR("mProfileApp="), package))
        return false;
    if (!value_of(dump, TV_STR("mProfileFile="), file))
        *file = (struct tv_str){"", 0};
    return true;
}

/* The ordinal of a heading; SIZE_MAX: none has it. */
static size_t column_of(struct tv_str heading, struct tv_str name)
{
    struct tv_str word;
    for (size_t i = 0; (word = tv_str_take_word(&heading)).len; i++) {
        if (tv_str_equal(word, name))
            return i;
    }
    return SIZE_MAX;
}

/* Takes number and name of the next process in the output of `ps`; false at its end. */
static bool take_process(struct tv_str *ps, size_t pid_at, struct tv_str *number, uint64_t *value,
                         struct tv_str *name)
{
    struct tv_str line, word;
    while (tv_str_split(ps, '\n', &line)) {
        *number = *name = (struct tv_str){"", 0};
        for (size_t i = 0; (word = tv_str_take_word(&line)).len; i++) {
            *number = i == pid_at ? word : *number;
            /* The name is the last word and has no blank. Its heading would not do: the lines of
             * the ps before Android 8 have a word more than its headings. */
            *name = word;
        }
        if (tv_str_to_u64(*number, 10, value))
            return true;
    }
    return false;
}

/* All processes of that name; `numbers` has as many of their numbers as fit whole. */
unsigned tv_profile_count_processes(struct tv_str ps, struct tv_str name,
                                    char numbers[TV_PROFILE_NUMBERS_CAP])
{
    struct tv_str heading, number, last;
    uint64_t value;
    unsigned count = 0;
    size_t len = 0;
    numbers[0] = '\0';
    if (!tv_str_split(&ps, '\n', &heading))
        return 0;
    const size_t pid_at = column_of(heading, TV_STR("PID"));
    while (take_process(&ps, pid_at, &number, &value, &last)) {
        if (!tv_str_equal(last, name))
            continue;
        const size_t left = TV_PROFILE_NUMBERS_CAP - len;
        const int more =
            snprintf(numbers + len, left, "%s%llu", count ? ", " : "", (unsigned long long)value);
        if (more > 0 && (size_t)more < left)
            len += (size_t)more;
        numbers[len] = '\0'; /* a number that has no room is not begun */
        count++;
    }
    return count;
}

static bool is_letter(char sign)
{
    return (sign >= 'a' && sign <= 'z') || (sign >= 'A' && sign <= 'Z');
}

/* Whether a word can stand in a shell command as the name of an app, "com.example.app" or, with one
 * of its processes, "com.example.app:remote". What is not refused here needs no quoting. */
bool tv_profile_is_package(struct tv_str word)
{
    struct tv_str process, part;
    size_t parts = 0;
    if (!tv_str_split(&word, ':', &process))
        return false;
    while (tv_str_split(&process, '.', &part)) {
        if (!part.len || !is_letter(part.at[0]))
            return false;
        for (size_t i = 0; i < part.len; i++) {
            if (!is_letter(part.at[i]) && !(part.at[i] >= '0' && part.at[i] <= '9') &&
                part.at[i] != '_')
                return false;
        }
        parts++;
    }
    for (size_t i = 0; i < word.len; i++) {
        if (word.at[i] == '/' || word.at[i] == ' ')
            return false;
    }
    return parts > 1;
}

/* "com.example:remote" is another process than "com.example", and does other work. */
bool tv_profile_find_process(struct tv_str ps, struct tv_str process, uint64_t *pid,
                             struct tv_str *name)
{
    struct tv_str heading, number;
    if (!tv_str_split(&ps, '\n', &heading))
        return false;
    const size_t pid_at = column_of(heading, TV_STR("PID"));
    while (take_process(&ps, pid_at, &number, pid, name)) {
        if (tv_str_equal(*name, process) || tv_str_equal(number, process))
            return true;
    }
    return false;
}

/* The name is shown in a command, so it is one that can stand in it. */
bool tv_profile_find_other_process(struct tv_str ps, struct tv_str package, struct tv_str *name)
{
    struct tv_str heading, number;
    uint64_t pid;
    if (!tv_str_split(&ps, '\n', &heading))
        return false;
    const size_t pid_at = column_of(heading, TV_STR("PID"));
    while (take_process(&ps, pid_at, &number, &pid, name)) {
        if (tv_str_starts_with(*name, package) && name->len > package.len &&
            name->at[package.len] == ':' && tv_profile_is_package(*name))
            return true;
    }
    return false;
}

/* A quarter more than the rate says, as the next power of two from the usual size on; 0: that is
 * more than Android has. */
unsigned tv_profile_buffer_for(uint64_t bytes_per_s, uint64_t duration_ns)
{
    double bytes = 1.25 * (double)bytes_per_s * (double)duration_ns / (double)TV_NS_PER_S;
    unsigned mib = TV_PROFILE_BUFFER_MIB;
    while (mib <= MOST_ADVISED_MIB && (double)mib * (double)BYTES_PER_MIB < bytes)
        mib *= 2;
    return mib <= MOST_ADVISED_MIB ? mib : 0;
}
