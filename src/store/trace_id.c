/*
 * Ids as clients write them; see store/trace_id.h.
 *
 * Whoever is asked for a trace has its link, so a link will do wherever an id is wanted by people:
 * the id is its last part, before what a browser adds for a view.
 */
#include "store/trace_id.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "os/token.h"

/* The digits of an id that tell the part of a second, of these parts. */
#define PART_DIGITS 3
#define PARTS 4096u

/* What is made when the second is over, as an upload that took long, has its end. */
static unsigned part_of(int64_t created, uint64_t now_ns)
{
    const uint64_t begin_ns = (uint64_t)created * TV_NS_PER_S;
    if (now_ns < begin_ns)
        return 0;
    return now_ns - begin_ns < TV_NS_PER_S ? (unsigned)((now_ns - begin_ns) * PARTS / TV_NS_PER_S)
                                           : PARTS - 1;
}

enum tv_code tv_trace_id_make(struct tv_id *id, int64_t created, uint64_t now_ns,
                              struct tv_error *err)
{
    char part[PART_DIGITS + 1];
    TV_TRY(tv_token_make(id->hex, err));
    (void)snprintf(part, sizeof(part), "%03x", part_of(created, now_ns) % PARTS);
    memcpy(id->hex, part, PART_DIGITS);
    return TV_OK;
}

bool tv_trace_id_read(struct tv_str text, struct tv_id *id)
{
    if (!tv_token_is(text))
        return false;
    memcpy(id->hex, text.at, text.len);
    id->hex[text.len] = '\0';
    return true;
}

bool tv_trace_id_of_link(struct tv_str link, struct tv_id *id)
{
    struct tv_str text = tv_str_trim(link);
    size_t len = 0;
    while (len < text.len && text.at[len] != '?' && text.at[len] != '#')
        len++;
    text.len = len;
    while (text.len > TV_TOKEN_LEN && text.at[text.len - 1] == '/')
        text.len--;
    if (text.len > TV_TOKEN_LEN && text.at[text.len - TV_TOKEN_LEN - 1] == '/')
        text = (struct tv_str){text.at + text.len - TV_TOKEN_LEN, TV_TOKEN_LEN};
    return tv_trace_id_read(text, id);
}
