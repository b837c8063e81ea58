/* The apps that are installed on a device, for `traceview processes --installed`. */
#ifndef TV_CLI_DEVICE_PROCESSES_APPS_H
#define TV_CLI_DEVICE_PROCESSES_APPS_H

#include <stdbool.h>

#include "cli/cli.h"

/* Prints the packages by name, one a line or as JSON, and returns a status. `serial` as of
 * tv_adb_choose. */
int tv_processes_installed(const struct tv_cli *cli, const char *serial, bool is_json);

#endif
