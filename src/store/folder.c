/*
 * The folder of a store; see store/folder.h.
 *
 * A store is a folder with a database and a folder of files in it. A folder that has anything else
 * in it is refused, so that a wrong name cannot turn somebody's folder into a store. A new folder
 * is synced with the folder that it is in, so that a store that was made is there after a loss of
 * power.
 */
#include "store/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum tv_code tv_store_path(char path[TV_PATH_CAP], const char *dir, const char *name,
                           struct tv_error *err)
{
    if (snprintf(path, TV_PATH_CAP, "%s/%s", dir, name) >= TV_PATH_CAP)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "%.100s...: the name is too long", dir);
    return TV_OK;
}

/* Whether an entry may lie in the folder of a store. "lost+found" is there where a file system has
 * its top. */
static bool is_of_store(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, TV_STORE_FILES) == 0 ||
           strcmp(name, "lost+found") == 0 ||
           strncmp(name, TV_STORE_DATABASE, strlen(TV_STORE_DATABASE)) == 0;
}

/* Refuses a folder in which anything else lies: it was named by mistake. A folder that is not there
 * yet is fine. */
static enum tv_code refuse_other(const char *dir, struct tv_error *err)
{
    enum tv_code code = TV_OK;
    DIR *entries = opendir(dir);
    if (!entries && errno == ENOENT)
        return TV_OK;
    if (!entries)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%.150s cannot be opened: %s", dir,
                       strerror(errno));
    for (struct dirent *entry = readdir(entries); entry && code == TV_OK; entry = readdir(entries))
        if (!is_of_store(entry->d_name))
            code = tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                           "%.150s is not a store, and not empty: %.50s lies in it", dir,
                           entry->d_name);
    (void)closedir(entries);
    return code;
}

/* A name that was given to a file is on the disk only when its folder was synced; syncing the file
 * is not enough. */
enum tv_code tv_store_sync_folder(const char *path, struct tv_error *err)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool is_synced = fd >= 0 && fsync(fd) == 0;
    enum tv_code code =
        is_synced ? TV_OK
                  : tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET,
                            "%.150s cannot be brought to the disk: %s", path, strerror(errno));
    if (fd >= 0)
        (void)close(fd);
    return code;
}

/* The folder above is synced too, since the store's own name stands in it. */
enum tv_code tv_store_make_folder(const char *dir, struct tv_error *err)
{
    char path[TV_PATH_CAP];
    struct stat status;
    TV_TRY(tv_store_path(path, dir, TV_STORE_FILES, err));
    if (stat(path, &status) == 0)
        return TV_OK;
    TV_TRY(refuse_other(dir, err));
    TV_TRY(tv_store_path(path, dir, TV_STORE_FILES "/", err));
    TV_TRY(tv_path_make_folders(path, err));
    TV_TRY(tv_store_sync_folder(dir, err));
    TV_TRY(tv_store_path(path, dir, "..", err));
    return tv_store_sync_folder(path, err);
}
