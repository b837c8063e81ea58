/*
 * Text in addresses and forms, with %XX for bytes that could mean something there; see
 * base/text/percent.h.
 */
#include "base/text/percent.h"

#include <string.h>

#include "base/hex.h"

bool tv_percent_next(struct tv_str raw, size_t *at, char *byte)
{
    const size_t i = (*at)++;
    *byte = raw.at[i] == '+' ? ' ' : raw.at[i];
    if (raw.at[i] != '%')
        return true;
    const bool is_whole = raw.len - i > 2;
    const int high = is_whole ? tv_hex_value(raw.at[i + 1]) : -1;
    const int low = is_whole ? tv_hex_value(raw.at[i + 2]) : -1;
    if (high < 0 || low < 0)
        return false;
    *byte = (char)(high << 4 | low);
    *at += 2;
    return true;
}

void tv_percent_put(struct tv_out *out, struct tv_str text)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    for (size_t i = 0; i < text.len; i++) {
        if (memchr(plain, text.at[i], sizeof(plain) - 1))
            tv_out_bytes(out, &text.at[i], 1);
        else
            tv_out_add(out, "%%%02X", (unsigned)(uint8_t)text.at[i]);
    }
}
