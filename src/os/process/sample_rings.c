/*
 * Samples that the kernel takes; see os/process/sample_rings.h. A process has one counter of CPU
 * time for each processor, which its threads inherit; each counter writes into the ring of its
 * processor. A ring belongs to a counter of nothing, so that it outlives the processes whose
 * samples it has.
 *
 * The kernel writes behind `data_head` of a ring's first page and never behind `data_tail`, which
 * is where reading has come to. Both only grow; the place in the ring is what is left of them by
 * its length (perf_event_open(2), "MMAP layout").
 *
 * The kernel stays true to its own form of records; lengths are held against the ring anyway.
 */
#include "os/process/sample_rings.h"

#if defined(__x86_64__)
#include <asm/perf_regs.h>
#include <elf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/compiler.h"

/* Bytes of a stack that are copied: those of some hundred calls. */
#define STACK_LEN 32768u
/* A ring's length: the largest of these that this user may have. An ordinary one has 512 KiB for
 * each processor by default (kernel.perf_event_mlock_kb), which hold 15 samples. */
#define RING_MOST ((size_t)2 << 20)
#define RING_LEAST ((size_t)128 << 10)
#define RINGS_MOST ((size_t)64 << 20) /* of all together */
/* A process has a file for each processor, and a thread that begins inherits one counter for each:
 * with more processors than these that costs more than it saves. */
#define PROCESSORS_MOST 64

/* The kernel's order of registers in a sample, which is that of their numbers in PERF_REG_X86_*, as
 * numbers of unwinding tables. In a system call they are those with which it was called; kernels
 * before 5.11 left some of them out, and have no counters for threads alone either. */
static const unsigned char dwarf_of[] = {
    0, 3, 2, 1, 4, 5, 6, TV_STACK_COPY_STACK, TV_STACK_COPY_CODE, 8, 9, 10, 11, 12, 13, 14, 15};
#define REGISTERS_WISHED                                                                           \
    ((UINT64_C(1) << PERF_REG_X86_AX) | (UINT64_C(1) << PERF_REG_X86_BX) |                         \
     (UINT64_C(1) << PERF_REG_X86_CX) | (UINT64_C(1) << PERF_REG_X86_DX) |                         \
     (UINT64_C(1) << PERF_REG_X86_SI) | (UINT64_C(1) << PERF_REG_X86_DI) |                         \
     (UINT64_C(1) << PERF_REG_X86_BP) | (UINT64_C(1) << PERF_REG_X86_SP) |                         \
     (UINT64_C(1) << PERF_REG_X86_IP) | (UINT64_C(0xff) << PERF_REG_X86_R8))

/* Where the flags of struct perf_event_attr stand, and the one by which threads alone inherit a
 * counter: inherit_thread of Linux 5.13, which older headers have no name for. */
#define FLAGS_AT (offsetof(struct perf_event_attr, read_format) + sizeof(uint64_t))
#define INHERIT_THREAD (UINT64_C(1) << 35)
/* A counter tells how many samples had no room: PERF_FORMAT_LOST of Linux 6.0. */
#define FORMAT_LOST (UINT64_C(1) << 4)

/* One of a processor. */
struct ring {
    int file; /* of the counter of nothing; -1: the processor is not there */
    struct perf_event_mmap_page *head;
    const unsigned char *bytes;
    size_t len;
    uint64_t end; /* of what is read under way */
};

struct process {
    pid_t id;
    int *files; /* of its counters, one for each ring; -1: none */
};

struct tv_sample_rings {
    uint64_t interval_ns;
    size_t count; /* of rings */
    struct ring *rings;
    struct process *processes;
    size_t process_count, process_cap;
    uint64_t lost;                  /* samples of processes that are sampled no more */
    unsigned char stack[STACK_LEN]; /* of the sample under way */
};

/* A sample's words, as they follow its header. A record of a mapping has the process and the thread
 * as well, and then the address. */
struct sample_begin {
    struct perf_event_header header;
    uint32_t process, thread;
    uint64_t at_ns;
    uint64_t abi;
};
#define MAPPED_AT offsetof(struct sample_begin, at_ns)

