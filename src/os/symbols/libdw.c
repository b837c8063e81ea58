/*
 * Loads libdw when it is needed, so that the program runs where elfutils is not installed; see
 * os/symbols/libdw.h.
 */
#include "os/symbols/libdw.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/units.h"
#include "os/library.h"

#define LIBRARY "libdw.so.1"

bool tv_libdw_open(struct tv_libdw *libdw)
{
    *libdw = (struct tv_libdw){.handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL)};
    bool is_complete = libdw->handle != NULL;
#define LOAD(result, name, arguments)                                                              \
    is_complete = is_complete && tv_library_find(libdw->handle, #name, &libdw->name);
    TV_LIBDW_FUNCTIONS(LOAD)
#undef LOAD
    if (libdw->handle && !is_complete)
        tv_libdw_close(libdw);
    return is_complete;
}

void tv_libdw_close(struct tv_libdw *libdw)
{
    dlclose(libdw->handle);
    libdw->handle = NULL;
}

void tv_libdw_inode(const char *path, char text[TV_CODE_FILE_CAP])
{
    struct stat now;
    text[0] = '\0';
    if (stat(path, &now) == 0) {
        const struct tv_code_file_status status = {
            now.st_dev, now.st_ino, (uint64_t)now.st_size,
            tv_timespec_ns(now.st_mtim.tv_sec, now.st_mtim.tv_nsec)};
        tv_code_file_put_inode(text, &status);
    } else if (path[0] == '/') /* whatever has its path later is another one */
        (void)snprintf(text, TV_CODE_FILE_CAP, TV_CODE_FILE_INODE "gone");
}

void tv_libdw_code_file(const struct tv_libdw *libdw, Dwfl_Module *module, const char *path,
                        char text[TV_CODE_FILE_CAP])
{
    const unsigned char *id;
    GElf_Addr id_at;
    const int id_len = libdw->dwfl_module_build_id(module, &id, &id_at);
    if (id_len > 0)
        tv_code_file_put_build(text, id, (size_t)id_len);
    else
        tv_libdw_inode(path, text);
}
