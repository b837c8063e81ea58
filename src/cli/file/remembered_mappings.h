/*
 * Mappings that the user asked to be remembered: copies in a folder of the user's own, from which
 * each trace gets the one that fits, as from a folder that --mappings names.
 */
#ifndef TV_CLI_FILE_REMEMBERED_MAPPINGS_H
#define TV_CLI_FILE_REMEMBERED_MAPPINGS_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"
#include "os/file/newest_files.h"
#include "os/file/paths.h"

/* Room for the name of a remembered mapping. */
#define TV_REMEMBERED_NAME_CAP 256u
/* A longer one is not remembered: it would be left out of the folder (cli/file/mapping_files.h). */
#define TV_REMEMBERED_MOST ((size_t)512 << 20)

/* The folder; false: there is none, so nothing is remembered. */
bool tv_remembered_folder(char path[TV_PATH_CAP]);
/* Keeps a copy of a mapping. With an app its name is the app's, so that the copy takes the place of
 * the one that was kept for the app before; else (NULL) its name is that of the file, in plain
 * letters, behind a sum of its text, so that the mappings of several apps and builds stand beside
 * each other. TV_ERR_ARGUMENT: that is no name of an app. */
enum tv_code tv_remember_mapping(struct tv_str text, const char *file, const char *app,
                                 char name[TV_REMEMBERED_NAME_CAP],
                                 struct tv_error *err) TV_MUST_CHECK;
/* Forgets a mapping by its name here. TV_ERR_NOT_FOUND: there is none of that name. */
enum tv_code tv_forget_mapping(const char *name, struct tv_error *err) TV_MUST_CHECK;
/* What is remembered, the latest first. */
enum tv_code tv_remembered_list(struct tv_newest_files *files, struct tv_error *err) TV_MUST_CHECK;

#endif
