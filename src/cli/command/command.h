/* The whole command, from words to a status. main.c has nothing else, so that this folder is a
 * library like the others. */
#ifndef TV_CLI_COMMAND_COMMAND_H
#define TV_CLI_COMMAND_COMMAND_H

struct tv_cli;

/* Runs the program; words[0] is its name. Returns its status. */
int tv_command(int word_count, char *const *words);
/* Runs the program with a `cli` that is set up already; the answer is flushed, and its stream
 * closed. Returns a status. */
int tv_command_run(struct tv_cli *cli, int word_count, char *const *words);

#endif
