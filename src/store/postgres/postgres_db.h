/* Rows of a store in a database of PostgreSQL 15 or later, reached by libpq. */
#ifndef TV_STORE_POSTGRES_POSTGRES_DB_H
#define TV_STORE_POSTGRES_POSTGRES_DB_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "store/store_db.h"

struct tv_postgres_opening {
    const char *url;           /* postgres://USER@HOST/DATABASE, as libpq takes it */
    const char *password_file; /* its first line is the password; NULL: libpq's own files have it */
    bool may_make;             /* a database without a store gets one */
    bool has_files;            /* files of the store are there, so its database has rows */
    bool is_read_only;
    const char *indexes; /* as in struct tv_store_place; letters, digits, points and hyphens */
};
/* Connects to a database, and migrates an earlier schema; db->close releases what is opened.
 * TV_ERR_NOT_FOUND: it has no store. TV_ERR_CONFLICT: it has none, and there are files.
 * TV_ERR_UNSUPPORTED: the schema is of a later version, or libpq is not installed. TV_ERR_AWAY:
 * the server does not answer. TV_ERR_ARGUMENT: the URL has a password, or is none. */
enum tv_code tv_postgres_db_open(struct tv_store_db *db, const struct tv_postgres_opening *opening,
                                 const struct tv_alloc *alloc, struct tv_error *err) TV_MUST_CHECK;

#endif
