/* The Java programs of this machine, for `traceview processes --jvm`. */
#ifndef TV_CLI_RECORD_PROCESSES_JAVA_H
#define TV_CLI_RECORD_PROCESSES_JAVA_H

#include <stdbool.h>

#include "cli/cli.h"

/* Prints them as a table, or as JSON, and returns a status. */
int tv_processes_java(const struct tv_cli *cli, bool is_json);

#endif
