/*
 * Answers and messages in the log of a job. GitHub's and Azure's runners and TeamCity take lines of
 * a log for commands: "::error::..." where it begins a line, behind blanks too, and "##[...]",
 * "##vso[...]" and "##teamcity[...]" anywhere. A method or a file may be called so, and a trace may
 * be a stranger's. In such a log one sign of each is escaped, which leaves nothing that a runner
 * obeys.
 */
#ifndef TV_CLI_TERMINAL_LOG_COMMANDS_H
#define TV_CLI_TERMINAL_LOG_COMMANDS_H

#include "base/str.h"
#include "cli/wording.h"

/* Appends a text, or a whole JSON or XML document, in which nothing is a command: a sign is escaped
 * as the language of the text has it, and in plain text as names are, \x23. */
void tv_log_add(struct tv_text *out, struct tv_str text);

#endif
