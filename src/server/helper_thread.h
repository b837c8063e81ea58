/*
 * The helper thread: one thread without a Landlock domain (os/sandbox/landlock.h) that has this
 * program run again for what the viewer's own threads may not do: ask devices, and record. It never
 * reads what a device or a program says; it passes on what its helper
 * (os/process/helper_process.h), the same program, made of that: one JSON object, or a line of
 * text.
 *
 * Any thread may ask; the answer comes within the helper thread's patience. There is one recording
 * at a time.
 */
#ifndef TV_SERVER_HELPER_THREAD_H
#define TV_SERVER_HELPER_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "os/file/paths.h"

struct tv_helper_thread;

/* The words of a helper: those behind the program's name, which end with NULL. */
#define TV_HELPER_THREAD_WORDS 16u
#define TV_HELPER_THREAD_WORD_CAP 1024u
struct tv_helper_thread_words {
    size_t count;
    char of[TV_HELPER_THREAD_WORDS][TV_HELPER_THREAD_WORD_CAP];
};

/* Adds a word; one that is too long is cut, and one that is too many is left out. */
void tv_helper_thread_add(struct tv_helper_thread_words *words, const char *format, ...)
    TV_PRINTF(2, 3);

/* Receives the path of each recorded trace. */
struct tv_helper_thread_reader {
    void (*recorded)(void *ctx, const char *path);
    void *ctx;
};

enum tv_code tv_helper_thread_new(struct tv_helper_thread **helpers, const struct tv_alloc *alloc,
                                  const struct tv_helper_thread_reader *reader,
                                  struct tv_error *err) TV_MUST_CHECK;
/* Ends a recording as tv_helper_thread_stop does, without waiting for it, and the thread; NULL is
 * fine. */
void tv_helper_thread_free(struct tv_helper_thread *helpers);

/* Runs a helper to its end and appends the JSON object that it writes. The error is the helper's
 * own line. Waits for the question that is under way; TV_ERR_CONFLICT where others wait already. */
enum tv_code tv_helper_thread_ask(struct tv_helper_thread *helpers,
                                  const struct tv_helper_thread_words *words,
                                  struct tv_buffer *answer, struct tv_error *err) TV_MUST_CHECK;

/* Starts a recording whose trace is to be the file of that path. TV_ERR_CONFLICT: one is under
 * way. */
enum tv_code tv_helper_thread_record(struct tv_helper_thread *helpers,
                                     const struct tv_helper_thread_words *words, const char *path,
                                     struct tv_error *err) TV_MUST_CHECK;
/* Asks the recording that is under way to end, as Ctrl-C does. */
void tv_helper_thread_stop(struct tv_helper_thread *helpers);

enum tv_helper_thread_phase {
    TV_HELPER_THREAD_IDLE,    /* nothing was recorded yet */
    TV_HELPER_THREAD_RUNNING, /* until the trace is here */
    TV_HELPER_THREAD_DONE,
    TV_HELPER_THREAD_FAILED,
};

#define TV_HELPER_THREAD_LINE_CAP 2048u
struct tv_helper_thread_view {
    enum tv_helper_thread_phase phase;
    uint64_t elapsed_ns;                      /* since the recording was started */
    bool is_stopped;                          /* it was told to end */
    char progress[TV_HELPER_THREAD_LINE_CAP]; /* the last JSON object that the helper said, or "" */
    char text[TV_HELPER_THREAD_LINE_CAP];     /* the last line that it had for people, or "" */
    char path[TV_PATH_CAP];                   /* of the trace; "" where no file is there */
};
void tv_helper_thread_look(struct tv_helper_thread *helpers, struct tv_helper_thread_view *view);

#endif
