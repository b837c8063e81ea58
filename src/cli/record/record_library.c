/*
 * The recorder's libraries; see cli/record/record_library.h.
 *
 * A build folder, an installation and a package keep the libraries at different places beside the
 * program, so they are looked for from where the program itself is; the folder that was configured
 * comes last. Nothing from the environment decides this: the library runs inside the user's
 * program.
 */
#include "cli/record/record_library.h"

#include <install_places.h> /* made by Meson: src/meson.build */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool is_in(char path[TV_PATH_CAP], const char *folder, const char *name)
{
    int len = snprintf(path, TV_PATH_CAP, "%s/%s", folder, name);
    return len > 0 && len < TV_PATH_CAP && access(path, R_OK) == 0;
}

/* A package puts what nobody links into a folder of the program's own. */
static bool is_among_libraries(char path[TV_PATH_CAP], const char *folder, const char *name)
{
    char own[TV_PATH_CAP];
    int len = snprintf(own, sizeof(own), "%s/traceview", folder);
    return is_in(path, folder, name) || (len < TV_PATH_CAP && is_in(path, own, name));
}

/* The library of a program in .../bin stands in the library folder beside it. The folder's name is
 * that of the install, so an install below DESTDIR is found where it is tried in place. */
static bool is_installed_beside(char path[TV_PATH_CAP], const char *bin, const char *name)
{
    static const char libraries[] = TV_LIBRARIES;
    static const char prefix[] = TV_PREFIX "/";
    char folder[TV_PATH_CAP];
    if (strncmp(libraries, prefix, sizeof(prefix) - 1) != 0)
        return false;
    int len = snprintf(folder, sizeof(folder), "%s/../%s", bin, libraries + sizeof(prefix) - 1);
    return len > 0 && len < TV_PATH_CAP && is_among_libraries(path, folder, name);
}

/* A build without a JDK has no agent, and says which line of `scripts/install` helps. */
enum tv_code tv_record_find_library(char path[TV_PATH_CAP], const char *name, struct tv_error *err)
{
    char folder[TV_PATH_CAP];
    ssize_t len = readlink("/proc/self/exe", folder, sizeof(folder) - sizeof("include"));
    if (len > 0) {
        folder[len] = '\0';
        char *slash = strrchr(folder, '/');
        *slash = '\0';
        if (is_installed_beside(path, folder, name))
            return TV_OK;
        memcpy(slash, "/include", sizeof("/include"));
        if (is_in(path, folder, name))
            return TV_OK;
    }
    if (is_among_libraries(path, TV_LIBRARIES, name))
        return TV_OK;
    return tv_fail(
        err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
        "%s is neither beside traceview nor in " TV_LIBRARIES "%s", name,
        TV_BUILT_JVM || strcmp(name, TV_RECORD_JAVA_LIBRARY) != 0
            ? ""
            : ": traceview was built without a JDK: scripts/install java, then make build");
}
