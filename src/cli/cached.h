/*
 * The saved index of a trace in the user's cache: whoever needs an index looks for it there first;
 * only the viewer, and whoever asks for it, keeps one. It is of this very program, byte for byte:
 * the next one may read a trace otherwise, without any change of the index's own version.
 */
#ifndef TV_CLI_CACHED_H
#define TV_CLI_CACHED_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/error.h"
#include "cli/cli.h"
#include "index/index.h"
#include "index/saved/saved.h"
#include "os/cache.h"
#include "os/paths.h"

struct tv_cached {
    const struct tv_cli *cli;
    struct tv_saved_source source;
    bool has_identity; /* it is of files, which can be found again */
};

/*
 * Looks for the index of the files that a name stands for. True: `index` is it, and
 * cached->source tells more; the index is to be released. What is found damaged is removed.
 */
bool tv_cached_find(struct tv_cached *cached, const struct tv_cli *cli, const char *name,
                    struct tv_index *index);

/*
 * Looks for the index and checks every number of it (tv_saved_check). TV_ERR_NOT_FOUND: none is
 * saved. TV_ERR_FORMAT says what was wrong with the one that was, which is removed.
 */
enum tv_code tv_cached_check(struct tv_cached *cached, const struct tv_cli *cli, const char *name,
                             struct tv_error *err) TV_MUST_CHECK;

/* Whether there seems to be one, without a look into it. Where there is none, tv_cached_keep may
 * follow as after tv_cached_find. */
bool tv_cached_is_there(struct tv_cached *cached, const struct tv_cli *cli, const char *name);

/* A small trace is read as fast as its saved index; it is kept only where that was asked for. */
enum tv_keep { TV_KEEP_IF_WORTH, TV_KEEP_ASKED };

/*
 * Keeps an index that was built after tv_cached_find found none, while it is wanted (watch may be
 * NULL). TV_OK also where it is not worth it. TV_ERR_NOT_FOUND, TV_ERR_LIMIT,
 * TV_ERR_SYSTEM, TV_ERR_CANCELLED: it is not kept, which harms nobody.
 */
enum tv_code tv_cached_keep(const struct tv_cached *cached, const char *name,
                            const struct tv_index *index, enum tv_keep keep,
                            const struct tv_cache_watch *watch, struct tv_error *err) TV_MUST_CHECK;
/* Where the index is kept. */
enum tv_code tv_cached_path(const struct tv_cached *cached, char path[TV_PATH_CAP],
                            struct tv_error *err) TV_MUST_CHECK;

#endif
