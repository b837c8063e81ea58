/*
 * A mapping file that came through the page of the viewer, for one trace. A trace that has one is
 * read as if --mapping had named it: what the command line gives is not looked at then.
 */
#ifndef TV_CLI_FILE_PAGE_MAPPING_H
#define TV_CLI_FILE_PAGE_MAPPING_H

#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"
#include "cli/cli.h"
#include "os/file/file.h"
#include "retrace/mapping_choice.h"
#include "server/state.h"

struct tv_page_mapping {
    struct tv_cli cli; /* as the command line's, with this mapping in its place */
    struct tv_file file;
    struct tv_str text;
    const char *name;
};

/* Opens the mapping of an origin, which outlives it; without one `cli` stays that of the command
 * line. To be released in any case, and not to be moved. Fails as tv_file_open_alone. */
enum tv_code tv_page_mapping_open(struct tv_page_mapping *mapping, const struct tv_cli *cli,
                                  const struct tv_origin_mapping *of,
                                  struct tv_error *err) TV_MUST_CHECK;
void tv_page_mapping_release(struct tv_page_mapping *mapping);
/* What the page is told about the names of a trace; `choice` is NULL for a saved index. */
void tv_page_mapping_tell(const struct tv_cli *cli, size_t way,
                          const struct tv_mapping_choice *choice, struct tv_names_known *names);

#endif
