/*
 * Reading a trace with the names of its source: what --mapping means. Methods are renamed while the
 * index is built, so everything that is asked of the index has these names.
 */
#ifndef TV_CLI_FILE_RENAMED_H
#define TV_CLI_FILE_RENAMED_H

#include "base/compiler.h"
#include "base/error.h"
#include "cli/cli.h"
#include "format/trace.h"
#include "retrace/renaming.h"
#include "retrace/retrace.h"

struct tv_renamed {
    const struct tv_cli *cli;
    struct tv_retracer retracer;
    struct tv_renaming renaming;
};

/* Reads the mapping of the command line, and has the trace's methods renamed by it; does nothing
 * where there is none. It reads bytes that nobody vouches for: call it in the Landlock domain
 * (os/sandbox). To be ended in any case; *renamed must not move until then. */
enum tv_code tv_renamed_begin(struct tv_renamed *renamed, const struct tv_cli *cli,
                              struct tv_trace *trace, struct tv_error *err) TV_MUST_CHECK;
/* The code of building an index; or TV_ERR_ARGUMENT, where that went well and the mapping is of
 * another build, unless the user insists on it. */
enum tv_code tv_renamed_end(struct tv_renamed *renamed, enum tv_code code,
                            struct tv_error *err) TV_MUST_CHECK;

#endif
