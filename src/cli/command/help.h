/* --help and --version, made from the table of verbs; --licenses, made by scripts/make_notices. */
#ifndef TV_CLI_COMMAND_HELP_H
#define TV_CLI_COMMAND_HELP_H

#include "cli/cli.h"
#include "cli/verb.h"

void tv_help_program(const struct tv_cli *cli);
void tv_help_verb(const struct tv_cli *cli, const struct tv_verb *verb);
void tv_help_version(const struct tv_cli *cli);
/* The licence of the program, and of each part of this build that others wrote. */
void tv_help_licenses(const struct tv_cli *cli);

#endif
