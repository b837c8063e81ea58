/*
 * The user's folders by the XDG base directory rules, and replacing files as a whole; see
 * os/file/paths.h. A file is replaced by way of a draft (os/file/draft.h), so that a crash leaves
 * the old file or the new one.
 */
#include "os/file/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "os/file/draft.h"
#include "os/file/file.h"
#include "os/file/source.h"

/* Of the lines that name the user's folders. */
#define USER_DIRS_MOST 65536u

static enum tv_code refused(struct tv_error *err, const char *path, const char *what)
{
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%s %s: %s", path, what, strerror(errno));
}

/* The path of `name`, which begins with a slash, below the folder that the variable names, or below
 * the home. The XDG rules want the variable to be absolute and ignored otherwise. */
static bool path_of_user(char path[TV_PATH_CAP], const char *variable, const char *below_home,
                         const char *owner, const char *name)
{
    const char *chosen = getenv(variable);
    const char *home = getenv("HOME");
    int len = -1;
    if (chosen && chosen[0] == '/')
        len = snprintf(path, TV_PATH_CAP, "%s%s/%s", chosen, owner, name);
    else if (home && home[0] == '/')
        len = snprintf(path, TV_PATH_CAP, "%s/%s%s/%s", home, below_home, owner, name);
    return len > 0 && len < TV_PATH_CAP;
}

static enum tv_code path_in(char path[TV_PATH_CAP], const char *variable, const char *below_home,
                            const char *name, struct tv_error *err)
{
    if (!path_of_user(path, variable, below_home, "/traceview", name))
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "no folder for what is kept: set HOME");
    return TV_OK;
}

enum tv_code tv_path_config(char path[TV_PATH_CAP], const char *name, struct tv_error *err)
{
    return path_in(path, "XDG_CONFIG_HOME", ".config", name, err);
}

enum tv_code tv_path_state(char path[TV_PATH_CAP], const char *name, struct tv_error *err)
{
    return path_in(path, "XDG_STATE_HOME", ".local/state", name, err);
}

enum tv_code tv_path_data(char path[TV_PATH_CAP], const char *name, struct tv_error *err)
{
    return path_in(path, "XDG_DATA_HOME", ".local/share", name, err);
}

enum tv_code tv_path_cache(char path[TV_PATH_CAP], const char *name, struct tv_error *err)
{
    return path_in(path, "XDG_CACHE_HOME", ".cache", name, err);
}

enum tv_code tv_path_shared(char path[TV_PATH_CAP], const char *name, struct tv_error *err)
{
    /* The program is installed as PREFIX/bin/traceview, or built as build/SOME/traceview. */
    static const char *const folders[] = {"../share/traceview", "../../tests/data"};
    char program[TV_PATH_CAP];
    ssize_t program_len = readlink("/proc/self/exe", program, sizeof(program) - 1);
    program[program_len > 0 ? program_len : 0] = '\0';
    char *slash = strrchr(program, '/');
    for (size_t i = 0; slash && i < TV_COUNT_OF(folders); i++) {
        int len = snprintf(path, TV_PATH_CAP, "%.*s/%s/%s", (int)(slash - program), program,
                           folders[i], name);
        if (len > 0 && len < TV_PATH_CAP && access(path, R_OK) == 0)
            return TV_OK;
    }
    return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "%s is not installed", name);
}

bool tv_path_real(char path[TV_PATH_CAP], const char *name)
{
    char whole[PATH_MAX];
    return realpath(name, whole) && snprintf(path, TV_PATH_CAP, "%s", whole) < TV_PATH_CAP;
}

bool tv_path_from_root(char path[TV_PATH_CAP], const char *name)
{
    char folder[TV_PATH_CAP] = "";
    const bool is_whole = name[0] == '/';
    if (!is_whole && !getcwd(folder, sizeof(folder)))
        return false;
    const int len = snprintf(path, TV_PATH_CAP, "%s%s%s", folder, is_whole ? "" : "/", name);
    return len > 0 && len < TV_PATH_CAP;
}

/* Desktops write the names of the user's folders as lines of a shell:
 * XDG_DOWNLOAD_DIR="$HOME/Transfers". */
static struct tv_str chosen_downloads(struct tv_str lines)
{
    const struct tv_str begin = TV_STR("XDG_DOWNLOAD_DIR=\""), end = TV_STR("\"");
    struct tv_str line, chosen = {NULL, 0};
    while (tv_str_split(&lines, '\n', &line)) {
        line = tv_str_trim(line);
        if (tv_str_starts_with(line, begin) && line.len > begin.len && tv_str_ends_with(line, end))
            chosen = (struct tv_str){line.at + begin.len, line.len - begin.len - end.len};
    }
    return chosen;
}

