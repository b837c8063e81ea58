/* The schema of the database, and how one version of it becomes the next. */
#ifndef TV_STORE_SQLITE_SCHEMA_H
#define TV_STORE_SQLITE_SCHEMA_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "sqlite/sql.h"

/* A step turns version n - 1 into n: step 0 makes version 1 of an empty database. A step that is in
 * a release never changes again. */
struct tv_schema {
    const char *const *steps;
    size_t count;
};
extern const struct tv_schema tv_schema;

/* *version is 0 of an empty database. TV_ERR_UNSUPPORTED where the database is not empty and not
 * ours, or of a later version. */
enum tv_code tv_schema_check(struct tv_sql *sql, const struct tv_schema *schema, int64_t *version,
                             struct tv_error *err) TV_MUST_CHECK;
/* Brings a database to the last version, in one transaction, however many processes try at once. */
enum tv_code tv_schema_migrate(struct tv_sql *sql, const struct tv_schema *schema,
                               struct tv_error *err) TV_MUST_CHECK;

#endif
