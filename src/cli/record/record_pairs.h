/*
 * `record --pairs N -- OLD -- NEW`: two programs recorded in turns, so that both have the machine
 * in common, and compared.
 */
#ifndef TV_CLI_RECORD_RECORD_PAIRS_H
#define TV_CLI_RECORD_RECORD_PAIRS_H

#include <stdint.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/record/record_program.h"

#define TV_RECORD_PAIRS_MOST 100u

/* Records, and becomes `traceview diff`; returns a status where that could not be. The options'
 * `output` is the folder of the traces; NULL: `pairs`. */
int tv_record_pairs(const struct tv_cli *cli, const struct tv_record_program_options *options,
                    uint64_t pairs, const struct tv_arguments *arguments);

#endif
