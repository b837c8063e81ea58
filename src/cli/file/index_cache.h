/*
 * The saved index of a trace in the user's cache (os/file/cache.h, index/saved/saved.h).
 *
 * Whoever needs an index looks for a saved one first. Only the viewer saves indexes, and the verb
 * index. An index is found by its identity, which is that of the trace's files and of the running
 * program: another build of the program may read the trace otherwise.
 */
#ifndef TV_CLI_FILE_INDEX_CACHE_H
#define TV_CLI_FILE_INDEX_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/error.h"
#include "cli/cli.h"
#include "index/index.h"
#include "index/saved/saved.h"
#include "os/file/cache.h"
#include "os/file/paths.h"

struct tv_index_cache {
    const struct tv_cli *cli;
    struct tv_saved_source source;
    size_t way;        /* in which the trace's names came out (cli/file/renamed.h) */
    bool has_identity; /* false: of what is no file, or where no cache is used */
};

/*
 * Looks for the saved index of the files that a name stands for. True: `index` is the saved one, is
 * to be released, and cached->source tells more. A damaged index is removed from the cache.
 */
bool tv_index_cache_find(struct tv_index_cache *cached, const struct tv_cli *cli, const char *name,
                         struct tv_index *index);
/*
 * Looks for the saved index and checks every number of it (tv_saved_check). TV_ERR_NOT_FOUND: none
 * is saved. TV_ERR_FORMAT says what is wrong with the saved one, which is removed.
 */
enum tv_code tv_index_cache_check(struct tv_index_cache *cached, const struct tv_cli *cli,
                                  const char *name, struct tv_error *err) TV_MUST_CHECK;
/* Whether the cache has a file for the index; nothing reads the file. Afterwards the index of the
 * trace can be saved, as after tv_index_cache_find. */
bool tv_index_cache_is_there(struct tv_index_cache *cached, const struct tv_cli *cli,
                             const char *name);

/* Which indexes are saved. A small trace is read as fast as its saved index is opened. */
enum tv_save_which { TV_SAVE_IF_WORTH, TV_SAVE_ASKED };

/* Says of an index that was built in which way its names came out, before it is saved. */
void tv_index_cache_set_way(struct tv_index_cache *cached, size_t way);

/*
 * Saves an index that was built after tv_index_cache_find found none, as long as `watch` wants it
 * (NULL: to the end). TV_OK also where the index is not worth saving. TV_ERR_NOT_FOUND,
 * TV_ERR_LIMIT, TV_ERR_SYSTEM, TV_ERR_CANCELLED: the index is not saved.
 */
enum tv_code tv_index_cache_save(const struct tv_index_cache *cached, const char *name,
                                 const struct tv_index *index, enum tv_save_which which,
                                 const struct tv_cache_watch *watch,
                                 struct tv_error *err) TV_MUST_CHECK;
/* Where the index is saved. */
enum tv_code tv_index_cache_path(const struct tv_index_cache *cached, char path[TV_PATH_CAP],
                                 struct tv_error *err) TV_MUST_CHECK;

#endif
