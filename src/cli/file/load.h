/* From a name on the command line to an opened trace or a finished index. */
#ifndef TV_CLI_FILE_LOAD_H
#define TV_CLI_FILE_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "cli/cli.h"
#include "format/trace.h"
#include "index/build/build.h"
#include "index/index.h"
#include "os/file/file.h"
#include "os/file/paths.h"

/* How a trace is opened. */
struct tv_open_opts {
    /* Is told how far waiting for a pipe, and unpacking, have come; false cancels them. `of` is 0
     * where nobody knows. */
    bool (*tell)(void *ctx, uint64_t done, uint64_t of);
    void *ctx;
    bool unpacks_all;  /* the user trusts the file (--unpack-all) */
    bool only_regular; /* a pipe is refused, and so never waited for */
};

/* An opened trace and its bytes. Android 6 and 7 wrote the names of a stream's threads and methods
 * to a second file, NAME.sec, which is `side`. */
struct tv_opened {
    struct tv_file file;
    struct tv_file side;
    struct tv_trace trace;
};

void tv_opened_init(struct tv_opened *opened, const struct tv_alloc *alloc);
void tv_opened_release(struct tv_opened *opened);
enum tv_code tv_opened_open(struct tv_opened *opened, const char *name,
                            const struct tv_open_opts *opts, struct tv_error *err) TV_MUST_CHECK;

/* As tv_file_check, of all files that were opened. */
enum tv_code tv_opened_check(const struct tv_opened *opened, enum tv_code code,
                             struct tv_error *err) TV_MUST_CHECK;

/* The path of the tables beside the stream `name`. False: it is too long. */
bool tv_side_path(char path[TV_PATH_CAP], const char *name);

struct tv_index_cache;

/* Takes the index of a trace from the cache, or else builds it, with progress on the terminal.
 * `cached` is what the index can be saved by (cli/file/index_cache.h); *was_saved: it came from
 * there.
 */
enum tv_code tv_load(const struct tv_cli *cli, const char *name, struct tv_index_cache *cached,
                     struct tv_index *index, bool *was_saved, struct tv_error *err) TV_MUST_CHECK;

/* Takes or builds an index for a verb that reads other files, too: if the file is no trace,
 * `opened`, which is initialised, has its bytes. The caller releases `opened` in any case. */
enum tv_code tv_load_or_open(const struct tv_cli *cli, const char *name,
                             struct tv_index_cache *cached, struct tv_opened *opened,
                             struct tv_index *index, bool *was_saved,
                             struct tv_error *err) TV_MUST_CHECK;

/* Whether a load warns of what makes the trace's numbers other than they look (cli/warnings.h). An
 * answer that tells all findings needs no warnings. */
enum tv_warnings { TV_WARNINGS_TOLD, TV_WARNINGS_UNTOLD };
/* tv_load for a verb: a failure is printed. Returns a status; the index is to be released in any
 * case. */
int tv_load_for_verb(const struct tv_cli *cli, const char *name, enum tv_warnings warnings,
                     struct tv_index *index);
/* The same; *named_by is the mapping that its methods have their names of, NULL where none is
 * taken. It is the command line's. */
int tv_load_named(const struct tv_cli *cli, const char *name, enum tv_warnings warnings,
                  struct tv_index *index, const char **named_by);
/* The last part of a path, by which an answer calls the file. */
struct tv_str tv_file_label(const char *name);

#endif
