/*
 * What a frame may take, and the gate of `traceview frames --fail-over COUNT`: whether a script may
 * go on. A gate without data must not pass, so a trace without frames, or one that lacks a part of
 * its run, is reported and gets the status of late frames.
 */
#ifndef TV_CLI_ANSWERS_FRAMES_GATE_H
#define TV_CLI_ANSWERS_FRAMES_GATE_H

#include <stdint.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/wording.h"
#include "index/index.h"

/* What a frame may take: as its users spell it, and exactly. 16.7 ms stands for a 60th of a second.
 */
struct tv_frames_budget {
    uint64_t spelled_ns;
    uint64_t ns;
};

/* The budget that --budget asks for, and that of 60 Hz where it is not given. */
struct tv_frames_budget tv_frames_budget_of(struct tv_time_value asked);
/* Adds the milliseconds as they are spelled, without a unit: "16.7". */
void tv_frames_add_budget(struct tv_text *out, const struct tv_frames_budget *budget);

/* Why the gate stays shut, in one line; "": it is open. */
struct tv_frames_gate {
    char why[256];
};

/* How many frames there are, and what --fail-over accepts of those that are late. Of a sampled
 * trace they are runs of frames, which may be several each: those that no look came between. */
struct tv_frames_counts {
    uint64_t frames;
    uint64_t late;
    uint64_t
        cut; /* in the budget as far as they are recorded: they began before, or were still open */
    uint64_t accepted;
    uint64_t budget_ns;
    uint64_t interval_ns; /* of a sampled trace, from one look to the next; 0: not known */
};

/* Judges the trace; late frames outweigh what is missing. Frames that are cut may all be late. */
void tv_frames_gate_judge(struct tv_frames_gate *gate, const struct tv_index *index,
                          const struct tv_frames_counts *counts);
/* Tells why the gate stays shut, and returns the status of the verb. */
int tv_frames_gate_status(const struct tv_frames_gate *gate, const struct tv_cli *cli,
                          const char *file);

#endif
