/*
 * Pauses at safepoints; see jvm/safepoints.h.
 *
 * Commands of `jcmd` are obeyed by a function of the interface by which Java's own management
 * classes ask HotSpot (JmmInterface in its source). Where the function stands depends on the
 * interface's version; of a version that is not known here nothing is called.
 *
 * What was read of the log is given back to the system, so that it does not grow in memory. The
 * log is written when a pause has ended, and its times are CLOCK_MONOTONIC, so a pause is recorded
 * afterwards, at the time at which it was.
 */
#include "jvm/safepoints.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/units.h"
#include "jvm/agent.h"
#include "jvm/safepoint_line.h"
#include "record/recorder.h"
#include "record/sampling.h"
#include "record/ticks.h"

#define LINE_CAP 512u
#define COMMAND_CAP 160u
#define PAGE 4096u
#define REASONS_MOST 64u /* methods; pauses of further reasons have no callee */

/* The places of ExecuteDiagnosticCommand in HotSpot's JmmInterface. Java 17 has version
 * 3, Java 25 has version 4. */
static const struct {
    jint version;
    size_t place;
} interfaces[] = {{0x20040000, 39}, {0x20030000, 38}};
typedef jstring(JNICALL *execute)(JNIEnv *jni, jstring command);

static struct {
    int file; /* of the log; -1: there is none */
    off_t read_off, kept_off;
    char line[LINE_CAP]; /* what was read of a line that has not ended */
    size_t line_len;
    bool is_cut; /* the line is longer, and left out */
    struct tv_watched *row;
    uint32_t pause, reaching; /* methods */
    uint64_t last_ns;         /* until when pauses are recorded */
    struct {
        char reason[TV_SAFEPOINT_REASON_CAP];
        uint32_t method;
    } reasons[REASONS_MOST];
    unsigned reason_count;
} pauses = {.file = -1};

/* NULL: this virtual machine has none that is known. */
static execute find_execute(void)
{
    void **(JNICALL * get)(jint version) = NULL;
    execute function = NULL;
    void *found = tv_jvm_symbol("JVM_GetManagement");
    memcpy(&get, &found, sizeof(get));
    for (size_t i = 0; get && !function && i < TV_COUNT_OF(interfaces); i++) {
        void **functions = get(interfaces[i].version); /* NULL: it has another version */
        if (functions)
            memcpy(&function, &functions[interfaces[i].place], sizeof(function));
    }
    return function;
}

/* Has the virtual machine obey a command; false where it refuses it. */
static bool obey(JNIEnv *jni, execute function, const char *text)
{
    jstring command = (*jni)->NewStringUTF(jni, text);
    jstring answer = command ? function(jni, command) : NULL;
    const bool is_refused = tv_jvm_clear(jni);
    /* It answers with nothing, or tells what was wrong. */
    const bool is_fine = !is_refused && answer && (*jni)->GetStringLength(jni, answer) == 0;
    (*jni)->DeleteLocalRef(jni, answer);
    (*jni)->DeleteLocalRef(jni, command);
    return is_fine;
}

static bool turn(JNIEnv *jni, const char *what)
{
    const execute function = find_execute();
    char command[COMMAND_CAP];
    (void)snprintf(command, sizeof(command),
                   "VM.log output=file=/proc/self/fd/%d what=%s decorators=timenanos "
                   "output_options=filecount=0",
                   pauses.file, what);
    return function && obey(jni, function, command);
}

static uint32_t method_of(const char *class_name, const char *name)
{
    return tv_recorder_method(
        &(struct tv_method_text){.class_name = class_name, .name = name, .signature = "()V"});
}

