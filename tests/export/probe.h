/*
 * A trace of tests/analysis/world.h on its way through tv_export_run: a test gives its own format,
 * which sees what every format gets.
 */
#ifndef TESTS_EXPORT_PROBE_H
#define TESTS_EXPORT_PROBE_H

#include <stdint.h>

#include "analysis/world.h"
#include "base/memory/buffer.h"
#include "export/export.h"
#include "export/tables/database.h"

/* What of a trace is exported. Zeros are all of it. */
struct probe_opts {
    uint64_t from_ns;
    uint64_t to_ns; /* 0: the end */
    uint32_t levels;
    const char *hidden; /* packages */
    const char *match;  /* a pattern */
    unsigned chosen; /* above 0: the calls of the world's method chosen - 1, and what they made */
    enum tv_measure measure;
    enum tv_export_table table; /* of a format that holds one */
};

/* Some part of a trace, by the seed: a range, levels, hidden methods, a pattern, or none of them.
 */
struct probe_opts probe_random(const struct world *w, uint32_t seed);
/* A trace with names and threads as only an attacker makes them: the first thread calls a method
 * whose class has a name of 60,000 bytes, the others one whose name is no UTF-8. */
#define PROBE_HOSTILE_THREADS 10000
#define PROBE_HOSTILE_NAME 60000
void probe_hostile(struct world *w);
/* Exports and must not fail. What is written is added to `written`, which may be NULL. */
struct tv_export_result probe_run(const struct world *w, const struct tv_export *format,
                                  const struct probe_opts *opts, struct tv_buffer *written);

/* A database for formats that need one: it gathers all SQL and all rows as text, and that is what
 * it writes as its file. Each call empties it. */
const struct tv_database *probe_database(void);

#endif
