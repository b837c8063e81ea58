/* Folders of the user, and files that are either the old or the new, never half. */
#ifndef TV_OS_PATHS_H
#define TV_OS_PATHS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"

#define TV_PATH_CAP 4096

/* $XDG_CONFIG_HOME/traceview/NAME, or ~/.config/traceview/NAME; TV_ERR_SYSTEM when there is no
 * home. */
enum tv_code tv_path_config(char path[TV_PATH_CAP], const char *name,
                            struct tv_error *err) TV_MUST_CHECK;
/* The same with $XDG_STATE_HOME and ~/.local/state: what is remembered, but nobody's choice. */
enum tv_code tv_path_state(char path[TV_PATH_CAP], const char *name,
                           struct tv_error *err) TV_MUST_CHECK;
/* The same with $XDG_CACHE_HOME and ~/.cache: what can be lost without harm. */
enum tv_code tv_path_cache(char path[TV_PATH_CAP], const char *name,
                           struct tv_error *err) TV_MUST_CHECK;
/* Makes the missing folders on the way to a path, for the user alone: all before its last slash. */
enum tv_code tv_path_make_folders(const char *path, struct tv_error *err) TV_MUST_CHECK;
/* A file that comes with the program, found from where the program itself lies: installed, or in
 * the folder of its source. TV_ERR_NOT_FOUND when it is in neither. */
enum tv_code tv_path_shared(char path[TV_PATH_CAP], const char *name,
                            struct tv_error *err) TV_MUST_CHECK;
/* The whole path of a file, links followed; false when there is no such file. */
bool tv_path_real(char path[TV_PATH_CAP], const char *name);
/* The whole path of what tv_file_open opens by that name, of a pair that of its key; false when
 * there is no such file. */
bool tv_path_of_file(char path[TV_PATH_CAP], const char *name);
/*
 * Writes `bytes` into a new file beside `path`, flushes it to disk and renames it over `path`;
 * missing folders on the way are made, for the user alone.
 */
enum tv_code tv_file_replace(const char *path, struct tv_str bytes,
                             struct tv_error *err) TV_MUST_CHECK;
/* Appends at most `most` bytes of a file; TV_ERR_NOT_FOUND when there is none, TV_ERR_LIMIT when it
 * is longer. */
enum tv_code tv_file_read_small(const char *path, size_t most, struct tv_buffer *out,
                                struct tv_error *err) TV_MUST_CHECK;

#endif
