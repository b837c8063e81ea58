/* Tokens: texts that nobody can guess. */
#ifndef TV_OS_TOKEN_H
#define TV_OS_TOKEN_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"

#define TV_TOKEN_LEN 32u

/* TV_TOKEN_LEN hexadecimal digits from the system's random source (128 bits), and a NUL. */
enum tv_code tv_token_make(char token[TV_TOKEN_LEN + 1], struct tv_error *err) TV_MUST_CHECK;
/* Whether a text has the form of a token: TV_TOKEN_LEN lower-case hexadecimal digits. Ids of traces
 * have it, too. */
bool tv_token_is(struct tv_str text);

#endif