static int open_counter(const struct perf_event_attr *wish, pid_t process, size_t processor)
{
    return (int)syscall(SYS_perf_event_open, wish, process, (int)processor, -1,
                        PERF_FLAG_FD_CLOEXEC);
}

static void close_file(int file)
{
    if (file >= 0)
        close(file);
}

static bool map_ring(struct ring *ring, size_t len)
{
    const size_t page_len = (size_t)sysconf(_SC_PAGESIZE);
    void *at = mmap(NULL, page_len + len, PROT_READ | PROT_WRITE, MAP_SHARED, ring->file, 0);
    if (at == MAP_FAILED)
        return false;
    ring->head = at;
    ring->bytes = (const unsigned char *)at + page_len;
    ring->len = len;
    return true;
}

static void unmap_ring(struct ring *ring)
{
    const size_t page_len = (size_t)sysconf(_SC_PAGESIZE);
    if (ring->head)
        (void)munmap(ring->head, page_len + ring->len);
    ring->head = NULL;
}

/* Rings of one length for all processors: what a user may have is for all of them together. */
static bool map_rings(struct tv_sample_rings *rings, size_t len)
{
    for (size_t i = 0; i < rings->count; i++) {
        if (rings->rings[i].file < 0 || map_ring(&rings->rings[i], len))
            continue;
        for (size_t mapped = 0; mapped < i; mapped++)
            unmap_ring(&rings->rings[mapped]);
        return false;
    }
    return true;
}

/* False: the processor is there, and its samples would be missing. */
static bool open_ring(struct ring *ring, size_t processor)
{
    struct perf_event_attr wish = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof(wish),
                                   .config = PERF_COUNT_SW_DUMMY,
                                   .use_clockid = 1,
                                   .clockid = CLOCK_MONOTONIC};
    ring->file = open_counter(&wish, 0, processor);
    return ring->file >= 0 || errno == ENODEV;
}

static bool open_rings(struct tv_sample_rings *rings)
{
    size_t len = RING_MOST;
    bool has_all = true;
    while (len * rings->count > RINGS_MOST)
        len /= 2;
    for (size_t i = 0; i < rings->count; i++)
        rings->rings[i].file = -1;
    for (size_t i = 0; i < rings->count && has_all; i++)
        has_all = open_ring(&rings->rings[i], i);
    while (has_all && len >= RING_LEAST && !map_rings(rings, len))
        len /= 2;
    return has_all && len >= RING_LEAST;
}

/* A counter of CPU time that the threads of a process inherit; -1: there can be none. */
static int open_clock(const struct tv_sample_rings *rings, pid_t process, size_t processor)
{
    struct perf_event_attr wish = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof(wish),
                                   .config = PERF_COUNT_SW_CPU_CLOCK,
                                   .sample_period = rings->interval_ns,
                                   .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                                                  PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
                                   .read_format = FORMAT_LOST,
                                   .disabled = 1,
                                   .inherit = 1,
                                   .mmap = 1,
                                   .sample_regs_user = REGISTERS_WISHED,
                                   .sample_stack_user = STACK_LEN,
                                   .use_clockid = 1,
                                   .clockid = CLOCK_MONOTONIC,
                                   /* nobody waits for the rings: they are looked at in time */
                                   .watermark = 1,
                                   .wakeup_watermark = UINT32_MAX};
    uint64_t flags;
    memcpy(&flags, (unsigned char *)&wish + FLAGS_AT, sizeof(flags));
    flags |= INHERIT_THREAD;
    memcpy((unsigned char *)&wish + FLAGS_AT, &flags, sizeof(flags));
    const int file = open_counter(&wish, process, processor);
    if (file >= 0 || errno != EINVAL)
        return file;
    wish.read_format = 0; /* an older kernel counts nothing that is lost */
    return open_counter(&wish, process, processor);
}