void tv_jvm_safepoints_begin(JNIEnv *jni)
{
    pauses.read_off = pauses.kept_off = 0;
    pauses.line_len = pauses.reason_count = 0;
    pauses.is_cut = false;
    pauses.row = NULL;
    pauses.last_ns = tv_ticks_monotonic_ns();
    pauses.pause = method_of("JVM", "safepoint");
    pauses.reaching = method_of("JVM", "reachingSafepoint");
    pauses.file = memfd_create("safepoints", MFD_CLOEXEC);
    if (pauses.file >= 0 && pauses.pause && pauses.reaching && turn(jni, "safepoint=info"))
        return;
    if (pauses.file >= 0)
        (void)close(pauses.file);
    pauses.file = -1;
    tv_jvm_say("this virtual machine does not log safepoints as Java 14 and later do: pauses that "
               "are no collections have no calls");
}

/* The method of an operation; 0: there are too many. */
static uint32_t method_of_reason(const char *reason)
{
    for (unsigned i = 0; i < pauses.reason_count; i++) {
        if (strcmp(pauses.reasons[i].reason, reason) == 0)
            return pauses.reasons[i].method;
    }
    if (pauses.reason_count == REASONS_MOST)
        return 0;
    (void)snprintf(pauses.reasons[pauses.reason_count].reason, TV_SAFEPOINT_REASON_CAP, "%s",
                   reason);
    return pauses.reasons[pauses.reason_count++].method = method_of("JVM.safepoint", reason);
}

/* The row has these calls from a moment on; 0: none. */
static void see(uint32_t outer, uint32_t inner, uint64_t at_ns)
{
    static struct tv_stack_view view;
    const uint64_t now_ns = tv_ticks_monotonic_ns();
    view.depth = !outer ? 0 : inner ? 2 : 1;
    view.methods[0] = outer;
    view.methods[1] = inner;
    tv_recorder_saw(pauses.row, &view, 0, now_ns > at_ns ? now_ns - at_ns : 0);
}

/* A pause that began before the recording, or before the one before it ended, begins then. */
static void record(const struct tv_safepoint *pause)
{
    const uint64_t begin_ns = pause->begin_ns > pauses.last_ns ? pause->begin_ns : pauses.last_ns;
    if (pause->end_ns <= begin_ns)
        return;
    if (!pauses.row)
        pauses.row = tv_recorder_watch("Safepoints");
    if (!pauses.row)
        return;
    if (pause->reached_ns > begin_ns)
        see(pauses.pause, pauses.reaching, begin_ns);
    see(pauses.pause, method_of_reason(pause->reason),
        pause->reached_ns > begin_ns ? pause->reached_ns : begin_ns);
    see(0, 0, pause->end_ns);
    pauses.last_ns = pause->end_ns;
}

static void end_line(void)
{
    struct tv_safepoint pause;
    pauses.line[pauses.line_len] = '\0';
    if (!pauses.is_cut && tv_safepoint_read(pauses.line, &pause))
        record(&pause);
    pauses.line_len = 0;
    pauses.is_cut = false;
}

static void take(const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] == '\n')
            end_line();
        else if (pauses.line_len < LINE_CAP - 1)
            pauses.line[pauses.line_len++] = bytes[i];
        else
            pauses.is_cut = true;
    }
}

void tv_jvm_safepoints_look(void)
{
    char bytes[PAGE];
    ssize_t len;
    if (pauses.file < 0)
        return;
    while ((len = pread(pauses.file, bytes, sizeof(bytes), pauses.read_off)) > 0) {
        take(bytes, (size_t)len);
        pauses.read_off += len;
    }
    const off_t whole = pauses.read_off - pauses.read_off % (off_t)PAGE;
    if (whole > pauses.kept_off &&
        fallocate(pauses.file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, pauses.kept_off,
                  whole - pauses.kept_off) == 0)
        pauses.kept_off = whole;
}

void tv_jvm_safepoints_end(JNIEnv *jni)
{
    if (pauses.file < 0)
        return;
    if (jni)
        (void)turn(jni, "safepoint=off");
    tv_jvm_safepoints_look();
    (void)close(pauses.file);
    pauses.file = -1;
}
