/*
 * Which words are views; see cli/verb/view_word.h. The word becomes a part of an address that a
 * browser is started with, so only what the page itself writes passes.
 */
#include "cli/verb/view_word.h"

#include <string.h>

bool tv_is_view(const char *word)
{
    static const char signs[] = "-._~!$&'()*+,;=:@/?%|#[]";
    if (word[0] != '#' || strlen(word) > TV_VIEW_MOST)
        return false;
    for (const char *at = word + 1; *at; at++) {
        bool is_letter = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z');
        if (!is_letter && !(*at >= '0' && *at <= '9') && !strchr(signs, *at))
            return false;
    }
    return true;
}
