/* An SQLite database that an export is written into (export/tables/database.h), in a spool. */
#ifndef TV_SERVED_EXPORT_DATABASE_H
#define TV_SERVED_EXPORT_DATABASE_H

#include "base/compiler.h"
#include "base/error.h"
#include "export/tables/database.h"
#include "os/file/spool.h"
#include "sqlite/spooled.h"

struct tv_sqlite_database {
    struct tv_database base; /* what an export gets */
    struct tv_sqlite_file sqlite;
    struct tv_spool spool;
};

/* Makes a database. The struct must not move. */
enum tv_code tv_sqlite_database_open(struct tv_sqlite_database *database,
                                     struct tv_error *err) TV_MUST_CHECK;
void tv_sqlite_database_close(struct tv_sqlite_database *database);

#endif
