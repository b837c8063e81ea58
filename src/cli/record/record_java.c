/*
 * Recording Java programs: the agent's options as text, the words that load it, and attaching to a
 * process that runs; see cli/record/record_java.h. The agent is told to stop by loading it once
 * more, with the option "stop".
 *
 * While a recording of an attached process runs, the signals that end it are blocked and waited
 * for, so that the agent is always told to stop before this program ends.
 */
#include "cli/record/record_java.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory/buffer.h"
#include "jvm/reply.h"
#include "os/clock.h"
#include "os/file/paths.h"

#define OPTIONS_CAP 4096u /* more than a virtual machine takes */
#define LOOK_NS 50000000
#define TELL_NS UINT64_C(200000000)

/* A text of at most OPTIONS_CAP bytes; `is_cut`: it did not fit. */
struct options_text {
    char *at;
    size_t len;
    bool is_cut;
};

/* After a text that did not fit, nothing is added: half an option would mean something else. */
static void put(struct options_text *text, const char *name, const char *value)
{
    int len = snprintf(text->at + text->len, OPTIONS_CAP - text->len, "%s%s%s",
                       text->len ? "," : "", name, value);
    text->is_cut |= len < 0 || (size_t)len >= OPTIONS_CAP - text->len;
    if (!text->is_cut)
        text->len += (size_t)len;
}

static void put_number(struct options_text *text, const char *name, uint64_t value,
                       const char *unit)
{
    char digits[32];
    (void)snprintf(digits, sizeof(digits), "%llu%s", (unsigned long long)value, unit);
    if (value)
        put(text, name, digits);
}

/* The whole path, with a backslash before each character that has a meaning in the agent's options.
 * The path is whole since the process may be in another folder. */
static bool escape_path(char to[OPTIONS_CAP], const char *path)
{
    char whole[TV_PATH_CAP];
    size_t len = 0;
    if (!tv_path_from_root(whole, path))
        return false;
    for (const char *at = whole; *at; at++) {
        if (len + 3 > OPTIONS_CAP)
            return false;
        if (*at == ',' || *at == '\\')
            to[len++] = '\\';
        to[len++] = *at;
    }
    to[len] = '\0';
    return true;
}

/* The agent gets its options as one text, separated by commas; commas in a path are escaped. */
enum tv_code tv_record_java_options(struct tv_arena *arena, const struct tv_record_java *java,
                                    const char **text, struct tv_error *err)
{
    char path[OPTIONS_CAP], marker[OPTIONS_CAP];
    struct options_text made = {.len = 0};
    TV_TRY(tv_arena_take(arena, OPTIONS_CAP, &made.at, err));
    made.is_cut = !escape_path(path, java->stream);
    put(&made, java->is_for_each ? "each=" : "stream=", made.is_cut ? "" : path);
    /* With a file for each process, the marker is the beginning that the names of the files share.
     */
    const char *awaited = java->is_for_each ? java->stream : java->awaited;
    if (awaited && escape_path(marker, awaited))
        put(&made, "while=", marker);
    if (java->clock)
        put(&made, "clock=", java->clock);
    if (java->mode)
        put(&made, "mode=", java->mode);
    if (java->classes)
        put(&made, "only=", java->classes);
    if (java->has_boot)
        put(&made, "boot=", "yes");
    if (java->skips_trivial)
        put(&made, "trivial=", "skip");
    if (java->has_allocations)
        put(&made, "alloc=", "yes");
    if (java->has_lines)
        put(&made, "lines=", "yes");
    if (java->has_waits)
        put(&made, "waits=", "yes");
    if (java->has_machine)
        put(&made, "machine=", "yes");
    put_number(&made, "buffer=", java->buffer, "");
    put_number(&made, "most=", java->max_size, "");
    put_number(&made, "ring=", java->ring, "");
    put_number(&made, "slower=", (java->slow_ns + 999) / 1000, "us");
    if (java->slow_method)
        put(&made, "slow-method=", java->slow_method);
    put_number(&made, "depth=", java->depth, "");
    put_number(&made, "sample=", (java->sample_ns + 999) / 1000, "us");
    *text = made.at;
    if (made.is_cut)
        return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
                       "the options for a virtual machine are too long");
    return TV_OK;
}

/* The option goes directly behind the program: behind its class name it would be an argument of the
 * program. */
