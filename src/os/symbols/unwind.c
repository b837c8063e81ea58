/*
 * Stacks of another process's threads; see os/symbols/unwind.h. libdw walks the stack by the
 * unwinding tables of the files that the process has mapped. Those are read once; when a stack has
 * an address in no known file, the process may have loaded another, and they are read again where
 * it has: reading them takes up to tens of milliseconds, and stacks of code that the process makes
 * itself, or that cannot be followed, have such addresses again and again. One that was closed may
 * have made room for another at the same addresses: where nobody tells of code that is mapped
 * (tv_unwind_mapped), it is looked now and then whether other files are there. The thread must be
 * stopped by the caller (sampler.c), or wait, or its stack be a copy.
 */
#include "os/symbols/unwind.h"

#ifdef TV_HAS_DW

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/memory/arena.h"
#include "base/str.h"
#include "base/units.h"
#include "os/clock.h"
#include "os/stack_copy.h"
#include "os/symbols/kept_stacks.h"
#include "os/symbols/libdw.h"

#define PAGE_LEN 4096u
#define UNKNOWN_PAGES 256u
#define UNKNOWN_NS TV_NS_PER_S /* how long a page without a file is believed to be one */
/* Other files are looked for every FILES_NS at most, and seldom enough to take less than one
 * FILES_SHARE-th of the time. */
#define FILES_NS UINT64_C(20000000)
#define FILES_SHARE 200u
#define NO_FILES 1u /* files_of() of a process that has mapped none */
#define MAP_LINE_CAP (4096u + 128u)
/* An address that no program has, in the middle of what the processor cannot address. */
#define NO_MEMORY (UINT64_C(1) << 62)

/* A page of the process's memory: stacks are read upwards, so that most words are in the last. */
struct page {
    uint64_t at;
    bool is_there;
    unsigned char bytes[PAGE_LEN];
};

/* A page that was in no file when that was last looked at. */
struct unknown_page {
    uint64_t at, seen_ns;
};

struct tv_unwind {
    struct tv_libdw libdw;
    Dwfl_Callbacks callbacks;
    pid_t process;
    pid_t reader; /* the thread by which the process's files are read: the first, while it lives */
    Dwfl *dwfl;   /* NULL: nothing is known of the process yet */
    unsigned generation;
    bool meets_unknown;     /* the last stack had an address of no file */
    uint64_t unknown;       /* the first of them */
    uint64_t files;         /* stands for the files that were mapped when they were read */
    uint64_t next_files_ns; /* when it is looked for others */
    struct unknown_page unknown_pages[UNKNOWN_PAGES];
    bool has_words; /* what is read of stacks goes through read_word() */
    int program; /* the file of the memory of the program that the process is; -1: there is none */
    int memory;  /* the file of the process's memory; -1: it is not open */
    bool is_waiting;                  /* the thread under way is not stopped */
    const struct tv_stack_copy *copy; /* the stack under way; NULL: it is the thread's own */
    bool is_cut;                      /* more than the copy was needed */
    bool is_known;                    /* the last stack is among `kept` */
    bool lacks_memory; /* a word could not be read, at which libdw ends a stack as if it were whole
                        */
    bool are_words_whole; /* `words` has all that were read */
    uint64_t code, stack; /* of the thread: the instruction and the stack pointer */
    struct page page;
    struct tv_stack_word *words; /* that were read for the last stack */
    size_t word_count, word_cap;
    struct tv_kept_stacks kept;
    struct tv_arena code_files; /* texts that say which file a module is, from its first stack on */
};

/* A stack while it is walked. */
struct walk {
    struct tv_unwind *unwind;
    uint64_t *addresses;
    size_t cap, count;
};

static int open_memory(const struct tv_unwind *unwind)
{
    char path[64];
    (void)snprintf(path, sizeof(path), "/proc/%d/task/%d/mem", (int)unwind->process,
                   (int)unwind->reader);
    return open(path, O_RDONLY | O_CLOEXEC);
}

/* Whether the process is still the program that it was: its memory is read as empty when it is
 * gone. */
static bool is_same_program(const struct tv_unwind *unwind)
{
    char byte;
    return unwind->program < 0 || pread(unwind->program, &byte, 1, PAGE_LEN) != 0;
}

