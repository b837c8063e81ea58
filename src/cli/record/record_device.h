/* Recording an app on a device: `traceview record PACKAGE`. */
#ifndef TV_CLI_RECORD_RECORD_DEVICE_H
#define TV_CLI_RECORD_RECORD_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/cli.h"
#include "cli/options.h"

/* Options that only apps have. */
struct tv_record_device_options {
    const char *serial;
    const char *method;         /* "am" or "Debug"; NULL: am */
    const char *clock_type;     /* one of tv_record_device_clocks */
    const char *output_version; /* "1" or "2" */
    const char *start_activity; /* "": the launcher's; NULL: none is started */
    struct tv_time_value sampling;
    bool streaming;
    bool app_startup;
    bool no_view;
};

extern const char *const tv_record_device_clocks[];

/* What is asked for altogether. */
struct tv_record_device {
    const struct tv_record_device_options *options;
    const char *process;  /* a package, one of its processes, or a number */
    const char *output;   /* NULL: PACKAGE-DATE.trace */
    const char *progress; /* "json": told of on standard output; NULL: on a terminal alone */
    uint64_t duration_ns; /* 0: until it is ended */
    uint64_t buffer_len;  /* in bytes; 0: not asked for */
};

/* Whether the words behind the verb are of an app: one word that is a number, or the name of a
 * package and of no program in $PATH. */
bool tv_record_is_of_device(const struct tv_arguments *arguments);
/* What of this was asked for and is for apps alone; NULL: nothing. */
const char *tv_record_device_option(const struct tv_record_device_options *options);
/* Records, and returns a status. */
int tv_record_device_run(const struct tv_cli *cli, const struct tv_record_device *asked);

#endif
