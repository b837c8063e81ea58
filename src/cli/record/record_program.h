/* Recording a program on this machine: `traceview record -- PROGRAM`. */
#ifndef TV_CLI_RECORD_RECORD_PROGRAM_H
#define TV_CLI_RECORD_RECORD_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/cli.h"
#include "cli/options.h"

struct tv_record_program_options {
    const char *output;
    const char *clock;
    const char *then;
    const char
        *status; /* whose status the verb ends with: "program" or "recorder"; NULL: not given */
    uint64_t buffer;
    uint64_t max_size;                /* of the file that is recorded into; 0: any */
    struct tv_time_value slower_than; /* of a ring: a call that takes longer has it written */
    const char *slow_method;          /* of such methods alone; NULL: of all */
    uint64_t ring;                    /* bytes of memory that keep what came last; 0: no ring */
    uint64_t depth;
    struct tv_time_value duration;
    struct tv_texts only, skip;
    struct tv_time_value min_duration;
    struct tv_time_value sample;
    const char *progress; /* "json": told of on standard output; NULL: not */
    const char *jvm;
    const char *mode;
    const char *classes;
    bool boot, machine, waits, alloc, lines;
    bool skip_trivial;
    bool children; /* what the program starts is recorded, too */
    bool alone;    /* of samples: what the program starts is left out */
    bool view;
};

/* Records, and returns a status. */
int tv_record_program(const struct tv_cli *cli, const struct tv_record_program_options *options,
                      const struct tv_arguments *arguments);

#endif