static void close_file(int *file)
{
    if (*file >= 0)
        close(*file);
    *file = -1;
}

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
    made->process = made->reader = process;
    made->memory = -1;
    made->program = open_memory(made);
    tv_kept_stacks_init(&made->kept, tv_alloc_libc());
    tv_arena_init(&made->code_files, tv_alloc_libc());
    *unwind = made;
    return TV_OK;
}

static void forget_files(struct tv_unwind *unwind)
{
    if (unwind->dwfl)
        unwind->libdw.dwfl_end(unwind->dwfl);
    close_file(&unwind->memory);
    unwind->dwfl = NULL;
    unwind->generation++;
    memset(unwind->unknown_pages, 0, sizeof(unwind->unknown_pages));
    tv_kept_stacks_release(&unwind->kept);
    tv_arena_release(&unwind->code_files);
}

void tv_unwind_forget(struct tv_unwind *unwind)
{
    forget_files(unwind);
    close_file(&unwind->program);
    unwind->reader = unwind->process;
    unwind->program = open_memory(unwind);
}

void tv_unwind_free(struct tv_unwind *unwind)
{
    if (!unwind)
        return;
    forget_files(unwind);
    close_file(&unwind->program);
    tv_libdw_close(&unwind->libdw);
    tv_alloc_release(tv_alloc_libc(), &unwind->words, unwind->word_cap, sizeof(*unwind->words));
    tv_alloc_release(tv_alloc_libc(), &unwind, 1, sizeof(*unwind));
}

static bool read_copied_word(const struct tv_stack_copy *copy, uint64_t at, uint64_t *value)
{
    const uint64_t begin = copy->registers[TV_STACK_COPY_STACK];
    if (at < begin || copy->len < sizeof(*value) || at - begin > copy->len - sizeof(*value))
        return false;
    memcpy(value, copy->bytes + (at - begin), sizeof(*value));
    return true;
}

/* Reads a word of the process's memory; its threads may run meanwhile. */
static bool read_word(void *ctx, uint64_t at, uint64_t *value)
{
    struct tv_unwind *unwind = ctx;
    if (unwind->copy && read_copied_word(unwind->copy, at, value))
        return true;
    struct page *page = &unwind->page;
    const uint64_t begin = at - at % PAGE_LEN;
    if (at % PAGE_LEN > PAGE_LEN - sizeof(*value))
        return false; /* no stack is aligned so */
    if (!page->is_there || page->at != begin) {
        page->at = begin;
        page->is_there =
            pread(unwind->memory, page->bytes, PAGE_LEN, (off_t)begin) == (ssize_t)PAGE_LEN;
    }
    if (page->is_there)
        memcpy(value, page->bytes + at % PAGE_LEN, sizeof(*value));
    unwind->is_cut |= unwind->copy && page->is_there;
    return page->is_there && !unwind->copy;
}

#if defined(__x86_64__)

static bool read_registers(pid_t thread, struct user_regs_struct *registers)
{
    struct iovec place = {registers, sizeof(*registers)};
    return ptrace(PTRACE_GETREGSET, thread, (void *)(uintptr_t)NT_PRSTATUS, &place) == 0 &&
           place.iov_len == sizeof(*registers); /* those of a 32-bit program are fewer */
}

static pid_t next_thread(Dwfl *dwfl, void *ctx, void **thread)
{
    (void)dwfl;
    (void)ctx;
    (void)thread;
    return 0; /* threads are asked for by their numbers */
}

static bool get_thread(Dwfl *dwfl, pid_t id, void *ctx, void **thread)
{
    (void)dwfl;
    (void)id;
    *thread = ctx;
    return true;
}

/* libdw reads memory by this alone, so that all that a stack follows from is known. */
static bool read_for_stack(Dwfl *dwfl, Dwarf_Addr at, Dwarf_Word *value, void *ctx)
{
    struct tv_unwind *unwind = ctx;
    struct tv_error err;
    (void)dwfl;
    if (!read_word(unwind, at, value)) {
        unwind->lacks_memory = true;
        return false;
    }
    unwind->are_words_whole =
        unwind->are_words_whole &&
        tv_alloc_grow(tv_alloc_libc(), &unwind->words, &unwind->word_cap, unwind->word_count + 1,
                      sizeof(*unwind->words), &err) == TV_OK;
    if (unwind->are_words_whole)
        unwind->words[unwind->word_count++] = (struct tv_stack_word){.at = at, .value = *value};
    return true;
}

