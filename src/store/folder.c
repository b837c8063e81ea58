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

/* Bucket and prefix of a place, without what is behind them. */
static struct tv_str bucket_of(struct tv_str place)
{
    struct tv_str bucket = {NULL, 0};
    (void)tv_str_split(&place, '?', &bucket);
    return bucket;
}

/* Reads the file that says where the files are. */
static enum tv_code read_note(char place[TV_PATH_CAP], const char *path, const char *given,
                              const struct tv_alloc *alloc, struct tv_error *err)
{
    struct tv_buffer note;
    struct tv_str text;
    tv_buffer_init(&note, alloc);
    enum tv_code code = tv_file_read_small(path, TV_PATH_CAP - 1, &note, err);
    text = tv_str_trim(tv_buffer_view(&note));
    while (text.len && text.at[text.len - 1] == '\n')
        text = tv_str_trim((struct tv_str){text.at, text.len - 1});
    if (code == TV_OK && given[0] && !tv_str_equal(bucket_of(text), bucket_of(tv_str_from(given))))
        code = tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "the files of this store are in %.*s, as %.90s says", tv_str_shown_len(text),
                       text.at, path);
    if (code == TV_OK) {
        memcpy(place, text.at, text.len);
        place[text.len] = '\0';
    }
    tv_buffer_release(&note);
    return code;
}

static enum tv_code make_note(const char *dir, const char *path, const char *place,
                              struct tv_error *err)
{
    char note[TV_PATH_CAP + 1];
    int len = snprintf(note, sizeof(note), "%s\n", place);
    TV_TRY(refuse_other(dir, err));
    return tv_file_replace(path, (struct tv_str){note, (size_t)len}, err);
}

enum tv_code tv_store_find_files(char place[TV_PATH_CAP], const char *dir, const char *given,
                                 bool may_make, const struct tv_alloc *alloc, struct tv_error *err)
{
    char path[TV_PATH_CAP];
    struct stat status;
    place[0] = '\0';
    TV_TRY(tv_store_path(path, dir, TV_STORE_FILES, err));
    bool is_there = stat(path, &status) == 0;
    if (is_there && S_ISREG(status.st_mode))
        TV_TRY(read_note(place, path, given, alloc, err));
    else if (is_there && given[0])
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "%.150s has the files of this store, and %.60s has not", path, given);
    else if (given[0] && may_make)
        TV_TRY(make_note(dir, path, given, err));
    if (given[0])
        (void)snprintf(place, TV_PATH_CAP, "%s", given);
    return TV_OK;
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
