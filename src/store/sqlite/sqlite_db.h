/* Rows of a store in an SQLite database, one file beside which others lie while it is used. */
#ifndef TV_STORE_SQLITE_SQLITE_DB_H
#define TV_STORE_SQLITE_SQLITE_DB_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "store/store_db.h"

struct tv_sqlite_opening {
    const char *path;
    bool may_make;  /* a missing database is made, and an earlier schema migrated */
    bool has_files; /* files of the store are there, so its database has rows */
    bool is_read_only;
    bool is_look;        /* nothing is changed, while others may use it */
    const char *indexes; /* as in struct tv_store_place */
};
/* Opens a database; db->close releases what is opened. A look at an earlier schema reads a copy
 * that is migrated and goes when it is closed. TV_ERR_NOT_FOUND: there is none. TV_ERR_CONFLICT: it
 * is empty, and there are files. TV_ERR_UNSUPPORTED: the schema is of a later version, or of an
 * earlier one that this opening does not migrate; or the file is another kind of database. */
enum tv_code tv_sqlite_db_open(struct tv_store_db *db, const struct tv_sqlite_opening *opening,
                               const struct tv_alloc *alloc, struct tv_error *err) TV_MUST_CHECK;
/* Copies the database to a new file, as it is at one moment, while others use it. */
enum tv_code tv_sqlite_db_copy(const char *from, const char *to,
                               struct tv_error *err) TV_MUST_CHECK;

#endif