/* Of a thread that waits two registers are known. libdw takes a frame that follows from one that
 * was not told, as that of code with frame pointers does, for the outermost one; so the others are
 * told to point where no memory is, and a stack that needs them lacks it. */
static bool set_waiting_registers(Dwfl_Thread *thread, const struct tv_unwind *unwind)
{
    Dwarf_Word registers[TV_STACK_COPY_REGISTERS];
    for (size_t i = 0; i < TV_COUNT_OF(registers); i++)
        registers[i] = NO_MEMORY;
    registers[TV_STACK_COPY_STACK] = unwind->stack;
    registers[TV_STACK_COPY_CODE] = unwind->code;
    return unwind->libdw.dwfl_thread_state_registers(thread, 0, TV_STACK_COPY_REGISTERS, registers);
}

static bool set_registers(Dwfl_Thread *thread, void *ctx)
{
    struct tv_unwind *unwind = ctx;
    const struct tv_libdw *libdw = &unwind->libdw;
    struct user_regs_struct of;
    if (unwind->is_waiting)
        return set_waiting_registers(thread, unwind);
    if (unwind->copy)
        return libdw->dwfl_thread_state_registers(thread, 0, TV_STACK_COPY_REGISTERS,
                                                  unwind->copy->registers);
    if (!read_registers(libdw->dwfl_thread_tid(thread), &of))
        return false;
    unwind->stack = of.rsp;
    unwind->code = of.rip;
    const Dwarf_Word registers[] = {of.rax, of.rdx, of.rcx, of.rbx, of.rsi, of.rdi,
                                    of.rbp, of.rsp, of.r8,  of.r9,  of.r10, of.r11,
                                    of.r12, of.r13, of.r14, of.r15, of.rip};
    return libdw->dwfl_thread_state_registers(thread, 0, TV_STACK_COPY_REGISTERS, registers);
}

static bool attach(struct tv_unwind *unwind, pid_t thread)
{
    static const Dwfl_Thread_Callbacks callbacks = {.next_thread = next_thread,
                                                    .get_thread = get_thread,
                                                    .memory_read = read_for_stack,
                                                    .set_initial_registers = set_registers};
    struct user_regs_struct registers;
    unwind->memory = open_memory(unwind);
    unwind->has_words =
        (unwind->copy || read_registers(thread, &registers)) &&
        unwind->libdw.dwfl_attach_state(unwind->dwfl, NULL, unwind->process, &callbacks, unwind);
    return unwind->has_words;
}

#else

static bool attach(struct tv_unwind *unwind, pid_t thread)
{
    (void)thread;
    unwind->has_words = false;
    return false;
}

#endif

/* A number that changes with the files whose code the process has mapped; 0: it cannot be told.
 * What is seldom done is what takes much of a processor: having waited for one says nothing. */
static uint64_t files_of(struct tv_unwind *unwind)
{
    const uint64_t begin_ns = tv_own_cpu_ns();
    char path[64], line[MAP_LINE_CAP];
    uint64_t words[2] = {NO_FILES}; /* what stands for the lines before, and the next one's hash */
    (void)snprintf(path, sizeof(path), "/proc/%d/task/%d/maps", (int)unwind->process,
                   (int)unwind->reader);
    FILE *maps = fopen(path, "re");
    if (!maps)
        return 0;
    while (fgets(line, sizeof(line), maps)) {
        const char *rights = strchr(line, ' ');
        const char *file = strchr(line, '/');
        if (!rights || !file || rights[3] != 'x' ||
            strncmp(file, "/memfd:", strlen("/memfd:")) == 0)
            continue;
        words[1] = tv_hash_bytes(line, strlen(line));
        words[0] = tv_hash_bytes(words, sizeof(words));
    }
    (void)fclose(maps);
    const uint64_t pause_ns = FILES_SHARE * (tv_own_cpu_ns() - begin_ns);
    unwind->next_files_ns = tv_now_ns() + (pause_ns > FILES_NS ? pause_ns : FILES_NS);
    return words[0];
}

static bool has_other_files(struct tv_unwind *unwind)
{
    const uint64_t files = files_of(unwind);
    return !files || files != unwind->files;
}

/* Whether the files of the process are to be read again, since the last stack has met an address of
 * none. */
