/*
 * The list of the files that were opened last, in a file of the user's state folder: a line
 * "SECONDS PATH" for each, the latest first. The file is replaced as a whole, so a reader never
 * sees half of a list; a line that makes no sense is left out.
 *
 * The page never sends a path. It names a file by an id, a hash of the path, which only an entry of
 * the list has: a page cannot open a file that the user did not open before.
 */
#ifndef TV_SERVER_RECENT_H
#define TV_SERVER_RECENT_H

#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/text/json.h"
#include "os/file/paths.h"

#define TV_RECENT_MOST 20u

/* In the functions below `list` is the path of the list's file, NULL where there is no folder for
 * it. */

/* What the list names a file by, of a name that tv_file_open takes; 0: the list has no such files.
 */
uint64_t tv_recent_id(const char *name);
/* Puts a file in front of the list. `name` is a name that tv_file_open takes. */
enum tv_code tv_recent_add(const char *list, const struct tv_alloc *alloc, const char *name,
                           uint64_t now_s, struct tv_error *err) TV_MUST_CHECK;
/* Writes [{id name folder bytes opened_s}] for the files that are still there. */
void tv_recent_write(const char *list, const struct tv_alloc *alloc, struct tv_json *json);
/* The path for an id. TV_ERR_NOT_FOUND: the list has no such file, or the file is gone. */
enum tv_code tv_recent_find(const char *list, const struct tv_alloc *alloc, struct tv_str id,
                            char path[TV_PATH_CAP], struct tv_error *err) TV_MUST_CHECK;

#endif
