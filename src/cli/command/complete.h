/*
 * What can stand next on a command line, for shells that complete it: the hidden option
 * "--complete N WORD...", where the words are those behind "traceview", and word N is the one that
 * is being typed.
 *
 * The first line of the answer says which files can stand there as well: "none", "any", "folders",
 * or "ending" with the ends of their names. Each further line is a word, and after a tab what it
 * means. A word that ends in a point goes on. So a shell needs to know nothing of traceview, and
 * cannot fall behind it: all comes from the table of verbs and options, and names from the saved
 * index of the file on the line. No index is built, since a shell waits for the answer.
 */
#ifndef TV_CLI_COMMAND_COMPLETE_H
#define TV_CLI_COMMAND_COMPLETE_H

#include <stddef.h>

#include "cli/cli.h"

/* Answers the words behind "--complete". Returns a status. */
int tv_complete(const struct tv_cli *cli, char *const *words, size_t word_count);

#endif
