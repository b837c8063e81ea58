/*
 * The desk: one thread without a wall (os/sandbox/wall.h) that has this program run again for what
 * the viewer's own threads may not do: ask devices, and record. It never reads what a device or a
 * program says; it passes on what its helper (os/process/helper.h), the same program, made of that:
 * one JSON object, or a line of text.
 *
 * Any thread may ask; the answer comes within the desk's patience. There is one recording at a
 * time.
 */
#ifndef TV_SERVER_DESK_H
#define TV_SERVER_DESK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "os/file/paths.h"

struct tv_desk;

/* The words of a helper: those behind the program's name, which end with NULL. */
#define TV_DESK_WORDS 16u
#define TV_DESK_WORD_CAP 1024u
struct tv_desk_words {
    size_t count;
    char of[TV_DESK_WORDS][TV_DESK_WORD_CAP];
};

/* Adds a word; one that is too long is cut, and one that is too many is left out. */
void tv_desk_add(struct tv_desk_words *words, const char *format, ...) TV_PRINTF(2, 3);

/* Where `ctx` is told of a trace that was recorded, by its path. */
struct tv_desk_reader {
    void (*recorded)(void *ctx, const char *path);
    void *ctx;
};

enum tv_code tv_desk_new(struct tv_desk **desk, const struct tv_alloc *alloc,
                         const struct tv_desk_reader *reader, struct tv_error *err) TV_MUST_CHECK;
/* Ends a recording as tv_desk_stop does, without waiting for it, and the thread; NULL is fine. */
void tv_desk_free(struct tv_desk *desk);

/* Runs a helper to its end and appends the JSON object that it writes. The error is the helper's
 * own line. Waits for the question that is under way; TV_ERR_CONFLICT where others wait already. */
enum tv_code tv_desk_ask(struct tv_desk *desk, const struct tv_desk_words *words,
                         struct tv_buffer *answer, struct tv_error *err) TV_MUST_CHECK;

/* Starts a recording whose trace is to be the file of that path. TV_ERR_CONFLICT: one is under
 * way. */
enum tv_code tv_desk_record(struct tv_desk *desk, const struct tv_desk_words *words,
                            const char *path, struct tv_error *err) TV_MUST_CHECK;
/* Asks the recording that is under way to end, as Ctrl-C does. */
void tv_desk_stop(struct tv_desk *desk);

enum tv_desk_phase {
    TV_DESK_IDLE,    /* nothing was recorded yet */
    TV_DESK_RUNNING, /* until the trace is here */
    TV_DESK_DONE,
    TV_DESK_FAILED,
};

#define TV_DESK_LINE_CAP 2048u
struct tv_desk_view {
    enum tv_desk_phase phase;
    uint64_t elapsed_ns;             /* since the recording was asked for */
    bool is_stopped;                 /* it was asked to end */
    char progress[TV_DESK_LINE_CAP]; /* the last JSON object that the helper said, or "" */
    char text[TV_DESK_LINE_CAP];     /* the last line that it had for people, or "" */
    char path[TV_PATH_CAP];          /* of the trace; "" where no file is there */
};
void tv_desk_look(struct tv_desk *desk, struct tv_desk_view *view);

#endif