/* The counter of a process on a processor, whose samples go into the ring; -1: none. */
static int open_samples(const struct tv_sample_rings *rings, pid_t process, size_t processor)
{
    const int file = open_clock(rings, process, processor);
    if (file >= 0 &&
        ioctl(file, PERF_EVENT_IOC_SET_OUTPUT, (long)rings->rings[processor].file) == 0 &&
        ioctl(file, PERF_EVENT_IOC_ENABLE, 0) == 0)
        return file;
    close_file(file);
    return -1;
}

/* Whether this kernel lets this user have what samples need: tried on this process. */
static bool has_clock(const struct tv_sample_rings *rings)
{
    int file = -1;
    for (size_t i = 0; i < rings->count && file < 0; i++)
        file = rings->rings[i].file < 0 ? -1 : open_clock(rings, 0, i);
    close_file(file);
    return file >= 0;
}

struct tv_sample_rings *tv_sample_rings_new(uint64_t interval_ns)
{
    const struct tv_alloc *alloc = tv_alloc_libc();
    const long count = sysconf(_SC_NPROCESSORS_CONF);
    struct tv_sample_rings *rings;
    struct tv_error err;
    if (count < 1 || count > PROCESSORS_MOST ||
        tv_alloc_new(alloc, &rings, 1, sizeof(*rings), &err) != TV_OK)
        return NULL;
    rings->interval_ns = interval_ns;
    if (tv_alloc_new(alloc, &rings->rings, (size_t)count, sizeof(*rings->rings), &err) == TV_OK)
        rings->count = (size_t)count;
    if (rings->count && open_rings(rings) && has_clock(rings))
        return rings;
    tv_sample_rings_free(rings);
    return NULL;
}

/* How many samples of a process had no room; older kernels do not tell. */
static uint64_t lost_of(const struct tv_sample_rings *rings, const struct process *process)
{
    uint64_t lost = 0;
    uint64_t told[2]; /* its value, and its losses */
    for (size_t i = 0; i < rings->count; i++) {
        if (process->files[i] >= 0 &&
            read(process->files[i], told, sizeof(told)) == (ssize_t)sizeof(told))
            lost += told[1];
    }
    return lost;
}

uint64_t tv_sample_rings_lost(const struct tv_sample_rings *rings)
{
    uint64_t lost = rings->lost;
    for (size_t i = 0; i < rings->process_count; i++)
        lost += lost_of(rings, &rings->processes[i]);
    return lost;
}

/* Gives back what a process has. */
static void close_process(struct tv_sample_rings *rings, struct process *process)
{
    rings->lost += lost_of(rings, process);
    for (size_t i = 0; i < rings->count; i++)
        close_file(process->files[i]);
    tv_alloc_release(tv_alloc_libc(), &process->files, rings->count, sizeof(*process->files));
}

void tv_sample_rings_free(struct tv_sample_rings *rings)
{
    const struct tv_alloc *alloc = tv_alloc_libc();
    if (!rings)
        return;
    for (size_t i = 0; i < rings->process_count; i++)
        close_process(rings, &rings->processes[i]);
    for (size_t i = 0; i < rings->count; i++) {
        unmap_ring(&rings->rings[i]);
        close_file(rings->rings[i].file);
    }
    tv_alloc_release(alloc, &rings->processes, rings->process_cap, sizeof(*rings->processes));
    tv_alloc_release(alloc, &rings->rings, rings->count, sizeof(*rings->rings));
    tv_alloc_release(alloc, &rings, 1, sizeof(*rings));
}

/* Whether a stopped thread has the registers of a 64-bit program. */
static bool has_wide_registers(pid_t thread)
{
    struct user_regs_struct registers;
    struct iovec place = {&registers, sizeof(registers)};
    return ptrace(PTRACE_GETREGSET, thread, (void *)(uintptr_t)NT_PRSTATUS, &place) == 0 &&
           place.iov_len == sizeof(registers);
}

/* A counter for each processor that is there. False: one is missing, and what ran on that processor
 * would be. */
static bool open_all(const struct tv_sample_rings *rings, struct process *process)
{
    bool has_all = true;
    for (size_t i = 0; i < rings->count; i++) {
        const bool is_there = rings->rings[i].file >= 0;
        process->files[i] = has_all && is_there ? open_samples(rings, process->id, i) : -1;
        has_all = has_all && (!is_there || process->files[i] >= 0);
    }
    return has_all;
}

