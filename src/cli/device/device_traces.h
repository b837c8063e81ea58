/* The traces that lie on a device: what `am` wrote, and what apps wrote by themselves. */
#ifndef TV_CLI_DEVICE_DEVICE_TRACES_H
#define TV_CLI_DEVICE_DEVICE_TRACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory/arena.h"
#include "cli/device/device.h"

struct tv_device_file {
    const char *path;  /* in the arena; of a private file relative to the app's folder */
    const char *owner; /* the package whose private file it is, which is read as the app; or NULL */
    uint64_t len;
    int64_t changed_s;
};

struct tv_device_files {
    struct tv_arena texts;
    struct tv_device_file *of; /* newest first, then by path */
    size_t count, cap;
    enum tv_code code; /* the first failure of adding one */
};

void tv_device_files_init(struct tv_device_files *files, const struct tv_alloc *alloc);
void tv_device_files_release(struct tv_device_files *files);

/*
 * Finds the traces, NAME.trace, in /data/local/tmp and at the top of the external storage; those of
 * an app, whose package or one of whose processes is given, in its folders of the external storage,
 * and where it is debuggable in its own. With a package, those elsewhere count whose names have it.
 * NULL: no package.
 */
enum tv_code tv_device_find_traces(struct tv_device *device, const char *process,
                                   struct tv_device_files *files,
                                   struct tv_error *err) TV_MUST_CHECK;

/* Pulls one of them, a private one by the app's own rights. */
enum tv_code tv_device_take_file(struct tv_device *device, const struct tv_device_file *file,
                                 struct tv_device_pull *pull, struct tv_error *err) TV_MUST_CHECK;

/* The last part of its path, as a name for a file here: without what a terminal obeys, and no
 * option or hidden file. */
void tv_device_file_name(const struct tv_device_file *file, char name[TV_PATH_CAP]);

#endif
