/*
 * The file of a recording. The program that is recorded may close all descriptors, and open files
 * of its own under their numbers; so each write looks first whether the descriptor is still the
 * file. Callers hold the lock of cold.h, so no signal comes in between.
 */
#ifndef TV_RECORD_OUTPUT_H
#define TV_RECORD_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define TV_OUTPUT_CAP ((size_t)64 * 1024)

struct tv_output {
    int descriptor;
    int error; /* errno of what failed first; 0: nothing has */
    dev_t device;
    ino_t inode;
    uint64_t written;    /* bytes that are in the file */
    uint64_t whole;      /* of them, those up to the last tv_output_flush */
    size_t len;          /* bytes that wait */
    uint64_t *counted;   /* not NULL: what is put is only counted here */
    char path[PATH_MAX]; /* absolute where that can be told */
    uint8_t bytes[TV_OUTPUT_CAP];
};

/* Whether `traceview record` still waits for what is recorded: it holds a lock on a file, a marker,
 * and removes it in the end. NULL: nobody asked to look, so it does. */
bool tv_output_is_awaited(const char *marker);

/* Whether `traceview record` still waits, asked while recording: false only if the marker exists
 * and nobody holds its lock, as after `traceview record` was killed. A program may see other files
 * by now than at its begin. */
bool tv_output_is_awaited_yet(const char *marker);

/* Makes an empty file of the calling process alone, and gives its path: that of its number behind
 * PARTS, "PARTS.42", or where that is there the first free of "PARTS.42-1" and so on: a process may
 * be several programs one after another, and processes of several PID namespaces have the same
 * numbers. Returns 0 or errno. */
int tv_output_make_own(char path[PATH_MAX], const char *parts);
/* Opens the file, made empty. Returns 0 or errno; EACCES, too, for what a stranger has put there in
 * a folder like /tmp. */
int tv_output_open(struct tv_output *output, const char *path);
/* Puts bytes behind those that wait. The first failure sticks, in output->error. */
void tv_output_put(struct tv_output *output, const void *bytes, size_t len);
/* Room for `len` bytes, at most 64, to be filled in place; tv_output_filled says how many were. */
uint8_t *tv_output_reserve(struct tv_output *output, size_t len);
void tv_output_filled(struct tv_output *output, size_t len);
/* Writes what waits: what is in the file then is whole. After a failure the file is cut back to
 * where it was whole before. Returns whether all is well. */
bool tv_output_flush(struct tv_output *output);
/* Flushes and closes. Returns 0, or errno of what failed first. */
int tv_output_close(struct tv_output *output);
/* Closes without writing: for the child of a fork. */
void tv_output_abandon(struct tv_output *output);

#endif
