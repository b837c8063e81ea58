/*
 * Names of code that a program makes while it runs, by the file that it writes for Linux's perf:
 * /tmp/perf-PID.map, a line "START LENGTH NAME" for each piece of code, in hexadecimal. Node.js
 * writes one with --perf-basic-prof, Python 3.12 with -X perf.
 */
#ifndef TV_CLI_RECORD_RECORD_PERF_MAP_H
#define TV_CLI_RECORD_RECORD_PERF_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "format/trace.h"

struct tv_perf_code {
    uint64_t start, len;
    struct tv_str name;
};

struct tv_perf_map {
    const struct tv_alloc *alloc;
    char *text;
    size_t text_len, text_cap;
    struct tv_perf_code
        *codes; /* by their start; of two with the same, the later one is the last */
    size_t count, cap;
};

/* Reads the map of a process that has ended, or is about to; one that is not there, or another
 * user's, is empty. */
enum tv_code tv_perf_map_read(struct tv_perf_map *map, const struct tv_alloc *alloc, pid_t process,
                              struct tv_error *err) TV_MUST_CHECK;
void tv_perf_map_release(struct tv_perf_map *map);
/* Takes the lines of a perf map from its text, which is borrowed. Lines in another form are left
 * out. */
enum tv_code tv_perf_map_parse(struct tv_perf_map *map, struct tv_str text,
                               struct tv_error *err) TV_MUST_CHECK;
/* Names the method that an address is of, by the map's text. False: the map has none there. */
bool tv_perf_map_find(const struct tv_perf_map *map, uint64_t address,
                      struct tv_trace_method *method);

#endif