/* Where browsers put files, links followed. A desktop that has no such folder names the home. */
static bool find_downloads(char real[TV_PATH_CAP], const struct tv_alloc *alloc)
{
    const struct tv_str below = TV_STR("$HOME");
    char path[TV_PATH_CAP], real_home[TV_PATH_CAP];
    const char *home = getenv("HOME");
    struct tv_buffer lines;
    if (!home || home[0] != '/')
        return false;
    tv_buffer_init(&lines, alloc);
    struct tv_str chosen = {NULL, 0};
    if (path_of_user(path, "XDG_CONFIG_HOME", ".config", "", "user-dirs.dirs") &&
        tv_file_read_small(path, USER_DIRS_MOST, &lines, NULL) == TV_OK)
        chosen = chosen_downloads(tv_buffer_view(&lines));
    const bool is_below = !chosen.len || tv_str_starts_with(chosen, below);
    if (!chosen.len)
        chosen = TV_STR("/Downloads");
    else if (is_below)
        chosen = (struct tv_str){chosen.at + below.len, chosen.len - below.len};
    const int len =
        snprintf(path, sizeof(path), "%s%.*s", is_below ? home : "", (int)chosen.len, chosen.at);
    tv_buffer_release(&lines);
    return len > 0 && len < TV_PATH_CAP && tv_path_real(real, path) &&
           !(tv_path_real(real_home, home) && strcmp(real, real_home) == 0);
}

bool tv_path_is_downloaded(const char *name, const struct tv_alloc *alloc)
{
    char folder[TV_PATH_CAP], path[TV_PATH_CAP];
    if (!find_downloads(folder, alloc) || !tv_path_real(path, name))
        return false;
    const size_t len = strlen(folder);
    return strncmp(path, folder, len) == 0 && path[len] == '/';
}

bool tv_path_of_file(char path[TV_PATH_CAP], const char *name)
{
    char parts[TV_FILE_PARTS][TV_FILE_NAME_CAP];
    return tv_file_parts(name, parts) && tv_path_real(path, parts[0]);
}

bool tv_file_is_strangers(const struct stat *folder, const struct stat *there)
{
    const bool is_shared = (folder->st_mode & S_ISVTX) && (folder->st_mode & S_IWOTH);
    return is_shared && there->st_uid != geteuid() && there->st_uid != folder->st_uid;
}

bool tv_path_is_strangers(const char *path)
{
    struct stat there, folder;
    char folder_path[TV_PATH_CAP] = ".";
    const char *slash = strrchr(path, '/');
    if (slash)
        (void)snprintf(folder_path, sizeof(folder_path), "%.*s", (int)(slash + 1 - path), path);
    return lstat(path, &there) == 0 && stat(folder_path, &folder) == 0 &&
           tv_file_is_strangers(&folder, &there);
}

/* A folder that exists already is fine, whoever made it. */
enum tv_code tv_path_make_folders(const char *path, struct tv_error *err)
{
    char part[TV_PATH_CAP];
    for (size_t i = 1; path[i]; i++) {
        if (path[i] != '/')
            continue;
        (void)snprintf(part, sizeof(part), "%.*s", (int)i, path);
        if (mkdir(part, 0700) != 0 && errno != EEXIST)
            return refused(err, part, "cannot be made");
    }
    return TV_OK;
}

bool tv_is_no_room(int error_number)
{
    return error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG;
}

/* Writes and flushes. Without the flush, a rename may reach the disk before the content of the file
 * does, and a loss of power would leave an empty file. */
static bool write_whole(int fd, struct tv_str bytes)
{
    while (bytes.len) {
        ssize_t len = write(fd, bytes.at, bytes.len);
        if (len < 0 && errno == EINTR)
            continue;
        if (len <= 0)
            return false;
        bytes.at += len;
        bytes.len -= (size_t)len;
    }
    return fsync(fd) == 0;
}

/* A new file is for the user alone: settings tell what the user looks at. */
enum tv_code tv_file_replace(const char *path, struct tv_str bytes, struct tv_error *err)
{
    struct tv_draft draft;
    TV_TRY(tv_path_make_folders(path, err));
    TV_TRY(tv_draft_open(&draft, path, 0600, err));
    enum tv_code code =
        write_whole(draft.fd, bytes) ? TV_OK : refused(err, path, "cannot be written");
    return tv_draft_end(&draft, code, err);
}

DIR *tv_path_list(int folder, const char *name)
{
    const int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = fd < 0 ? NULL : fdopendir(fd);
    if (fd >= 0 && !entries) {
        const int why = errno;
        (void)close(fd);
        errno = why;
    }
    return entries;
}

enum tv_code tv_file_read_small(const char *path, size_t most, struct tv_buffer *out,
                                struct tv_error *err)
{
    struct stat status;
    /* Not blocking: the path may be that of a pipe that nobody writes to. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "%s is not there", path);
    if (fd < 0)
        return refused(err, path, "cannot be opened");
    enum tv_code code = TV_OK;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
        code = tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%s is not a file", path);
    else if ((uint64_t)status.st_size > most)
        code = tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "%s is longer than %zu bytes", path, most);
    else
        code = tv_source_read_all(tv_source_of_fd(&fd), out, err);
    (void)close(fd);
    return code;
}
