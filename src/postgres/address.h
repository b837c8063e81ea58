/* Where a database of PostgreSQL is, and who comes in by which password. */
#ifndef TV_POSTGRES_ADDRESS_H
#define TV_POSTGRES_ADDRESS_H

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"

struct tv_pg_address {
    const struct tv_alloc *alloc;
    char *url, *password, *password_file; /* its own */
};

/* What every session begins with, behind its search_path. Plans are made for the values at hand:
 * some statements have many conditions that are mostly not given. No plan is compiled: that takes
 * longer than what it would spare a statement of a request. */
#define TV_PG_SESSION                                                                              \
    "SET TimeZone='UTC'; SET default_transaction_isolation='read committed';"                      \
    "SET statement_timeout='2500ms'; SET lock_timeout='1500ms';"                                   \
    "SET idle_in_transaction_session_timeout='10s'; SET plan_cache_mode=force_custom_plan;"        \
    "SET standard_conforming_strings=on; SET jit=off;"
#define TV_PG_READ_ONLY "SET default_transaction_read_only=on;"

/* Checks a URL (postgres/pool.h), and reads the password: the first line of the file; NULL or "":
 * libpq's own files have it. tv_pg_address_release follows in any case. */
enum tv_code tv_pg_address_read(struct tv_pg_address *address, const char *url,
                                const char *password_file, const struct tv_alloc *alloc,
                                struct tv_error *err) TV_MUST_CHECK;
/* Reads the password anew, as it may have been changed since. Where it cannot be read, what was
 * read before stays. */
void tv_pg_address_reread(struct tv_pg_address *address);
void tv_pg_address_release(struct tv_pg_address *address); /* one that is all 0, too */

#endif
