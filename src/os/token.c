/* Tokens: 128 bits of the kernel's randomness, as text. See os/token.h. */
#include "os/token.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>

#include "base/error.h"

enum tv_code tv_token_make(char token[TV_TOKEN_LEN + 1], struct tv_error *err)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t bytes[TV_TOKEN_LEN / 2];
    /* The kernel gives up to 256 bytes whole, or none. */
    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "no random numbers: %s", strerror(errno));
    for (size_t i = 0; i < sizeof(bytes); i++) {
        token[2 * i] = digits[bytes[i] >> 4];
        token[2 * i + 1] = digits[bytes[i] & 15];
    }
    token[TV_TOKEN_LEN] = '\0';
    return TV_OK;
}
