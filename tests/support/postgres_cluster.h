/* A cluster of PostgreSQL for the tests of one program (tests/support/postgres.py). */
#ifndef TV_SUPPORT_POSTGRES_CLUSTER_H
#define TV_SUPPORT_POSTGRES_CLUSTER_H

#include <stdbool.h>

#define TV_CLUSTER_CAP 64

/* Starts one, and tells its folder, where its socket is; false: PostgreSQL is not installed. */
bool tv_start_postgres(char folder[TV_CLUSTER_CAP]);
void tv_stop_postgres(const char *folder);

#endif
