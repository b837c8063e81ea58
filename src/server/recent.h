/*
 * The list of files that were opened last: a line "SECONDS PATH" each, the latest first, in a file
 * of the user's state folder. It is replaced as a whole; a line that makes no sense is left out.
 *
 * The page never sends a path: it names a file by the id that the list gave it.
 */
#ifndef TV_SERVER_RECENT_H
#define TV_SERVER_RECENT_H

#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/json.h"
#include "os/paths.h"

#define TV_RECENT_MOST 20u

/* `list` is the path of the list, NULL where there is none. */

/* Puts the file in front. `name` is one that tv_file_open takes, relative to the working folder. */
enum tv_code tv_recent_add(const char *list, const struct tv_alloc *alloc, const char *name,
                           uint64_t now_s, struct tv_error *err) TV_MUST_CHECK;
/* Writes [{id name folder bytes opened_s}], of the files that are still there. */
void tv_recent_write(const char *list, const struct tv_alloc *alloc, struct tv_json *json);
/* The path of an id; TV_ERR_NOT_FOUND when the list has no such file. */
enum tv_code tv_recent_find(const char *list, const struct tv_alloc *alloc, struct tv_str id,
                            char path[TV_PATH_CAP], struct tv_error *err) TV_MUST_CHECK;

#endif
