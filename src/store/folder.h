/* The folder of a store: where in it the rows and the files are. */
#ifndef TV_STORE_FOLDER_H
#define TV_STORE_FOLDER_H

#include "base/compiler.h"
#include "base/error.h"
#include "os/file/paths.h"
#include "store/store.h"

#define TV_STORE_DATABASE "store.sqlite"
#define TV_STORE_FILES "files"
/* Lies in a folder that is the backup of a store, whose whole path it has; a site that opens the
 * folder removes it. */
#define TV_STORE_BACKUP_MARK TV_STORE_DATABASE ".backup"

/* The path of what lies in a folder. */
enum tv_code tv_store_path(char path[TV_PATH_CAP], const char *dir, const char *name,
                           struct tv_error *err) TV_MUST_CHECK;
/* Makes what is missing of the folder and of its folder of files. TV_ERR_ARGUMENT where anything
 * else lies in it. */
enum tv_code tv_store_make_folder(const char *dir, struct tv_error *err) TV_MUST_CHECK;
/* Where the files of the store in a folder are: `place`, of a bucket, or "" where they lie in the
 * folder. `given` is what the caller says of it, "": nothing. In place of the folder of files lies
 * a file that says where they are, which is made where the store is new and `may_make`.
 * TV_ERR_ARGUMENT: they are elsewhere than was given. */
enum tv_code tv_store_find_files(char place[TV_PATH_CAP], const char *dir, const char *given,
                                 bool may_make, const struct tv_alloc *alloc,
                                 struct tv_error *err) TV_MUST_CHECK;
/* Brings the names in a folder to the disk. */
enum tv_code tv_store_sync_folder(const char *dir, struct tv_error *err) TV_MUST_CHECK;

/* Copies the rows, as they are at one moment, to a new file, and opens the copy. */
enum tv_code tv_store_copy_rows(const struct tv_store *store, const char *to,
                                struct tv_store_db *copy, struct tv_error *err) TV_MUST_CHECK;

#endif
