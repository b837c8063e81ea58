/*
 * The output of a shell of version 1, Android 6 and older: one stream for both outputs, through a
 * terminal that makes "\r\n" of "\n", and without an exit status. The command is followed by one
 * that prints the status, whose line is taken off the end here.
 */
#ifndef TV_ADB_PLAIN_SHELL_H
#define TV_ADB_PLAIN_SHELL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/sink.h"
#include "base/str.h"

/* What follows the command. */
#define TV_ADB_PLAIN_STATUS "tv-status:"
#define TV_ADB_PLAIN_SUFFIX "; echo " TV_ADB_PLAIN_STATUS "$?"

struct tv_adb_plain {
    struct tv_sink sink; /* without a write function: dropped */
    bool has_return;     /* a "\r" came, and what follows it did not yet */
    size_t held_len;     /* bytes that may be part of the last line */
    char held[32];
};

/* Takes a piece of the stream. */
enum tv_code tv_adb_plain_push(struct tv_adb_plain *plain, struct tv_str bytes,
                               struct tv_error *err) TV_MUST_CHECK;
/* The stream has ended. *status is -1 where it ended before the command did. */
enum tv_code tv_adb_plain_end(struct tv_adb_plain *plain, int *status,
                              struct tv_error *err) TV_MUST_CHECK;

#endif
