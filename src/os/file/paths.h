/* The user's folders, and files that are replaced as a whole: a reader finds the old or the new
 * content, never half. */
#ifndef TV_OS_FILE_PATHS_H
#define TV_OS_FILE_PATHS_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/str.h"

#define TV_PATH_CAP 4096

/* The path of a settings file: $XDG_CONFIG_HOME/traceview/NAME, or ~/.config/traceview/NAME.
 * TV_ERR_SYSTEM when there is no home. */
enum tv_code tv_path_config(char path[TV_PATH_CAP], const char *name,
                            struct tv_error *err) TV_MUST_CHECK;
/* The path of a file of state, below $XDG_STATE_HOME or ~/.local/state: for what the program
 * remembers and the user did not choose. */
enum tv_code tv_path_state(char path[TV_PATH_CAP], const char *name,
                           struct tv_error *err) TV_MUST_CHECK;
/* The path of a data file, below $XDG_DATA_HOME or ~/.local/share: for what the user gave to the
 * program to keep. */
enum tv_code tv_path_data(char path[TV_PATH_CAP], const char *name,
                          struct tv_error *err) TV_MUST_CHECK;
/* The path of a cached file, below $XDG_CACHE_HOME or ~/.cache: for what can be lost without harm.
 */
enum tv_code tv_path_cache(char path[TV_PATH_CAP], const char *name,
                           struct tv_error *err) TV_MUST_CHECK;
/* Makes the missing folders of a path, all before its last slash, for the user alone. */
enum tv_code tv_path_make_folders(const char *path, struct tv_error *err) TV_MUST_CHECK;
/* The path of a file that comes with the program, found from where the program lies: installed, or
 * in the folder of its source. TV_ERR_NOT_FOUND when the file is in neither. */
enum tv_code tv_path_shared(char path[TV_PATH_CAP], const char *name,
                            struct tv_error *err) TV_MUST_CHECK;
/* The whole path of a file, links followed; false when there is no such file. */
bool tv_path_real(char path[TV_PATH_CAP], const char *name);
/* The path from the root of a file that need not be there, links as they are; false where it has no
 * room, or the working directory is gone. */
bool tv_path_from_root(char path[TV_PATH_CAP], const char *name);
/* Whether the file, links followed, lies below the folder that browsers put files into: the one of
 * user-dirs.dirs (XDG_DOWNLOAD_DIR), or else ~/Downloads. */
bool tv_path_is_downloaded(const char *name, const struct tv_alloc *alloc);
/* The whole path of the file that tv_file_open opens by that name, of a pair its key file; false
 * when there is none. */
bool tv_path_of_file(char path[TV_PATH_CAP], const char *name);
/* Whether what is `there`, a link, pipe or file, was put into the folder by a stranger: it belongs
 * neither to the user nor to the owner of the folder, where everybody may put files (/tmp). These
 * are the rules of fs.protected_symlinks and fs.protected_regular (proc(5)), which not every system
 * has turned on. */
bool tv_file_is_strangers(const struct stat *folder, const struct stat *there);
/* tv_file_is_strangers of what stands at a path; false where nothing does. A link is not followed.
 */
bool tv_path_is_strangers(const char *path);
/* Whether writing failed because there is no room for more: on the disk, in the user's share of it
 * (quota), or within the longest file that is allowed (ulimit -f). */
bool tv_is_no_room(int error_number);
/* Replaces a file as a whole (os/file/draft.h), when its bytes are on the disk. Missing folders are
 * made, for the user alone. */
enum tv_code tv_file_replace(const char *path, struct tv_str bytes,
                             struct tv_error *err) TV_MUST_CHECK;
/* Opens a folder inside the open `folder` ("." for itself) to list it; the caller ends by closedir.
 * NULL with errno set where that fails. Each listing opens the folder anew: descriptors that were
 * copied would share their position in it. */
DIR *tv_path_list(int folder, const char *name);
/* Appends the bytes of a file to `out`; TV_ERR_NOT_FOUND when there is no such file, TV_ERR_LIMIT
 * when it is longer than `most`. */
enum tv_code tv_file_read_small(const char *path, size_t most, struct tv_buffer *out,
                                struct tv_error *err) TV_MUST_CHECK;

#endif
