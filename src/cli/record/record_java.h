/* Recording Java programs: the agent's options, how it gets into a program, and one that runs. */
#ifndef TV_CLI_RECORD_RECORD_JAVA_H
#define TV_CLI_RECORD_RECORD_JAVA_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/memory/arena.h"
#include "os/java/java.h"

struct tv_record_java {
    const char *library; /* of the agent */
    const char *stream;  /* file that it writes */
    const char *awaited; /* a file with a lock, while its recording is waited for; or NULL */
    const char *clock;   /* each of these NULL, or 0: the agent's own choice */
    const char *mode;
    const char *classes;
    uint64_t slow_ns;
    const char *slow_method;
    uint64_t buffer, depth, max_size, ring;
    uint64_t sample_ns;
    bool has_boot, has_machine, has_waits, has_allocations, has_lines, skips_trivial;
    bool is_for_each; /* `stream` is what the file's name begins with: behind it goes the process */
    /* Called with a phase and how long the recording has lasted: "starting", "recording",
     * "writing". False ends the recording. */
    bool (*tell)(void *ctx, const char *phase, uint64_t passed_ns);
    /* Called when SIGUSR2 comes meanwhile; NULL: it is not waited for. */
    void (*requested)(void *ctx, pid_t pid);
    void *ctx;
};

/* The agent's options; they last as long as the arena. */
enum tv_code tv_record_java_options(struct tv_arena *arena, const struct tv_record_java *java,
                                    const char **text, struct tv_error *err) TV_MUST_CHECK;

/* The words that start a program with the agent. */
enum tv_code tv_record_java_words(struct tv_arena *arena, const struct tv_record_java *java,
                                  enum tv_java_launcher launcher, const char *const *words,
                                  const char *const **made, struct tv_error *err) TV_MUST_CHECK;

/* Starts recording a program that runs, and returns when it has ended, when its time is over, or
 * after Ctrl-C. Without a duration, 0, its time is never over. */
enum tv_code tv_record_java_attach(struct tv_arena *arena, const struct tv_record_java *java,
                                   const char *program, uint64_t duration_ns,
                                   struct tv_error *err) TV_MUST_CHECK;

/* Ends a recording under way. */
enum tv_code tv_record_java_stop(const struct tv_record_java *java, pid_t pid,
                                 struct tv_error *err) TV_MUST_CHECK;

#endif
