/*
 * Ids as clients write them; see store/trace_id.h.
 *
 * Whoever is asked for a trace has its link, so a link will do wherever an id is wanted by people:
 * the id is its last part, before what a browser adds for a view.
 */
#include "store/trace_id.h"

#include <string.h>

#include "os/token.h"

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
