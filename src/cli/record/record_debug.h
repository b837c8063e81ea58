/* Traces that an app writes by itself, with Debug.startMethodTracing: `traceview record --method
 * Debug PACKAGE`. */
#ifndef TV_CLI_RECORD_RECORD_DEBUG_H
#define TV_CLI_RECORD_RECORD_DEBUG_H

#include "cli/record/record_device.h"

/* Waits for the next trace of the app, and pulls it. Returns a status. */
int tv_record_debug(const struct tv_cli *cli, const struct tv_record_device *asked);

#endif