static bool may_be_of_other_files(struct tv_unwind *unwind)
{
    const uint64_t page = unwind->unknown / PAGE_LEN;
    const uint64_t now_ns = tv_now_ns();
    struct unknown_page *seen = &unwind->unknown_pages[page % UNKNOWN_PAGES];
    if (seen->at == page && seen->seen_ns && now_ns - seen->seen_ns < UNKNOWN_NS)
        return false;
    *seen = (struct unknown_page){.at = page, .seen_ns = now_ns};
    return has_other_files(unwind);
}

/* Reads which files the process has mapped by now; addresses of an earlier generation mean nothing
 * afterwards. libdw reads registers and memory of a stopped thread itself where that is not done
 * here. */
static bool look_at_files(struct tv_unwind *unwind, pid_t thread)
{
    const struct tv_libdw *libdw = &unwind->libdw;
    forget_files(unwind);
    unwind->reader = unwind->process;
    unwind->files = files_of(unwind);
    if (unwind->files == NO_FILES) { /* its first thread has ended before the others */
        unwind->reader = thread;
        unwind->files = files_of(unwind);
    }
    unwind->dwfl = libdw->dwfl_begin(&unwind->callbacks);
    if (unwind->dwfl && libdw->dwfl_linux_proc_report(unwind->dwfl, unwind->reader) == 0 &&
        libdw->dwfl_report_end(unwind->dwfl, NULL, NULL) == 0 &&
        (attach(unwind, thread) ||
         (!unwind->copy &&
          libdw->dwfl_linux_proc_attach(unwind->dwfl, unwind->process, true) == 0)) &&
        (!unwind->copy || is_same_program(unwind)))
        return true;
    forget_files(unwind);
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
    if (!walk->unwind->meets_unknown && !libdw->dwfl_addrmodule(walk->unwind->dwfl, address)) {
        walk->unwind->meets_unknown = true;
        walk->unwind->unknown = address;
    }
    walk->addresses[walk->count++] = address;
    return DWARF_CB_OK;
}

static bool walk_stack(struct tv_unwind *unwind, pid_t thread, struct walk *walk)
{
    walk->count = 0;
    unwind->meets_unknown = false;
    unwind->page.is_there = false;
    unwind->are_words_whole = true;
    unwind->lacks_memory = false;
    unwind->word_count = 0;
    return unwind->libdw.dwfl_getthread_frames(unwind->dwfl, thread, take_frame, walk) == 0 &&
           !unwind->lacks_memory;
}

/* Of a program that hides its memory from this user (PR_SET_DUMPABLE) it is known where it runs,
 * and no more: that is its stack, or its time would be that of what was seen before. */
static size_t take_place(const struct tv_unwind *unwind, pid_t thread, uint64_t *addresses)
{
#if defined(__x86_64__)
    struct user_regs_struct registers;
    if (unwind->copy)
        *addresses = unwind->copy->registers[TV_STACK_COPY_CODE];
    else if (read_registers(thread, &registers))
        *addresses = registers.rip;
    else
        return 0;
    return 1;
#else
    (void)unwind;
    (void)thread;
    (void)addresses;
    return 0;
#endif
}

/* Walks the stack, and once more if it met an unknown address and the list of files is not fresh. A
 * copy that is of a program which the process is no more is followed by the files that are known of
 * that, if any. */
bool tv_unwind_stack(struct tv_unwind *unwind, pid_t thread, uint64_t *addresses, size_t cap,
                     size_t *count)
{
    struct walk walk = {.unwind = unwind, .addresses = addresses, .cap = cap};
    const bool is_gone = unwind->copy && !is_same_program(unwind);
    bool is_new = !unwind->dwfl;
    *count = 0;
    unwind->is_waiting = unwind->is_known = false;
    if (!is_new && !is_gone && tv_now_ns() >= unwind->next_files_ns)
        is_new = has_other_files(unwind);
    if (is_new && (is_gone || !look_at_files(unwind, thread))) {
        *count = cap ? take_place(unwind, thread, addresses) : 0;
        return false;
    }
    bool is_whole = walk_stack(unwind, thread, &walk);
    if (unwind->meets_unknown && !is_new && !is_gone && may_be_of_other_files(unwind) &&
        look_at_files(unwind, thread))
        is_whole = walk_stack(unwind, thread, &walk);
    *count = walk.count;
    return is_whole;
}

void tv_unwind_mapped(struct tv_unwind *unwind, uint64_t address)
{
    if (unwind->dwfl && unwind->libdw.dwfl_addrmodule(unwind->dwfl, address))
        unwind->next_files_ns = 0;
}

