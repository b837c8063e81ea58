/* Stacks of another process's threads; see os/unwind.h. */
#include "os/unwind.h"

#ifdef TV_HAS_DW

#include <dlfcn.h>
#include <elfutils/libdwfl.h>

#include "base/alloc.h"
#include "os/library.h"

#define LIBRARY "libdw.so.1"

/* The functions of libdw that are used: X(result, name, arguments). */
#define FUNCTIONS(X)                                                                               \
    X(Dwfl *, dwfl_begin, (const Dwfl_Callbacks *))                                                \
    X(void, dwfl_end, (Dwfl *))                                                                    \
    X(int, dwfl_linux_proc_report, (Dwfl *, pid_t))                                                \
    X(int, dwfl_report_end,                                                                        \
      (Dwfl *, int (*)(Dwfl_Module *, void *, const char *, Dwarf_Addr, void *), void *))          \
    X(int, dwfl_linux_proc_attach, (Dwfl *, pid_t, bool))                                          \
    X(int, dwfl_getthread_frames, (Dwfl *, pid_t, int (*)(Dwfl_Frame *, void *), void *))          \
    X(bool, dwfl_frame_pc, (Dwfl_Frame *, Dwarf_Addr *, bool *))                                   \
    X(Dwfl_Module *, dwfl_addrmodule, (Dwfl *, Dwarf_Addr))                                        \
    X(Elf *, dwfl_module_getelf, (Dwfl_Module *, GElf_Addr *))                                     \
    X(const char *, dwfl_module_info,                                                              \
      (Dwfl_Module *, void ***, Dwarf_Addr *, Dwarf_Addr *, Dwarf_Addr *, Dwarf_Addr *,            \
       const char **, const char **))

#define FIELD(result, name, arguments) result(*name) arguments;
struct library {
    FUNCTIONS(FIELD)
};
#undef FIELD

struct tv_unwind {
    void *handle;
    struct library library;
    Dwfl_Callbacks callbacks;
    pid_t process;
    Dwfl *dwfl; /* NULL: nothing is known of the process yet */
    unsigned generation;
    bool meets_unknown; /* the last stack had an address of no file */
};

/* A stack while it is walked. */
struct walk {
    struct tv_unwind *unwind;
    uint64_t *addresses;
    size_t cap, count;
};

