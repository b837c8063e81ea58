/*
 * No pager: where the command is WebAssembly, it can start no program; see cli/terminal/pager.h.
 * The answer is then printed as a whole.
 */
#include "cli/terminal/pager.h"

bool tv_pager_show(struct tv_str bytes)
{
    (void)bytes;
    return false;
}
