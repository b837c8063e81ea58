/*
 * The folder of remembered mappings, $XDG_STATE_HOME/traceview/mappings; see
 * cli/file/remembered_mappings.h. A file there is replaced as a whole, so a program that reads it
 * meanwhile has the old bytes or the new ones. Names from the command line lead to no file outside
 * of the folder.
 */
#include "cli/file/remembered_mappings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes/checksum.h"

bool tv_remembered_folder(char path[TV_PATH_CAP])
{
    struct stat status;
    return tv_path_state(path, "mappings", NULL) == TV_OK && stat(path, &status) == 0 &&
           S_ISDIR(status.st_mode);
}

static enum tv_code path_of(char path[TV_PATH_CAP], const char *name, struct tv_error *err)
{
    char below[TV_REMEMBERED_NAME_CAP + 16];
    (void)snprintf(below, sizeof(below), "mappings/%s", name);
    return tv_path_state(path, below, err);
}

/* What no shell takes for anything but a part of a word. */
static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

/* The end of a long name is kept, since it says what kind of file it is. Answers print the name in
 * a command that forgets the mapping, and files of builds may have any name: what a shell could
 * take for more than a word becomes "_". */
static void name_by_text(struct tv_str text, const char *file, char name[TV_REMEMBERED_NAME_CAP])
{
    const char *own = tv_file_name_of(file);
    const size_t most = TV_REMEMBERED_NAME_CAP - 32;
    if (strlen(own) > most)
        own += strlen(own) - most;
    (void)snprintf(name, TV_REMEMBERED_NAME_CAP, "%08" PRIx32 "-%s",
                   (uint32_t)tv_checksum(text.at, text.len), own);
    for (size_t at = strspn(name, plain); name[at]; at += strspn(name + at, plain))
        name[at] = '_';
}

/* An app is named as a package is, so its name leads to no other folder. */
static enum tv_code name_by_app(const char *app, char name[TV_REMEMBERED_NAME_CAP],
                                struct tv_error *err)
{
    const size_t len = strlen(app);
    if (!len || len > TV_REMEMBERED_NAME_CAP - 32 || app[0] == '.' || strspn(app, plain) != len)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "an app is named by letters, digits, '.', '_' and '-', as com.example.shop");
    (void)snprintf(name, TV_REMEMBERED_NAME_CAP, "%s.txt", app);
    return TV_OK;
}

enum tv_code tv_remember_mapping(struct tv_str text, const char *file, const char *app,
                                 char name[TV_REMEMBERED_NAME_CAP], struct tv_error *err)
{
    char path[TV_PATH_CAP];
    if (text.len > TV_REMEMBERED_MOST)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "is too long to be remembered: %zu MiB",
                       text.len >> 20);
    if (app)
        TV_TRY(name_by_app(app, name, err));
    else
        name_by_text(text, file, name);
    TV_TRY(path_of(path, name, err));
    return tv_file_replace(path, text, err);
}

static enum tv_code fail_unknown(struct tv_error *err)
{
    return tv_fail(
        err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
        "no mapping of this name is remembered: traceview names --remembered lists them");
}

enum tv_code tv_forget_mapping(const char *name, struct tv_error *err)
{
    char path[TV_PATH_CAP];
    if (!name[0] || name[0] == '.' || strchr(name, '/') || strlen(name) >= TV_REMEMBERED_NAME_CAP)
        return fail_unknown(err);
    TV_TRY(path_of(path, name, err));
    if (unlink(path) == 0)
        return TV_OK;
    if (errno == ENOENT)
        return fail_unknown(err);
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "cannot be removed: %s", strerror(errno));
}

enum tv_code tv_remembered_list(struct tv_newest_files *files, struct tv_error *err)
{
    char path[TV_PATH_CAP];
    *files = (struct tv_newest_files){.count = 0};
    return tv_remembered_folder(path) ? tv_newest_files_find(files, path, err) : TV_OK;
}
