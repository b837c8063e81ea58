/* A pager for answers that are longer than the screen, as git has one. */
#ifndef TV_CLI_TERMINAL_PAGER_H
#define TV_CLI_TERMINAL_PAGER_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/str.h"

/*
 * Shows the bytes in the user's pager, and waits until it ends: the program of PAGER, or else less.
 * Where the user has not set LESS, less keeps colours, and ends at once if all fits (FRX).
 * False: there is no pager, so whoever asks writes the bytes.
 */
bool tv_pager_show(struct tv_str bytes) TV_MUST_CHECK;

#endif
