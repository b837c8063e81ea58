/* --help, --version and what shells complete, all out of the table of verbs. */
#ifndef TV_CLI_HELP_H
#define TV_CLI_HELP_H

#include "cli/cli.h"
#include "cli/verb.h"

void tv_help_program(const struct tv_cli *cli);
void tv_help_verb(const struct tv_cli *cli, const struct tv_verb *verb);
void tv_help_version(const struct tv_cli *cli);
/* What a shell completes, one word a line: what may come first, */
void tv_help_words(const struct tv_cli *cli);
/* the options of a verb, or the values of one of them where they are few (`option` may be NULL). */
void tv_help_words_of(const struct tv_cli *cli, const struct tv_verb *verb, const char *option);

#endif
