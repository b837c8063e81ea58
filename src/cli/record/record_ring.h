/*
 * What a ring holds (--ring), as a trace, while the program goes on: SIGUSR2 asks for it, and each
 * time there is one more file beside the trace, "app-1.trace" and so on.
 */
#ifndef TV_CLI_RECORD_RECORD_RING_H
#define TV_CLI_RECORD_RECORD_RING_H

#include <sys/types.h>

#include "cli/record/record_run.h"

/* What is told of a trace of a ring: its records, and how many seconds it is of. */
#define TV_RECORD_RING_NOTE "%llu records, of the last %.3f s"

/* "app.trace" becomes "app-1.trace". False: the name is too long. */
bool tv_record_ring_name(char path[TV_PATH_CAP], const char *trace, unsigned number);
/* Asks the program, and what is recorded of the programs that it started. */
void tv_record_ring_ask(struct tv_record_run *recording, pid_t child);
/* Makes traces of what programs have written since the last time. */
void tv_record_ring_take(struct tv_record_run *recording);

#endif
