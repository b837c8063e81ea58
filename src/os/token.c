/*
 * Tokens: 128 bits of the kernel's randomness, as text. See os/token.h.
 *
 * Some of them open what is meant for those alone who have them: the page of the viewer, the trace
 * of an upload. So they come from getrandom(2), which is never asked twice for one token, and a
 * system that has no randomness gives none rather than a bad one. Hexadecimal digits go into
 * addresses without escapes.
 */
#include "os/token.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>

#include "base/error.h"
#include "base/hex.h"

enum tv_code tv_token_make(char token[TV_TOKEN_LEN + 1], struct tv_error *err)
{
    uint8_t bytes[TV_TOKEN_LEN / 2];
    /* The kernel gives up to 256 bytes whole, or none. */
    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "no random numbers: %s", strerror(errno));
    tv_hex_put(token, bytes, sizeof(bytes));
    token[TV_TOKEN_LEN] = '\0';
    return TV_OK;
}

bool tv_token_is(struct tv_str text)
{
    return text.len == TV_TOKEN_LEN && tv_hex_is(text);
}
