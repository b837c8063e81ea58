/*
 * What exports need beyond memory and a sink: a way to pack parts of a file, and a database for a
 * format that is one. Whoever runs an export opens the tools for it.
 */
#ifndef TV_SERVED_EXPORT_TOOLS_H
#define TV_SERVED_EXPORT_TOOLS_H

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/block_packer.h"
#include "export/export.h"
#include "os/file/compress.h"

struct tv_sqlite_database;

struct tv_export_tools {
    const struct tv_alloc *alloc;
    struct tv_block_pack pack;
    struct tv_block_packer packer;
    struct tv_sqlite_database *database; /* NULL: the format needs none */
};

/* Opens what the format needs, and names it in the options. The tools must not move, and are closed
 * after the export. Nothing is to be closed after a failure. */
enum tv_code tv_export_tools_open(struct tv_export_tools *tools, const struct tv_export *format,
                                  const struct tv_alloc *alloc, struct tv_export_opts *opts,
                                  struct tv_error *err) TV_MUST_CHECK;
void tv_export_tools_close(struct tv_export_tools *tools);

#endif
