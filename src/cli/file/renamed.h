/*
 * Reading a trace with the names of its source: what --mapping and --mappings mean. Methods are
 * renamed while the index is built, so everything that is asked of the index has these names.
 */
#ifndef TV_CLI_FILE_RENAMED_H
#define TV_CLI_FILE_RENAMED_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "cli/cli.h"
#include "format/trace.h"
#include "retrace/renaming_choice.h"

struct tv_renamed {
    const struct tv_cli *cli;
    const struct tv_trace *trace;
    /* Of one mapping its retracer and its renaming alone are used, and its choice at the end. */
    struct tv_renaming_choice chosen;
};

/* Reads the mapping of the command line, and has the trace's methods renamed by it, or by the one
 * of a folder that fits; does nothing where there is none. It reads bytes that nobody vouches for:
 * call it in the Landlock domain (os/sandbox). To be ended in any case; *renamed must not move
 * until then. */
enum tv_code tv_renamed_begin(struct tv_renamed *renamed, const struct tv_cli *cli,
                              struct tv_trace *trace, struct tv_error *err) TV_MUST_CHECK;
/* The code of building an index; or TV_ERR_ARGUMENT, where that went well and the one mapping is of
 * another build, unless the user insists on it. *choice is what tv_renamed_way takes. */
enum tv_code tv_renamed_end(struct tv_renamed *renamed, enum tv_code code,
                            struct tv_mapping_choice *choice, struct tv_error *err) TV_MUST_CHECK;

/* In how many ways the names of a trace may come out. Of one mapping: by it; by it though the trace
 * names another, where it is forced; and by none, or twice where it is forced, since the trace has
 * the names of its source. Of a folder: one for each of its mappings, one where none fits, one
 * where two fit, and one where the trace has the names of its source. */
size_t tv_renamed_ways(const struct tv_cli *cli);
/* What tells a saved index with the names of one way from others; 0: the names of the file. */
uint64_t tv_renamed_sum(const struct tv_cli *cli, size_t way);
size_t tv_renamed_way(const struct tv_cli *cli, const struct tv_mapping_choice *choice);
/* The name of the mapping that is taken that way; NULL: none is. */
const char *tv_renamed_name(const struct tv_cli *cli, size_t way);
/* Tells which mapping of a folder the names of a trace are of, or that none fits; of one that is
 * forced, that it is of another build. `choice` is NULL
 * of a saved index, which knows its way alone. */
void tv_renamed_tell(const struct tv_cli *cli, const char *trace, size_t way,
                     const struct tv_mapping_choice *choice);

#endif
