/*
 * Method tracing by the device's `am`: which options which Android knows, the commands, and what
 * their answers mean. Pure: texts in, texts out; adb.h carries them.
 *
 * `am profile start` has no option for the size of the buffer; from Android 7 on the process reads
 * it from the property debug.traceview-buffer-size-mb when tracing starts. Sources: the help and
 * the code of ActivityManagerShellCommand, Am and ActivityThread of the versions.
 */
#ifndef TV_ADB_PROFILE_H
#define TV_ADB_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/str.h"

enum tv_profile_clock {
    TV_PROFILE_CLOCK_ANY, /* not asked for: Android's own choice, which is dual */
    TV_PROFILE_CLOCK_DUAL,
    TV_PROFILE_CLOCK_WALL,
    TV_PROFILE_CLOCK_THREAD_CPU,
};

/* How a recording is to be; all zero is Android's own choice. */
struct tv_profile_wish {
    uint64_t sampling_us; /* 0: every call is recorded */
    bool is_streamed;     /* into the file while it runs, instead of a buffer in memory */
    enum tv_profile_clock clock;
    unsigned output_version; /* of the file's format: 1 or 2; 0: not asked for */
    unsigned buffer_mib;     /* 0: not asked for */
    bool is_launch;          /* by `am start`, from the process's first moment on */
};

/* What recordings have without --buffer, in MiB. */
#define TV_PROFILE_BUFFER_MIB 8u
/* The most that Android has: the process makes bytes of the MiB in a Java int, in which 2048 are
 * negative, so that nothing is recorded, and 4096 are 0, for which it takes the usual size. */
#define TV_PROFILE_BUFFER_MOST_MIB 2047u
#define TV_PROFILE_BUFFER_PROPERTY "debug.traceview-buffer-size-mb"

/* "Android 14", of an API level. */
#define TV_PROFILE_VERSION_CAP 40u
void tv_profile_version(unsigned sdk, char name[TV_PROFILE_VERSION_CAP]);

/* What came with a later Android than recording itself, each with the API level that brought it. */
enum tv_profile_ability {
    TV_PROFILE_SAMPLING,
    TV_PROFILE_SAMPLED_LAUNCH, /* --sampling with --app-startup */
    TV_PROFILE_BUFFER,         /* other than TV_PROFILE_BUFFER_MIB */
    TV_PROFILE_STREAMING,
    TV_PROFILE_PROFILEABLE, /* apps that are not debuggable */
    TV_PROFILE_CLOCK_TYPE,
    TV_PROFILE_OUTPUT_VERSION,
    TV_PROFILE_ABILITY_COUNT
};
struct tv_profile_since {
    const char *name; /* in answers: "sampling" */
    unsigned sdk;
};
extern const struct tv_profile_since tv_profile_abilities[TV_PROFILE_ABILITY_COUNT];
/* Whether an Android of this API level has it. */
bool tv_profile_knows(unsigned sdk, enum tv_profile_ability ability);

/*
 * Makes of a wish what this Android can do. What it lacks and what makes no difference to the trace
 * is left out, and told, one line each, without a full stop. TV_ERR_UNSUPPORTED is what it lacks
 * and what was wanted of the trace itself; the error says what to do.
 */
enum tv_code tv_profile_fit(struct tv_profile_wish *wish, unsigned sdk,
                            void (*tell)(void *ctx, const char *left_out), void *ctx,
                            struct tv_error *err) TV_MUST_CHECK;

/* Commands; each appends a line for the device's sh. Processes are numbers or names. */
enum tv_code tv_profile_start(struct tv_buffer *command, const struct tv_profile_wish *wish,
                              struct tv_str process, struct tv_str file,
                              struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_profile_stop(struct tv_buffer *command, struct tv_str process,
                             struct tv_error *err) TV_MUST_CHECK;
/* Starts an activity: `activity` is its class, or empty for the one that a launcher starts. Where
 * `file` is not empty the process is recorded from its beginning, after one that runs was ended. */
enum tv_code tv_profile_launch(struct tv_buffer *command, const struct tv_profile_wish *wish,
                               struct tv_str package, struct tv_str activity, struct tv_str file,
                               struct tv_error *err) TV_MUST_CHECK;

/* What `am` answers. Before Android 8 its status says nothing, so the text is what counts. */
enum tv_profile_answer {
    TV_PROFILE_DONE,
    TV_PROFILE_NO_PROCESS,    /* it is not, or no longer, there */
    TV_PROFILE_NOT_ALLOWED,   /* the app is neither debuggable nor profileable */
    TV_PROFILE_NO_FILE,       /* the file may not be written there: SELinux, or permissions */
    TV_PROFILE_NO_OPTION,     /* an option that this `am` does not know after all */
    TV_PROFILE_NO_ACTIVITY,   /* the app, or the activity, is not there */
    TV_PROFILE_OTHER_FAILURE, /* tv_profile_reason has it */
};
enum tv_profile_answer tv_profile_answer_of(struct tv_str text, int status);
/* The line of an answer that says why; a view into it, without what stands around it. */
struct tv_str tv_profile_reason(struct tv_str text);

/* Of `dumpsys activity processes`: which recording of `am` is under way. False: none. */
bool tv_profile_under_way(struct tv_str dump, struct tv_str *package, struct tv_str *file);

/* Of `ps`, with any columns among which are PID and NAME, or of the `ps` before Android 8: the
 * number of the process of exactly this name, or with this number, and its name. False: there is
 * none, whatever other processes its app has. */
bool tv_profile_find_process(struct tv_str ps, struct tv_str process, uint64_t *pid,
                             struct tv_str *name);
/* Of the same: the name of another process of a package, "com.example:web". False: none runs. */
bool tv_profile_find_other_process(struct tv_str ps, struct tv_str package, struct tv_str *name);

/* Of the same: how many processes have exactly this name, one for each user or profile of the
 * device. Writes the numbers of the first ones, "4711, 4999". */
#define TV_PROFILE_NUMBERS_CAP 80u
unsigned tv_profile_count_processes(struct tv_str ps, struct tv_str name,
                                    char numbers[TV_PROFILE_NUMBERS_CAP]);

/* Whether a word can be an Android package or one of its processes, "com.example.app:web". */
bool tv_profile_is_package(struct tv_str word);

/* The MiB that hold a recording of this length, with a quarter to spare: a power of two, at least
 * what Android has by itself. 0: no buffer of Android holds it. */
unsigned tv_profile_buffer_for(uint64_t bytes_per_s, uint64_t duration_ns);

#endif
