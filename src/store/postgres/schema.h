/* The schema of the database in PostgreSQL, and how one version of it becomes the next. */
#ifndef TV_STORE_POSTGRES_SCHEMA_H
#define TV_STORE_POSTGRES_SCHEMA_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "postgres/turn.h"

/* A step turns version n - 1 into n: step 0 makes version 1 of a database without a store. A step
 * that is in a release never changes again. */
struct tv_postgres_schema {
    const char *const *steps;
    size_t count;
    size_t least; /* which version of it a program must know at least to use the last one */
};
extern const struct tv_postgres_schema tv_postgres_schema;

/* *version is 0 where the database has no store. A later version that this program can live with is
 * as good as its own: servers of two versions may be there at once. TV_ERR_UNSUPPORTED: it is one
 * that it cannot. */
enum tv_code tv_postgres_schema_check(struct tv_pg_pool *pool,
                                      const struct tv_postgres_schema *schema, int64_t *version,
                                      struct tv_error *err) TV_MUST_CHECK;
/* Brings a database to the last version, in one transaction, however many processes try at once. */
enum tv_code tv_postgres_schema_migrate(struct tv_pg_pool *pool,
                                        const struct tv_postgres_schema *schema,
                                        struct tv_error *err) TV_MUST_CHECK;

#endif
