/*
 * A file that is written whole or not at all: a draft, which takes its name when it is complete.
 * Everything that a user keeps is written by it: what verbs write, settings, the list of recent
 * files. Saved indexes have drafts of their own in their folder (os/file/cache.h).
 *
 * What holds for the name:
 *
 * - Whoever opens the name finds the former bytes or the new ones, never a part, and a program that
 *   ends half-way leaves nothing where the disk can do that.
 * - A file that is replaced keeps its mode (without set-user-ID and set-group-ID), owner and group.
 *   Where the user may not give a file that owner or group, it is refused; so is a file that the
 *   user may not write. A new file has the mode that is asked for, less the umask.
 * - A symbolic link is followed, also to where no file is yet; the link stays. Another user's link
 *   in a folder like /tmp is refused, whether or not the system protects such links.
 * - Other names of the same file (hard links) keep the former bytes.
 * - The draft lies in the folder of the name, which must be writable.
 */
#ifndef TV_OS_FILE_DRAFT_H
#define TV_OS_FILE_DRAFT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/compiler.h"
#include "base/error.h"
#include "os/file/paths.h"

struct tv_draft {
    int fd;                  /* to write to; -1: none */
    char place[TV_PATH_CAP]; /* the path of the file in the end */
    char name[TV_PATH_CAP];  /* the path of the draft, beside it */
    bool is_nameless;        /* the draft gets even that name only when it is complete */
};

/* Begins a draft for the path. `mode` is that of a new file. The errors begin with the path. */
enum tv_code tv_draft_open(struct tv_draft *draft, const char *path, mode_t mode,
                           struct tv_error *err) TV_MUST_CHECK;
/* A stream to write the draft with, which is to be closed before the draft ends; NULL: errno says
 * why. */
FILE *tv_draft_stream(const struct tv_draft *draft);
/* Ends a draft: where `code` is TV_OK the draft takes its place, else it is gone. Returns the first
 * failure. */
enum tv_code tv_draft_end(struct tv_draft *draft, enum tv_code code,
                          struct tv_error *err) TV_MUST_CHECK;

#endif
