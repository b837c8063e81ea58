/*
 * The regular files below a folder, those of folders in it too: for folders that a build has left,
 * and whose size nobody vouches for. No symbolic link is followed, and what begins with a point is
 * not looked at.
 */
#ifndef TV_OS_FILE_FOLDER_TREE_H
#define TV_OS_FILE_FOLDER_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"

/* The most entries that are read, and the most levels of folders. */
#define TV_FOLDER_TREE_MOST 50000u
#define TV_FOLDER_TREE_LEVELS 16u

struct tv_folder_tree {
    const struct tv_alloc *alloc;
    struct tv_arena texts;
    const char **paths; /* below the folder, in order of their bytes: "a/b.trace" */
    size_t count, cap;
    bool is_cut; /* the folder has more than is read */
};

void tv_folder_tree_init(struct tv_folder_tree *tree, const struct tv_alloc *alloc);
void tv_folder_tree_release(struct tv_folder_tree *tree);
/* TV_ERR_NOT_FOUND: there is no such folder; TV_ERR_SYSTEM: it cannot be read. A folder in it that
 * cannot be read is passed over, as if it were cut. */
enum tv_code tv_folder_tree_read(struct tv_folder_tree *tree, const char *folder,
                                 struct tv_error *err) TV_MUST_CHECK;

#endif
