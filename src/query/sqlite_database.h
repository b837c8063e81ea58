/* An SQLite database that an export is written into (export/tables/database.h), in a spool. */
#ifndef TV_QUERY_SQLITE_DATABASE_H
#define TV_QUERY_SQLITE_DATABASE_H

#include <sqlite3.h>

#include "base/compiler.h"
#include "base/error.h"
#include "export/tables/database.h"
#include "os/file/spool.h"
#include "query/sqlite_file.h"

struct tv_sqlite_database {
    struct tv_database base; /* what an export gets */
    struct tv_sqlite_file sqlite;
    struct tv_spool spool;
    sqlite3_stmt *insert; /* NULL: no rows are being added */
};

/* Makes a database. The struct must not move. */
enum tv_code tv_sqlite_database_open(struct tv_sqlite_database *database,
                                     struct tv_error *err) TV_MUST_CHECK;
void tv_sqlite_database_close(struct tv_sqlite_database *database);

#endif