bool tv_sample_rings_has(const struct tv_sample_rings *rings, pid_t process)
{
    for (size_t i = 0; i < rings->process_count; i++) {
        if (rings->processes[i].id == process)
            return true;
    }
    return false;
}

bool tv_sample_rings_start(struct tv_sample_rings *rings, pid_t process)
{
    const struct tv_alloc *alloc = tv_alloc_libc();
    struct process made = {.id = process};
    struct tv_error err;
    tv_sample_rings_stop(rings, process);
    if (!has_wide_registers(process) ||
        tv_alloc_grow(alloc, &rings->processes, &rings->process_cap, rings->process_count + 1,
                      sizeof(*rings->processes), &err) != TV_OK ||
        tv_alloc_new(alloc, &made.files, rings->count, sizeof(*made.files), &err) != TV_OK)
        return false;
    if (!open_all(rings, &made)) {
        close_process(rings, &made);
        return false;
    }
    rings->processes[rings->process_count++] = made;
    return true;
}

void tv_sample_rings_stop(struct tv_sample_rings *rings, pid_t process)
{
    for (size_t i = rings->process_count; i > 0; i--) {
        if (rings->processes[i - 1].id != process)
            continue;
        close_process(rings, &rings->processes[i - 1]);
        rings->processes[i - 1] = rings->processes[--rings->process_count];
    }
}

/* Copies what stands at a place of the ring, whose end goes on at its beginning. */
static void copy_out(const struct ring *ring, uint64_t at, void *out, size_t len)
{
    const size_t begin = (size_t)(at % ring->len);
    const size_t first = len < ring->len - begin ? len : ring->len - begin;
    memcpy(out, ring->bytes + begin, first);
    memcpy((unsigned char *)out + first, ring->bytes, len - first);
}

/* How far the kernel has written; what stands before is there by then. */
static uint64_t written(const struct ring *ring)
{
    return __atomic_load_n(&ring->head->data_head, __ATOMIC_ACQUIRE);
}

/* Leaves a part of the ring to the kernel again. */
static void leave_to_kernel(const struct ring *ring, uint64_t at)
{
    __atomic_store_n(&ring->head->data_tail, at, __ATOMIC_RELEASE);
}

/* The header of the ring's next record, and where it is that of a sample the words behind it. A
 * mapping has no time here: with 0 it is the oldest of all rings' next records. False: there is
 * none. */
static bool next_record(const struct ring *ring, struct sample_begin *begin)
{
    const uint64_t at = ring->head->data_tail;
    if (ring->end - at < sizeof(begin->header))
        return false;
    *begin = (struct sample_begin){.at_ns = 0};
    copy_out(ring, at, &begin->header, sizeof(begin->header));
    if (begin->header.size < sizeof(begin->header) || begin->header.size > ring->end - at)
        return false;
    if (begin->header.type == PERF_RECORD_SAMPLE && begin->header.size >= sizeof(*begin))
        copy_out(ring, at, begin, sizeof(*begin));
    else if (begin->header.type == PERF_RECORD_MMAP && begin->header.size >= MAPPED_AT)
        copy_out(ring, at, begin, MAPPED_AT);
    return true;
}

/* A word of the ring's record that begins at `at`; 0 behind its end. */
static uint64_t word_at(const struct ring *ring, uint64_t at, size_t len, uint64_t offset)
{
    uint64_t word = 0;
    if (offset <= len && len - offset >= sizeof(word))
        copy_out(ring, at + offset, &word, sizeof(word));
    return word;
}

/* Copies a sample's stack; of the room that it has only a part is filled, which the word behind the
 * room tells the length of. False: there is none, since the thread has left its program for good.
 */
