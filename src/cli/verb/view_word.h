/* A view of the page as a word of the command line: what stands behind the # of its address. Any
 * thread. */
#ifndef TV_CLI_VERB_VIEW_WORD_H
#define TV_CLI_VERB_VIEW_WORD_H

#include <stdbool.h>

/* The longest view that the page is given. */
#define TV_VIEW_MOST 8192u

/* Whether a word is a view as the page writes it: what an address may have behind its #. */
bool tv_is_view(const char *word);

#endif
