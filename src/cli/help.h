/* --help, --version and the words that shells complete, all made from the table of verbs. */
#ifndef TV_CLI_HELP_H
#define TV_CLI_HELP_H

#include "cli/cli.h"
#include "cli/verb.h"

void tv_help_program(const struct tv_cli *cli);
void tv_help_verb(const struct tv_cli *cli, const struct tv_verb *verb);
void tv_help_version(const struct tv_cli *cli);
/* Prints what a shell completes as the first word, one word a line. */
void tv_help_words(const struct tv_cli *cli);
/* Prints what a shell completes after a verb: its options; or where `option` is one of them with
 * few values, those values. `option` may be NULL. */
void tv_help_words_of(const struct tv_cli *cli, const struct tv_verb *verb, const char *option);

#endif
