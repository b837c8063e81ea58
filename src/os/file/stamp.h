/* A stamp tells how a file stands now, so that it can be seen later whether the file was written
 * anew. The name is one that tv_file_open takes; the other files that it may stand for (NAME.trace,
 * NAME.key and NAME.data) are looked at too. */
#ifndef TV_OS_FILE_STAMP_H
#define TV_OS_FILE_STAMP_H

#include <stdbool.h>
#include <stdint.h>

/* The file itself, .trace, .key and .data. */
#define TV_STAMP_FILES 4u

struct tv_stamp {
    struct {
        uint64_t device;
        uint64_t inode;
        uint64_t len;
        int64_t changed_ns; /* since 1970 */
    } of[TV_STAMP_FILES];   /* all zero: there is no such file */
};

struct tv_stamp tv_stamp_of(const char *name);
/* Whether any of the files was there. */
bool tv_stamp_is_there(const struct tv_stamp *stamp);
bool tv_stamp_equal(const struct tv_stamp *a, const struct tv_stamp *b);

#endif