enum tv_code tv_record_java_words(struct tv_arena *arena, const struct tv_record_java *java,
                                  enum tv_java_launcher launcher, const char *const *words,
                                  const char *const **made, struct tv_error *err)
{
    static const char prefix[] = "-agentpath:";
    const char *options;
    const char **list;
    char *word;
    size_t count = 0;
    TV_TRY(tv_record_java_options(arena, java, &options, err));
    while (words[count])
        count++;
    size_t cap = sizeof(prefix) + strlen(java->library) + strlen(options) + 4;
    TV_TRY(tv_arena_take(arena, cap, &word, err));
    TV_TRY(tv_arena_take(arena, (count + 2) * sizeof(*list), &list, err));
    (void)snprintf(word, cap, "%s%s%s=%s", launcher == TV_JAVA_TOOL ? "-J" : "", prefix,
                   java->library, options);
    list[0] = words[0];
    list[1] = word;
    memcpy(list + 2, words + 1, count * sizeof(*list)); /* and the NULL at the end */
    *made = list;
    return TV_OK;
}

/* Numbers of replies are shared with the agent (jvm/reply.h), so one that is unknown comes from
 * another version of it. */
static const char *text_of(int reply)
{
    static const struct {
        int reply;
        const char *text;
    } replies[] = {
#define X(name, value, text) {value, text},
        TV_JVM_REPLIES(X)
#undef X
    };
    for (size_t i = 0; i < TV_COUNT_OF(replies); i++) {
        if (replies[i].reply == reply)
            return replies[i].text;
    }
    return "its agent is of another version";
}

/* The agent is loaded by the virtual machine itself; whatever it answers comes as a number. */
static enum tv_code ask_agent(const struct tv_record_java *java, pid_t pid, const char *options,
                              struct tv_error *err)
{
    int reply = TV_JVM_REPLY_DONE;
    TV_TRY(tv_java_load_agent(pid, java->library, options, &reply, err));
    if (reply == TV_JVM_REPLY_DONE)
        return TV_OK;
    return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET, "process %d: %s", (int)pid,
                   text_of(reply));
}

enum tv_code tv_record_java_stop(const struct tv_record_java *java, pid_t pid, struct tv_error *err)
{
    return ask_agent(java, pid, "stop", err);
}

static bool is_there(pid_t pid)
{
    return kill(pid, 0) == 0 || errno != ESRCH;
}

/* Waits until the recording is to end: after the duration, by a signal, when `tell` says so, or
 * with the process. */
static void wait_for_end(const struct tv_record_java *java, pid_t pid, uint64_t duration_ns,
                         const sigset_t *interrupts)
{
    const struct timespec look = {.tv_nsec = LOOK_NS};
    const uint64_t begin_ns = tv_now_ns();
    uint64_t passed_ns = 0, told_ns = 0;
    while (is_there(pid) && (!duration_ns || passed_ns < duration_ns)) {
        if (passed_ns - told_ns >= TELL_NS) {
            if (!java->tell(java->ctx, "recording", passed_ns))
                return;
            told_ns = passed_ns;
        }
        const int number = sigtimedwait(interrupts, NULL, &look);
        if (number == SIGUSR2)
            java->requested(java->ctx, pid);
        else if (number >= 0)
            return;
        passed_ns = tv_passed_ns(begin_ns, tv_now_ns());
    }
}

/* Loads the agent into the process, waits, and stops it. A process that ended meanwhile is no
 * failure: its end has written the trace. */
enum tv_code tv_record_java_attach(struct tv_arena *arena, const struct tv_record_java *java,
                                   const char *program, uint64_t duration_ns, struct tv_error *err)
{
    const char *options;
    sigset_t interrupts, before;
    pid_t pid = 0;
    TV_TRY(tv_java_find(program, &pid, err));
    TV_TRY(tv_record_java_options(arena, java, &options, err));
    sigemptyset(&interrupts);
    sigaddset(&interrupts, SIGINT);
    sigaddset(&interrupts, SIGTERM);
    sigaddset(&interrupts, SIGHUP);
    if (java->requested)
        sigaddset(&interrupts, SIGUSR2);
    sigprocmask(SIG_BLOCK, &interrupts, &before);
    (void)java->tell(java->ctx, "starting", 0);
    enum tv_code code = ask_agent(java, pid, options, err);
    if (code == TV_OK) {
        wait_for_end(java, pid, duration_ns, &interrupts);
        (void)java->tell(java->ctx, "writing", 0);
        code = tv_record_java_stop(java, pid, err);
        if (code != TV_OK && !is_there(pid))
            code = TV_OK; /* its end has written the trace */
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return code;
}
