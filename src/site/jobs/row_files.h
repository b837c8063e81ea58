/*
 * The rows of traces as files of Parquet, one for each build of each app, so that other tools ask
 * them without this program: FOLDER/APP/BUILD.parquet. What has no label app or build is in
 * `%none`. The files tell what is known when they are written, of whoever's traces count.
 */
#ifndef TV_SITE_JOBS_ROW_FILES_H
#define TV_SITE_JOBS_ROW_FILES_H

#include "site/jobs/row_keeper.h"

struct tv_row_files {
    uint64_t files, runs, rows; /* written */
    uint64_t without_rows;      /* traces that count, and whose rows are not made yet */
};
/* Writes the files into a folder, which is made where it is missing. TV_ERR_CONFLICT: the folder is
 * not empty. */
enum tv_code tv_row_files_write(const struct tv_row_keeper *keeper, const char *folder, int64_t now,
                                struct tv_row_files *files, struct tv_error *err) TV_MUST_CHECK;

#endif
