/* Files of a store in a folder of the disk: files/ab/cdef..., the first two digits of a name and
 * the others. */
#ifndef TV_STORE_FOLDER_FILES_H
#define TV_STORE_FOLDER_FILES_H

#include "base/alloc.h"
#include "base/compiler.h"
#include "store/store_files.h"

/* Opens a folder that is there; files->close releases what is opened. */
enum tv_code tv_folder_files_open(struct tv_store_files *files, const char *dir,
                                  const struct tv_alloc *alloc, struct tv_error *err) TV_MUST_CHECK;
/* Removes copies that a process which was killed has left in an open folder. A failure costs some
 * room and nothing else, so it is not told. */
void tv_folder_files_sweep(const struct tv_store_files *files);

#endif