static bool copy_stack(struct tv_sample_rings *rings, const struct ring *ring,
                       const struct sample_begin *begin, struct tv_stack_copy *stack)
{
    const uint64_t at = ring->head->data_tail;
    const size_t len = begin->header.size;
    const size_t room_at = sizeof(*begin) + TV_COUNT_OF(dwarf_of) * sizeof(uint64_t);
    const size_t bytes_at = room_at + sizeof(uint64_t);
    if (begin->abi != PERF_SAMPLE_REGS_ABI_64 || len < bytes_at)
        return false;
    for (size_t i = 0; i < TV_COUNT_OF(dwarf_of); i++)
        stack->registers[dwarf_of[i]] =
            word_at(ring, at, len, sizeof(*begin) + i * sizeof(uint64_t));
    const uint64_t room = word_at(ring, at, len, room_at);
    const uint64_t filled = room <= len - bytes_at ? word_at(ring, at, len, bytes_at + room) : 0;
    stack->len = (size_t)(filled < room ? filled : room);
    stack->len = stack->len < STACK_LEN ? stack->len : STACK_LEN;
    stack->bytes = rings->stack;
    copy_out(ring, at + bytes_at, rings->stack, stack->len);
    return true;
}

/* Tells of the ring's next record, and leaves its place to the kernel. Records of other kinds say
 * nothing that is asked for. */
static void take_record(struct tv_sample_rings *rings, struct ring *ring,
                        const struct sample_begin *begin, tv_ring_take *take, void *ctx)
{
    const uint64_t at = ring->head->data_tail;
    const size_t len = begin->header.size;
    struct tv_ring_sample sample = {
        .process = (pid_t)begin->process, .thread = (pid_t)begin->thread, .at_ns = begin->at_ns};
    const bool is_sample = begin->header.type == PERF_RECORD_SAMPLE && len >= sizeof(*begin) &&
                           copy_stack(rings, ring, begin, &sample.stack);
    sample.has_mapped = begin->header.type == PERF_RECORD_MMAP;
    sample.mapped_at = sample.has_mapped ? word_at(ring, at, len, MAPPED_AT) : 0;
    leave_to_kernel(ring, at + len);
    if (is_sample || sample.has_mapped)
        take(ctx, &sample);
}

/* The ring whose next record is the oldest of all; NULL: none has one. */
static struct ring *oldest(const struct tv_sample_rings *rings, struct sample_begin *begin)
{
    struct ring *found = NULL;
    struct sample_begin one;
    for (size_t i = 0; i < rings->count; i++) {
        struct ring *ring = &rings->rings[i];
        if (!ring->head || !next_record(ring, &one) || (found && begin->at_ns <= one.at_ns))
            continue;
        found = ring;
        *begin = one;
    }
    return found;
}

void tv_sample_rings_read(struct tv_sample_rings *rings, tv_ring_take *take, void *ctx)
{
    struct sample_begin begin = {.at_ns = 0}; /* of the ring that was found */
    struct ring *ring;
    for (size_t i = 0; i < rings->count; i++) {
        if (rings->rings[i].head)
            rings->rings[i].end = written(&rings->rings[i]);
    }
    while ((ring = oldest(rings, &begin)))
        take_record(rings, ring, &begin, take, ctx);
}

#else

struct tv_sample_rings *tv_sample_rings_new(uint64_t interval_ns)
{
    (void)interval_ns;
    return NULL;
}

void tv_sample_rings_free(struct tv_sample_rings *rings)
{
    (void)rings;
}

bool tv_sample_rings_start(struct tv_sample_rings *rings, pid_t process)
{
    (void)rings;
    (void)process;
    return false;
}

bool tv_sample_rings_has(const struct tv_sample_rings *rings, pid_t process)
{
    (void)rings;
    (void)process;
    return false;
}

void tv_sample_rings_stop(struct tv_sample_rings *rings, pid_t process)
{
    (void)rings;
    (void)process;
}

uint64_t tv_sample_rings_lost(const struct tv_sample_rings *rings)
{
    (void)rings;
    return 0;
}

void tv_sample_rings_read(struct tv_sample_rings *rings, tv_ring_take *take, void *ctx)
{
    (void)rings;
    (void)take;
    (void)ctx;
}

#endif
