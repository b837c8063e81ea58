/*
 * No cache of indexes: where the command is WebAssembly, each trace is read anew; see
 * cli/file/index_cache.h. A saved index is mapped, and here it would have to be read, which takes
 * as long as the trace.
 */
#include "cli/file/index_cache.h"

void tv_index_cache_set_way(struct tv_index_cache *cached, size_t way)
{
    cached->way = way;
}

bool tv_index_cache_find(struct tv_index_cache *cached, const struct tv_cli *cli, const char *name,
                         struct tv_index *index)
{
    (void)name, (void)index;
    *cached = (struct tv_index_cache){.cli = cli};
    return false;
}