static bool load_all(struct tv_unwind *unwind)
{
    void *handle = unwind->handle;
    bool is_complete = true;
#define LOAD(result, name, arguments)                                                              \
    is_complete = tv_library_find(handle, #name, &unwind->library.name) && is_complete;
    FUNCTIONS(LOAD)
#undef LOAD
    return tv_library_find(handle, "dwfl_linux_proc_find_elf", &unwind->callbacks.find_elf) &&
           tv_library_find(handle, "dwfl_standard_find_debuginfo",
                           &unwind->callbacks.find_debuginfo) &&
           is_complete;
}

enum tv_code tv_unwind_new(struct tv_unwind **unwind, pid_t process, const char **why,
                           struct tv_error *err)
{
    struct tv_unwind *made;
    *unwind = NULL;
    *why = "libdw (elfutils) is not installed";
    void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return TV_OK;
    enum tv_code code = tv_alloc_new(tv_alloc_libc(), &made, 1, sizeof(*made), err);
    if (code != TV_OK) {
        dlclose(handle);
        return code;
    }
    made->handle = handle;
    made->process = process;
    if (load_all(made))
        *unwind = made;
    else
        tv_unwind_free(made);
    return TV_OK;
}

void tv_unwind_forget(struct tv_unwind *unwind)
{
    if (unwind->dwfl)
        unwind->library.dwfl_end(unwind->dwfl);
    unwind->dwfl = NULL;
    unwind->generation++;
}

void tv_unwind_free(struct tv_unwind *unwind)
{
    if (!unwind)
        return;
    tv_unwind_forget(unwind);
    dlclose(unwind->handle);
    tv_alloc_release(tv_alloc_libc(), &unwind, 1, sizeof(*unwind));
}

/* Looks which files the process has loaded by now. */
static bool look_at_files(struct tv_unwind *unwind)
{
    const struct library *library = &unwind->library;
    tv_unwind_forget(unwind);
    unwind->dwfl = library->dwfl_begin(&unwind->callbacks);
    if (unwind->dwfl && library->dwfl_linux_proc_report(unwind->dwfl, unwind->process) == 0 &&
        library->dwfl_report_end(unwind->dwfl, NULL, NULL) == 0 &&
        library->dwfl_linux_proc_attach(unwind->dwfl, unwind->process, true) == 0)
        return true;
    tv_unwind_forget(unwind);
    return false;
}

/* A return address is that of the instruction behind the call: the call itself is what counts. */
static int take_frame(Dwfl_Frame *frame, void *of)
{
    struct walk *walk = of;
    const struct library *library = &walk->unwind->library;
    Dwarf_Addr address;
    bool is_activation;
    if (walk->count == walk->cap || !library->dwfl_frame_pc(frame, &address, &is_activation))
        return DWARF_CB_ABORT;
    address -= is_activation ? 0 : 1;
    if (!library->dwfl_addrmodule(walk->unwind->dwfl, address))
        walk->unwind->meets_unknown = true;
    walk->addresses[walk->count++] = address;
    return DWARF_CB_OK;
}

static bool walk_stack(struct tv_unwind *unwind, pid_t thread, struct walk *walk)
{
    walk->count = 0;
    unwind->meets_unknown = false;
    return unwind->library.dwfl_getthread_frames(unwind->dwfl, thread, take_frame, walk) == 0;
}

bool tv_unwind_stack(struct tv_unwind *unwind, pid_t thread, uint64_t *addresses, size_t cap,
                     size_t *count)
{
    struct walk walk = {.unwind = unwind, .addresses = addresses, .cap = cap};
    bool is_new = !unwind->dwfl;
    *count = 0;
    if (is_new && !look_at_files(unwind))
        return false;
    bool is_whole = walk_stack(unwind, thread, &walk);
    if (unwind->meets_unknown && !is_new && look_at_files(unwind))
        is_whole = walk_stack(unwind, thread, &walk);
    *count = walk.count;
    return is_whole;
}

bool tv_unwind_file(struct tv_unwind *unwind, uint64_t address, const char **path,
                    uint64_t *in_file)
{
    const struct library *library = &unwind->library;
    GElf_Addr bias;
    Dwfl_Module *module = unwind->dwfl ? library->dwfl_addrmodule(unwind->dwfl, address) : NULL;
    if (!module || !library->dwfl_module_getelf(module, &bias))
        return false;
    const char *file = NULL;
    const char *name = library->dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, &file, NULL);
    *path = file ? file : name;
    *in_file = address - bias;
    return *path != NULL;
}

unsigned tv_unwind_generation(const struct tv_unwind *unwind)
{
    return unwind->generation;
}

#else

enum tv_code tv_unwind_new(struct tv_unwind **unwind, pid_t process, const char **why,
                           struct tv_error *err)
{
    (void)process;
    (void)err;
    *unwind = NULL;
    *why = "traceview was built without libdw (libdw-dev)";
    return TV_OK;
}

void tv_unwind_free(struct tv_unwind *unwind)
{
    (void)unwind;
}

void tv_unwind_forget(struct tv_unwind *unwind)
{
    (void)unwind;
}

bool tv_unwind_stack(struct tv_unwind *unwind, pid_t thread, uint64_t *addresses, size_t cap,
                     size_t *count)
{
    (void)unwind;
    (void)thread;
    (void)addresses;
    (void)cap;
    *count = 0;
    return false;
}

bool tv_unwind_file(struct tv_unwind *unwind, uint64_t address, const char **path,
                    uint64_t *in_file)
{
    (void)unwind;
    (void)address;
    (void)path;
    (void)in_file;
    return false;
}

unsigned tv_unwind_generation(const struct tv_unwind *unwind)
{
    (void)unwind;
    return 0;
}

#endif
