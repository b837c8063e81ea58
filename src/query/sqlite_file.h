/*
 * SQLite on a file without a name: a file system for SQLite (sqlite.org, "The SQLite OS Interface
 * or VFS") that has this one file and no other. So SQLite makes no file beside it, and leaves
 * nothing when the program ends; what it cannot write is told by the file's own error.
 *
 * A database and its file belong to one thread.
 */
#ifndef TV_QUERY_SQLITE_FILE_H
#define TV_QUERY_SQLITE_FILE_H

#include <sqlite3.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "os/file/spool.h"

struct tv_sqlite_file {
    sqlite3 *db;
    sqlite3_vfs vfs;
    char name[32];                /* of the file system, among all of the process */
    const struct tv_spool *spool; /* NULL: closed */
    struct tv_error error;        /* the first failure of the file */
};

/* Opens a new database on an empty spool, for writing at once what is thrown away if it fails:
 * there is no journal. The struct must not move while it is open. */
enum tv_code tv_sqlite_file_open(struct tv_sqlite_file *sqlite, const struct tv_spool *spool,
                                 struct tv_error *err) TV_MUST_CHECK;
/* Runs statements without results. */
enum tv_code tv_sqlite_file_run(struct tv_sqlite_file *sqlite, const char *sql,
                                struct tv_error *err) TV_MUST_CHECK;
/* What SQLite's last call failed with. */
enum tv_code tv_sqlite_file_failed(const struct tv_sqlite_file *sqlite, struct tv_error *err);
/* Closes what is whole. Statements must be finalized. */
enum tv_code tv_sqlite_file_close(struct tv_sqlite_file *sqlite,
                                  struct tv_error *err) TV_MUST_CHECK;
/* Closes what is thrown away. It may be closed already. */
void tv_sqlite_file_abandon(struct tv_sqlite_file *sqlite);

#endif
