/*
 * What a person seems to have meant by words that are no command: a slip of the keyboard, the word
 * of another tool, words in another order. Each function says it in one line, with the command to
 * type instead where it is known, and returns a status.
 */
#ifndef TV_CLI_COMMAND_HINTS_H
#define TV_CLI_COMMAND_HINTS_H

#include <stddef.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/verb.h"

/* The verb that the word is, or NULL. */
const struct tv_verb *tv_find_verb(const char *word);

/* Words of which the first is no verb. TV_STATUS_FINE: nothing speaks against a file for the
 * viewer. */
int tv_hint_first_word(const struct tv_cli *cli, char *const *words, size_t count);
/* A word that was given to help and is no verb. */
int tv_hint_help(const struct tv_cli *cli, const char *word);
/* `unknown` is one of the words behind the verb, and not an option of the verb. */
int tv_hint_option(const struct tv_cli *cli, const struct tv_verb *verb, char *const *words,
                   size_t count, const char *unknown);
/* Arguments that the verb does not take in this number or order, `words` being all words behind
 * the verb. TV_STATUS_FINE: it takes them. */
int tv_hint_arguments(const struct tv_cli *cli, const struct tv_verb *verb, char *const *words,
                      size_t count, const struct tv_arguments *arguments);

#endif
