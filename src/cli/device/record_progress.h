/*
 * How far a recording on a device is, for programs: `traceview record --progress=json` writes one
 * JSON object a line to standard output, as soon as there is something to say. What is for people
 * goes to standard error, as always.
 */
#ifndef TV_CLI_DEVICE_RECORD_PROGRESS_H
#define TV_CLI_DEVICE_RECORD_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/cli.h"

struct tv_record_step {
    const char *phase;   /* "starting", "recording", "finishing", "pulling", "full" */
    uint64_t passed_ns;  /* of recording */
    uint64_t bytes;      /* recorded so far, as far as that is known or can be guessed */
    uint64_t buffer_len; /* that they go into; 0: none, or not known */
    uint64_t done, of;   /* of pulling, in bytes */
    bool is_waiting;     /* pulling waits for a device that is gone */
    unsigned needed_mib; /* of a buffer that was full: the one that would have room */
};

struct tv_record_teller {
    bool is_on;
    bool is_unheard; /* whoever asked has gone: nobody is left who would end the recording */
    bool was_waiting;
    uint64_t said_ns; /* when pulling was told of last */
};

/* Tells from here on, if `progress` says how. That whoever asked goes ends no recording by a signal
 * (SIGPIPE) that would leave the device, or the program, recorded for ever. */
void tv_record_tell_begin(struct tv_record_teller *teller, const char *progress);
void tv_record_tell(struct tv_record_teller *teller, const struct tv_cli *cli,
                    const struct tv_record_step *step);
/* Tells how far pulling is; called with each piece. At most ten lines a second are written, besides
 * those at the end and when the device goes or comes. */
void tv_record_tell_pull(struct tv_record_teller *teller, const struct tv_cli *cli, uint64_t done,
                         uint64_t of, bool is_waiting);

#endif
