/*
 * Stamps; see os/file/stamp.h. The kernel tells device, inode, length and time of change of a file
 * without reading it; a file that is written again or replaced differs in one of them.
 */
#include "os/file/stamp.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/compiler.h"
#include "os/clock.h"
#include "os/file/paths.h"

static void look(struct tv_stamp *stamp, unsigned file_ix, const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return;
    stamp->of[file_ix].device = (uint64_t)status.st_dev;
    stamp->of[file_ix].inode = (uint64_t)status.st_ino;
    stamp->of[file_ix].len = (uint64_t)status.st_size;
    stamp->of[file_ix].changed_ns = tv_file_changed_ns(&status);
}

/* The length of the name without ".key" or ".data" at its end. */
static size_t stem_len(const char *name)
{
    static const char *const endings[] = {".key", ".data"};
    size_t len = strlen(name);
    for (size_t i = 0; i < TV_COUNT_OF(endings); i++) {
        size_t ending_len = strlen(endings[i]);
        if (len > ending_len && strcmp(name + len - ending_len, endings[i]) == 0)
            return len - ending_len;
    }
    return len;
}

/* Files that do not exist leave zeros, so that a file that appears later changes the stamp. */
struct tv_stamp tv_stamp_of(const char *name)
{
    static const char *const endings[TV_STAMP_FILES] = {"", ".trace", ".key", ".data"};
    struct tv_stamp stamp;
    char path[TV_PATH_CAP];
    memset(&stamp, 0, sizeof(stamp));
    look(&stamp, 0, name);
    for (unsigned i = 1; i < TV_STAMP_FILES; i++) {
        int len = snprintf(path, sizeof(path), "%.*s%s", (int)stem_len(name), name, endings[i]);
        if (len > 0 && (size_t)len < sizeof(path))
            look(&stamp, i, path);
    }
    return stamp;
}

bool tv_stamp_is_there(const struct tv_stamp *stamp)
{
    for (unsigned i = 0; i < TV_STAMP_FILES; i++) {
        if (stamp->of[i].inode)
            return true;
    }
    return false;
}

bool tv_stamp_equal(const struct tv_stamp *a, const struct tv_stamp *b)
{
    for (unsigned i = 0; i < TV_STAMP_FILES; i++) {
        if (a->of[i].device != b->of[i].device || a->of[i].inode != b->of[i].inode ||
            a->of[i].len != b->of[i].len || a->of[i].changed_ns != b->of[i].changed_ns)
            return false;
    }
    return true;
}
