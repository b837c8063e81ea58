/*
 * Finding the newest files of a folder; see os/file/newest_files.h. The list is kept in order, so
 * that a file which is older than all of a full list costs one comparison.
 */
#include "os/file/newest_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "os/clock.h"

static bool is_before(const struct tv_newest_file *a, const struct tv_newest_file *b)
{
    return a->changed_ns != b->changed_ns ? a->changed_ns > b->changed_ns
                                          : strcmp(a->name, b->name) < 0;
}

static void add(struct tv_newest_files *files, const struct tv_newest_file *file)
{
    size_t at = files->count;
    files->seen++;
    if (at == TV_NEWEST_MOST && !is_before(file, &files->of[at - 1]))
        return;
    if (at == TV_NEWEST_MOST)
        at--;
    else
        files->count++;
    for (; at && is_before(file, &files->of[at - 1]); at--)
        files->of[at] = files->of[at - 1];
    files->of[at] = *file;
}

static void look_at(struct tv_newest_files *files, int folder, const char *name)
{
    struct stat status;
    struct tv_newest_file file;
    size_t len = strlen(name);
    bool is_known = len < sizeof(file.name) && fstatat(folder, name, &status, 0) == 0;
    if (is_known && S_ISDIR(status.st_mode))
        return;
    if (!is_known || !S_ISREG(status.st_mode) || status.st_size < 0) {
        files->others++;
        return;
    }
    memcpy(file.name, name, len + 1);
    file.len = (uint64_t)status.st_size;
    file.changed_ns = tv_file_changed_ns(&status);
    add(files, &file);
}

/* A bounded number of entries is looked at, since the folder may be anybody's and have millions. */
enum tv_code tv_newest_files_find(struct tv_newest_files *files, const char *folder,
                                  struct tv_error *err)
{
    uint64_t entries = 0;
    files->count = 0;
    files->seen = files->others = 0;
    files->is_cut = false;
    DIR *opened = opendir(folder);
    if (!opened && errno == ENOENT)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "no such folder: check the name");
    if (!opened)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "cannot be opened as a folder: %s",
                       strerror(errno));
    for (const struct dirent *entry; !files->is_cut && (entry = readdir(opened)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        files->is_cut = ++entries > TV_NEWEST_ENTRIES_MOST;
        if (!files->is_cut)
            look_at(files, dirfd(opened), entry->d_name);
    }
    (void)closedir(opened);
    return TV_OK;
}
