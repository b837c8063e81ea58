/*
 * SQLite on a file without a name: a file system for SQLite (sqlite.org, "The SQLite OS Interface
 * or VFS") that has this one file and no other. So SQLite makes no file beside it, and leaves
 * nothing when the program ends; what it cannot write is told by the file's own error.
 *
 * A database and its file belong to one thread.
 */
#ifndef TV_SQLITE_SPOOLED_H
#define TV_SQLITE_SPOOLED_H

#include <sqlite3.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"
#include "os/file/spool.h"

struct tv_sqlite_file {
    sqlite3 *db;
    sqlite3_vfs vfs;
    char name[32];                /* of the file system, among all of the process */
    const struct tv_spool *spool; /* NULL: closed */
    sqlite3_stmt *insert;         /* NULL: no rows are being added */
    struct tv_error error;        /* the first failure of the file */
};

/* Opens a new database on an empty spool, for writing at once what is thrown away if it fails:
 * there is no journal. The struct must not move while it is open. */
enum tv_code tv_sqlite_file_open(struct tv_sqlite_file *sqlite, const struct tv_spool *spool,
                                 struct tv_error *err) TV_MUST_CHECK;
/* Runs statements without results. */
enum tv_code tv_sqlite_file_run(struct tv_sqlite_file *sqlite, const char *sql,
                                struct tv_error *err) TV_MUST_CHECK;
/* Adds rows by one INSERT, whose parameters are set from 1 on: begin, for each row set all of them
 * and add, end. A text is borrowed until its row was added. */
enum tv_code tv_sqlite_file_begin_rows(struct tv_sqlite_file *sqlite, const char *sql,
                                       struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_sqlite_file_set_null(struct tv_sqlite_file *sqlite, int parameter,
                                     struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_sqlite_file_set_int(struct tv_sqlite_file *sqlite, int parameter, int64_t number,
                                    struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_sqlite_file_set_text(struct tv_sqlite_file *sqlite, int parameter,
                                     struct tv_str text, struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_sqlite_file_add_row(struct tv_sqlite_file *sqlite,
                                    struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_sqlite_file_end_rows(struct tv_sqlite_file *sqlite,
                                     struct tv_error *err) TV_MUST_CHECK;
/* Closes what is whole, after the last row was added. */
enum tv_code tv_sqlite_file_close(struct tv_sqlite_file *sqlite,
                                  struct tv_error *err) TV_MUST_CHECK;
/* Closes what is thrown away. It may be closed already. */
void tv_sqlite_file_abandon(struct tv_sqlite_file *sqlite);

#endif