bool tv_unwind_copy(struct tv_unwind *unwind, pid_t thread, const struct tv_stack_copy *copy,
                    uint64_t *addresses, size_t cap, size_t *count, bool *is_cut)
{
    unwind->copy = copy;
    unwind->is_cut = false;
    const bool is_whole = tv_unwind_stack(unwind, thread, addresses, cap, count);
    unwind->copy = NULL;
    *is_cut = unwind->is_cut;
    return is_whole;
}

bool tv_unwind_waiting(struct tv_unwind *unwind, uint64_t code, uint64_t stack, uint64_t *addresses,
                       size_t cap, size_t *count, bool *is_whole)
{
    struct walk walk = {.unwind = unwind, .addresses = addresses, .cap = cap};
    if (!unwind->dwfl || !unwind->has_words)
        return false;
    unwind->page.is_there = false;
    const struct tv_kept_stack *kept =
        tv_kept_stacks_find(&unwind->kept, code, stack, read_word, unwind);
    unwind->is_known = kept && kept->count <= cap;
    if (unwind->is_known) {
        memcpy(addresses, kept->addresses, kept->count * sizeof(*addresses));
        *count = kept->count;
        *is_whole = kept->is_whole;
        return true;
    }
    unwind->is_waiting = true;
    unwind->code = code;
    unwind->stack = stack;
    *is_whole = walk_stack(unwind, unwind->process, &walk);
    *count = walk.count;
    return *is_whole && !unwind->meets_unknown;
}

void tv_unwind_keep(struct tv_unwind *unwind, const uint64_t *addresses, size_t count,
                    bool is_whole)
{
    if (unwind->has_words && unwind->are_words_whole && !unwind->is_known)
        tv_kept_stacks_keep(&unwind->kept, &(struct tv_kept_stack){.code = unwind->code,
                                                                   .stack = unwind->stack,
                                                                   .is_whole = is_whole,
                                                                   .count = count,
                                                                   .word_count = unwind->word_count,
                                                                   .addresses = addresses,
                                                                   .words = unwind->words});
}

bool tv_unwind_file(struct tv_unwind *unwind, uint64_t address, struct tv_unwind_file *file)
{
    const struct tv_libdw *libdw = &unwind->libdw;
    GElf_Addr bias;
    Dwfl_Module *module = unwind->dwfl ? libdw->dwfl_addrmodule(unwind->dwfl, address) : NULL;
    if (!module || !libdw->dwfl_module_getelf(module, &bias))
        return false;
    const char *path = NULL;
    void **code_file;
    const char *name =
        libdw->dwfl_module_info(module, &code_file, NULL, NULL, NULL, NULL, &path, NULL);
    file->path = path ? path : name;
    file->address = address - bias;
    if (!file->path)
        return false;
    if (!*code_file &&
        tv_arena_take(&unwind->code_files, TV_CODE_FILE_CAP, code_file, NULL) == TV_OK)
        tv_libdw_code_file(libdw, module, file->path, *code_file);
    file->code_file = *code_file ? *code_file : "";
    return true;
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

void tv_unwind_mapped(struct tv_unwind *unwind, uint64_t address)
{
    (void)unwind;
    (void)address;
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

bool tv_unwind_copy(struct tv_unwind *unwind, pid_t thread, const struct tv_stack_copy *copy,
                    uint64_t *addresses, size_t cap, size_t *count, bool *is_cut)
{
    (void)unwind;
    (void)thread;
    (void)copy;
    (void)addresses;
    (void)cap;
    *count = 0;
    *is_cut = false;
    return false;
}

bool tv_unwind_waiting(struct tv_unwind *unwind, uint64_t code, uint64_t stack, uint64_t *addresses,
                       size_t cap, size_t *count, bool *is_whole)
{
    (void)unwind;
    (void)code;
    (void)stack;
    (void)addresses;
    (void)cap;
    (void)count;
    (void)is_whole;
    return false;
}

void tv_unwind_keep(struct tv_unwind *unwind, const uint64_t *addresses, size_t count,
                    bool is_whole)
{
    (void)unwind;
    (void)addresses;
    (void)count;
    (void)is_whole;
}

bool tv_unwind_file(struct tv_unwind *unwind, uint64_t address, struct tv_unwind_file *file)
{
    (void)unwind;
    (void)address;
    (void)file;
    return false;
}

unsigned tv_unwind_generation(const struct tv_unwind *unwind)
{
    (void)unwind;
    return 0;
}

#endif
