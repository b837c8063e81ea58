/*
 * Walking over folders; see os/file/folder_tree.h. Folders that are found wait in a list, so a walk
 * has one folder open at a time and no recursion.
 */
#include "os/file/folder_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory/sort.h"
#include "os/file/paths.h"

/* A folder that waits to be read. */
struct waiting {
    const char *path; /* below the first one; empty: it is that one */
    unsigned level;
};

struct walk {
    struct tv_folder_tree *tree;
    const char *folder;
    struct waiting *waiting;
    size_t count, cap;
    size_t seen; /* entries */
};

void tv_folder_tree_init(struct tv_folder_tree *tree, const struct tv_alloc *alloc)
{
    *tree = (struct tv_folder_tree){.alloc = alloc};
    tv_arena_init(&tree->texts, alloc);
}

void tv_folder_tree_release(struct tv_folder_tree *tree)
{
    tv_alloc_release(tree->alloc, &tree->paths, tree->cap, sizeof(*tree->paths));
    tv_arena_release(&tree->texts);
    tv_folder_tree_init(tree, tree->alloc);
}

/* "FOLDER/NAME", or the name where the folder is empty. */
static enum tv_code join(struct walk *walk, const char *folder, const char *name, char **path,
                         struct tv_error *err)
{
    const size_t len = strlen(folder) + strlen(name) + 2;
    TV_TRY(tv_arena_take(&walk->tree->texts, len, path, err));
    (void)snprintf(*path, len, "%s%s%s", folder, *folder ? "/" : "", name);
    return TV_OK;
}

static enum tv_code add_entry(struct walk *walk, const struct waiting *of, int folder,
                              const char *name, struct tv_error *err)
{
    struct tv_folder_tree *tree = walk->tree;
    struct stat status;
    char *path;
    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return TV_OK;
    if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
        return TV_OK;
    if (S_ISDIR(status.st_mode) && of->level == TV_FOLDER_TREE_LEVELS) {
        tree->is_cut = true;
        return TV_OK;
    }
    TV_TRY(join(walk, of->path, name, &path, err));
    if (S_ISREG(status.st_mode)) {
        TV_TRY(tv_alloc_grow(tree->alloc, &tree->paths, &tree->cap, tree->count + 1,
                             sizeof(*tree->paths), err));
        tree->paths[tree->count++] = path;
        return TV_OK;
    }
    TV_TRY(tv_alloc_grow(tree->alloc, &walk->waiting, &walk->cap, walk->count + 1,
                         sizeof(*walk->waiting), err));
    walk->waiting[walk->count++] = (struct waiting){path, of->level + 1};
    return TV_OK;
}

static enum tv_code read_entries(struct walk *walk, const struct waiting *of, DIR *opened,
                                 struct tv_error *err)
{
    const struct dirent *entry;
    while ((entry = readdir(opened)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        if (walk->seen++ == TV_FOLDER_TREE_MOST) {
            walk->tree->is_cut = true;
            return TV_OK;
        }
        TV_TRY(add_entry(walk, of, dirfd(opened), entry->d_name, err));
    }
    return TV_OK;
}

static enum tv_code read_folder(struct walk *walk, struct waiting of, struct tv_error *err)
{
    char path[TV_PATH_CAP];
    const char *slash = *of.path ? "/" : "";
    int len = snprintf(path, sizeof(path), "%s%s%s", walk->folder, slash, of.path);
    DIR *opened = len < 0 || (size_t)len >= sizeof(path) ? NULL : opendir(path);
    if (!opened && of.level) {
        walk->tree->is_cut = true;
        return TV_OK;
    }
    if (!opened)
        return tv_fail(err, errno == ENOENT ? TV_ERR_NOT_FOUND : TV_ERR_SYSTEM, TV_NO_OFFSET,
                       "the folder cannot be read: %s", strerror(errno));
    enum tv_code code = read_entries(walk, &of, opened, err);
    (void)closedir(opened);
    return code;
}

static int compare_paths(const void *ctx, uint32_t a, uint32_t b)
{
    const char *const *paths = ctx;
    return strcmp(paths[a], paths[b]);
}

enum tv_code tv_folder_tree_read(struct tv_folder_tree *tree, const char *folder,
                                 struct tv_error *err)
{
    struct walk walk = {.tree = tree, .folder = folder};
    tv_folder_tree_release(tree);
    enum tv_code code = read_folder(&walk, (struct waiting){"", 0}, err);
    while (code == TV_OK && walk.count)
        code = read_folder(&walk, walk.waiting[--walk.count], err);
    tv_alloc_release(tree->alloc, &walk.waiting, walk.cap, sizeof(*walk.waiting));
    if (code == TV_OK)
        code = tv_sort_rows(tree->alloc, tree->paths, tree->count, sizeof(*tree->paths),
                            compare_paths, tree->paths, err);
    return code;
}
