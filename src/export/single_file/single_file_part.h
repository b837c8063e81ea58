/*
 * What of a trace is in a single file: the part that is asked for, written as packets, and the
 * index of these bytes. So what the page shows without a script is what it holds, with hashes for
 * names where it has those.
 */
#ifndef TV_EXPORT_SINGLE_FILE_SINGLE_FILE_PART_H
#define TV_EXPORT_SINGLE_FILE_SINGLE_FILE_PART_H

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/memory/pool.h"
#include "export/export.h"
#include "index/index.h"

struct tv_single_file_part {
    struct tv_buffer bytes;
    struct tv_index index; /* of these bytes */
    struct tv_export_result result;
};

void tv_single_file_part_init(struct tv_single_file_part *part, const struct tv_alloc *alloc);
void tv_single_file_part_release(struct tv_single_file_part *part);

/* Fills `bytes` of an initialised part. pool may be NULL. */
enum tv_code tv_single_file_part_cut(struct tv_single_file_part *part, const struct tv_index *index,
                                     const struct tv_export_opts *opts, const struct tv_pool *pool,
                                     struct tv_error *err) TV_MUST_CHECK;
/* Fills `index` from `bytes`. */
enum tv_code tv_single_file_part_read_back(struct tv_single_file_part *part,
                                           const struct tv_pool *pool,
                                           struct tv_error *err) TV_MUST_CHECK;

#endif
