/*
 * The files of a folder that were changed last: for a folder of which a program wants files, and
 * whose size nobody vouches for.
 *
 * Files in folders below it are not looked at, nor those whose name begins with a point. A symbolic
 * link counts as what it leads to.
 */
#ifndef TV_OS_FILE_NEWEST_FILES_H
#define TV_OS_FILE_NEWEST_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"

#define TV_NEWEST_MOST 200u
/* The most entries of a folder that are read; of a larger folder, some of them in no order. */
#define TV_NEWEST_ENTRIES_MOST 50000u

struct tv_newest_file {
    char name[256];
    uint64_t len;
    int64_t changed_ns; /* since 1970 */
};

struct tv_newest_files {
    struct tv_newest_file of[TV_NEWEST_MOST]; /* newest first, those of one time by name */
    size_t count;
    uint64_t seen;   /* regular files among the entries that were read */
    uint64_t others; /* what is no regular file and no folder, or cannot be looked at */
    bool is_cut;     /* the folder has more entries than are read */
};

/* TV_ERR_NOT_FOUND and TV_ERR_SYSTEM say why the folder cannot be read. */
enum tv_code tv_newest_files_find(struct tv_newest_files *files, const char *folder,
                                  struct tv_error *err) TV_MUST_CHECK;

#endif
