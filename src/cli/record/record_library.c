/*
 * The recorder's libraries; see cli/record/record_library.h.
 *
 * A build folder, an installation and a package keep the libraries at different places beside the
 * program, and who copies it puts them into one folder with it, so they are looked for from where
 * the program itself is; the folder that was configured comes last. Nothing from the environment
 * decides this: the library runs inside the user's program.
 */
#include "cli/record/record_library.h"

#include <install_places.h> /* made by Meson: src/meson.build */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"

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
        if (is_installed_beside(path, folder, name) || is_in(path, folder, name))
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

/* What parts the words of LD_PRELOAD; the loader knows no quotes. */
static bool is_parted(const char *path)
{
    return strpbrk(path, " :") != NULL;
}

static bool leads_to(const char *link, const char *folder)
{
    char there[TV_PATH_CAP];
    return tv_path_real(there, link) && strcmp(there, folder) == 0;
}

/* One link for each folder: its name is made of the folder's. */
static bool make_link(char link[TV_PATH_CAP], const char *folder)
{
    char name[40];
    (void)snprintf(name, sizeof(name), "libraries-%016llx",
                   (unsigned long long)tv_hash_bytes(folder, strlen(folder)));
    if (tv_path_cache(link, name, NULL) != TV_OK || is_parted(link) ||
        tv_path_make_folders(link, NULL) != TV_OK)
        return false;
    return symlink(folder, link) == 0 || leads_to(link, folder);
}

enum tv_code tv_record_link_library(char path[TV_PATH_CAP], struct tv_error *err)
{
    char folder[TV_PATH_CAP], link[TV_PATH_CAP], whole[TV_PATH_CAP];
    const char *name = strrchr(path, '/') + 1;
    if (!is_parted(path))
        return TV_OK;
    (void)snprintf(link, sizeof(link), "%.*s", (int)(name - path - 1), path);
    if (!tv_path_real(folder, link) || (is_parted(folder) && !make_link(link, folder)))
        return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
                       "%s cannot be preloaded, since its path has a blank or a colon, and cannot "
                       "be linked to from the cache (XDG_CACHE_HOME): move traceview",
                       path);
    const int len =
        snprintf(whole, sizeof(whole), "%s/%s", is_parted(folder) ? link : folder, name);
    if (len >= TV_PATH_CAP)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "the path of %s is too long", name);
    memcpy(path, whole, (size_t)len + 1);
    return TV_OK;
}
