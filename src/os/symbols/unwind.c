/*
 * Stacks of another process's threads; see os/symbols/unwind.h. libdw walks the stack by the
 * unwinding tables of the files that the process has mapped. Those are read once; when a stack has
 * an address in no known file, the process has loaded another, and they are read again. The thread
 * must be stopped by the caller (sampler.c).
 */
#include "os/symbols/unwind.h"

#ifdef TV_HAS_DW

#include "base/alloc.h"
#include "os/symbols/libdw.h"

struct tv_unwind {
    struct tv_libdw libdw;
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

enum tv_code tv_unwind_new(struct tv_unwind **unwind, pid_t process, const char **why,
                           struct tv_error *err)
{
    struct tv_unwind *made;
    *unwind = NULL;
    *why = "libdw (elfutils) is not installed";
    struct tv_libdw libdw;
    if (!tv_libdw_open(&libdw))
        return TV_OK;
    enum tv_code code = tv_alloc_new(tv_alloc_libc(), &made, 1, sizeof(*made), err);
    if (code != TV_OK) {
        tv_libdw_close(&libdw);
        return code;
    }
    made->libdw = libdw;
    made->callbacks = (Dwfl_Callbacks){.find_elf = libdw.dwfl_linux_proc_find_elf,
                                       .find_debuginfo = libdw.dwfl_standard_find_debuginfo};
    made->process = process;
    *unwind = made;
    return TV_OK;
}

void tv_unwind_forget(struct tv_unwind *unwind)
{
    if (unwind->dwfl)
        unwind->libdw.dwfl_end(unwind->dwfl);
    unwind->dwfl = NULL;
    unwind->generation++;
}

void tv_unwind_free(struct tv_unwind *unwind)
{
    if (!unwind)
        return;
    tv_unwind_forget(unwind);
    tv_libdw_close(&unwind->libdw);
    tv_alloc_release(tv_alloc_libc(), &unwind, 1, sizeof(*unwind));
}

/* Reads which files the process has mapped by now; addresses of an earlier generation mean nothing
 * afterwards. */
static bool look_at_files(struct tv_unwind *unwind)
{
    const struct tv_libdw *libdw = &unwind->libdw;
    tv_unwind_forget(unwind);
    unwind->dwfl = libdw->dwfl_begin(&unwind->callbacks);
    if (unwind->dwfl && libdw->dwfl_linux_proc_report(unwind->dwfl, unwind->process) == 0 &&
        libdw->dwfl_report_end(unwind->dwfl, NULL, NULL) == 0 &&
        libdw->dwfl_linux_proc_attach(unwind->dwfl, unwind->process, true) == 0)
        return true;
    tv_unwind_forget(unwind);
    return false;
}

/* A return address is the instruction behind the call; one byte less is inside the call, which is
 * what counts. */
static int take_frame(Dwfl_Frame *frame, void *of)
{
    struct walk *walk = of;
    const struct tv_libdw *libdw = &walk->unwind->libdw;
    Dwarf_Addr address;
    bool is_activation;
    if (walk->count == walk->cap || !libdw->dwfl_frame_pc(frame, &address, &is_activation))
        return DWARF_CB_ABORT;
    address -= is_activation ? 0 : 1;
    if (!libdw->dwfl_addrmodule(walk->unwind->dwfl, address))
        walk->unwind->meets_unknown = true;
    walk->addresses[walk->count++] = address;
    return DWARF_CB_OK;
}

static bool walk_stack(struct tv_unwind *unwind, pid_t thread, struct walk *walk)
{
    walk->count = 0;
    unwind->meets_unknown = false;
    return unwind->libdw.dwfl_getthread_frames(unwind->dwfl, thread, take_frame, walk) == 0;
}

/* Walks the stack, and once more if it met an unknown address and the list of files is not fresh.
 */
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
    const struct tv_libdw *libdw = &unwind->libdw;
    GElf_Addr bias;
    Dwfl_Module *module = unwind->dwfl ? libdw->dwfl_addrmodule(unwind->dwfl, address) : NULL;
    if (!module || !libdw->dwfl_module_getelf(module, &bias))
        return false;
    const char *file = NULL;
    const char *name = libdw->dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, &file, NULL);
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
    *why = "traceview was built without libdw: scripts/install build, then make build";
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
