/*
 * Threads of the virtual machine itself; see jvm/machine.h.
 *
 * Compilers and garbage collectors are threads without Java stacks. They are known by the names
 * that HotSpot gives them in /proc/self/task; a thread of the agent reads each one's CPU clock
 * every TV_JVM_MACHINE_LOOK_MS. CPU time that grew between two looks is work, recorded as one call
 * (compiling, collecting) that began at the look before. A thread has no row until it has done
 * something. All state belongs to the thread that looks, and to tv_jvm_machine_begin and _end
 * before it is started and after it was joined.
 */
#include "jvm/machine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/units.h"
#include "jvm/safepoints.h"
#include "record/recorder.h"
#include "record/sampling.h"
#include "record/ticks.h"

#define TASKS "/proc/self/task"
#define THREADS_MOST 256u
#define NAME_CAP 16u          /* of the kernel */
#define LOOKS_UNTIL_LIST 100u /* looks until threads are listed anew */

enum work { COMPILING, COLLECTING, WORKS };

/* The names of HotSpot's threads, as far as the kernel keeps names: 15 characters. */
static const struct {
    const char *prefix;
    const char *whole; /* NULL: the kernel has the whole name */
    enum work work;
} kinds[] = {
    {"C1 CompilerThre", "C1 CompilerThread", COMPILING},
    {"C2 CompilerThre", "C2 CompilerThread", COMPILING},
    {"JVMCI CompilerT", "JVMCI CompilerThread", COMPILING},
    {"GC Thread#", NULL, COLLECTING},
    {"ParGC Thread#", NULL, COLLECTING},               /* Java 9 to 13 */
    {"GC task thread#", "GC task thread", COLLECTING}, /* Java 8: this and the next two */
    {"Gang worker#", "Gang worker", COLLECTING},
    {"Concurrent Mark", "Concurrent Mark-Sweep GC Thread", COLLECTING},
    {"CMS ", NULL, COLLECTING},
    {"G1 ", NULL, COLLECTING},
    {"ZWorker", NULL, COLLECTING},
    {"ZDriver", NULL, COLLECTING},
    {"XWorker", NULL, COLLECTING},
    {"Shenandoah", NULL, COLLECTING},
};

struct own_thread {
    pid_t tid;
    bool is_busy; /* has an open call */
    enum work work;
    struct tv_watched *row; /* NULL until it has done something */
    uint64_t cpu_ns;        /* at the last look */
    char name[2 * NAME_CAP];
};

static struct own_thread threads[THREADS_MOST];
static unsigned thread_count;
static uint64_t looked_ns; /* when the last look was */
static uint32_t methods[WORKS];
static pthread_t looker;
static bool is_looking;
static sem_t end_wanted;

/* CPU time of a thread by its number; false when the thread has ended. */
static bool read_cpu(pid_t tid, uint64_t *ns)
{
    /* The kernel's number of a thread's CPU clock: bits that say "of a thread, by its scheduling"
     * below the thread's id. */
    clockid_t clock = (clockid_t)(~(unsigned)tid << 3 | 6u);
    struct timespec time;
    if (clock_gettime(clock, &time) != 0)
        return false;
    *ns = tv_timespec_ns(time.tv_sec, time.tv_nsec);
    return true;
}

static bool read_name(const char *tid, char name[NAME_CAP])
{
    char path[64];
    (void)snprintf(path, sizeof(path), TASKS "/%.20s/comm", tid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t len = read(file, name, NAME_CAP - 1);
    close(file);
    if (len <= 1)
        return false;
    name[len] = '\0';
    name[strcspn(name, "\n")] = '\0';
    return true;
}

static bool is_known(pid_t tid)
{
    for (unsigned i = 0; i < thread_count; i++) {
        if (threads[i].tid == tid)
            return true;
    }
    return false;
}

/* Keeps a thread whose name is one of the virtual machine's; all others are the program's own. */
static void look_up(const char *digits)
{
    char name[NAME_CAP];
    pid_t tid = (pid_t)strtol(digits, NULL, 10);
    if (tid <= 0 || thread_count == THREADS_MOST || is_known(tid) || !read_name(digits, name))
        return;
    for (size_t i = 0; i < TV_COUNT_OF(kinds); i++) {
        struct own_thread *thread = &threads[thread_count];
        if (strncmp(name, kinds[i].prefix, strlen(kinds[i].prefix)) != 0)
            continue;
        *thread = (struct own_thread){.tid = tid, .work = kinds[i].work};
        (void)snprintf(thread->name, sizeof(thread->name), "%s",
                       kinds[i].whole ? kinds[i].whole : name);
        thread_count += read_cpu(tid, &thread->cpu_ns);
        return;
    }
}

static void list_threads(void)
{
    DIR *tasks = opendir(TASKS);
    struct dirent *entry;
    if (!tasks)
        return;
    while ((entry = readdir(tasks)) != NULL)
        look_up(entry->d_name);
    closedir(tasks);
}

/* Lists the threads when their number has changed, and once in LOOKS_UNTIL_LIST looks, since one
 * may come while another goes. */
static void list_new_threads(void)
{
    static nlink_t count;
    static unsigned looks;
    struct stat tasks;
    if (stat(TASKS, &tasks) != 0 || (tasks.st_nlink == count && ++looks < LOOKS_UNTIL_LIST))
        return;
    count = tasks.st_nlink;
    looks = 0;
    list_threads();
}

/* Records that a thread has begun or ended to work. The change is dated to the look before, since
 * the thread has worked, or not, from then until now. */
static void change(struct own_thread *thread, bool is_busy, uint64_t ago_ns)
{
    static struct tv_stack_view view;
    view.depth = is_busy ? 1 : 0;
    view.methods[0] = methods[thread->work];
    if (is_busy && !thread->row)
        thread->row = tv_recorder_watch(thread->name);
    thread->is_busy = is_busy && thread->row;
    if (thread->row)
        tv_recorder_saw(thread->row, &view, thread->cpu_ns, ago_ns);
}

static void look_at(struct own_thread *thread, uint64_t ago_ns)
{
    uint64_t cpu_ns = thread->cpu_ns;
    bool is_there = read_cpu(thread->tid, &cpu_ns);
    bool is_busy = cpu_ns > thread->cpu_ns;
    if (is_busy != thread->is_busy)
        change(thread, is_busy, ago_ns);
    thread->cpu_ns = cpu_ns;
    if (!is_there)
        thread->tid = 0;
}

static void look(void)
{
    unsigned kept = 0;
    uint64_t ago_ns = tv_ticks_monotonic_ns() - looked_ns;
    for (unsigned i = 0; i < thread_count; i++) {
        look_at(&threads[i], ago_ns);
        if (threads[i].tid)
            threads[kept++] = threads[i];
    }
    thread_count = kept;
    looked_ns += ago_ns;
    list_new_threads();
}

/* The thread that looks, until end_wanted is posted. Times are absolute, so that looks do not
 * drift. */
static void *look_again_and_again(void *unused)
{
    struct timespec next;
    uint64_t at_ns = looked_ns;
    (void)unused;
    do {
        look();
        tv_jvm_safepoints_look();
        at_ns += TV_JVM_MACHINE_LOOK_MS * TV_NS_PER_MS;
        if (at_ns < looked_ns) /* a busy machine: looks that were missed are not made up for */
            at_ns = looked_ns;
        next = (struct timespec){.tv_sec = (time_t)(at_ns / TV_NS_PER_S),
                                 .tv_nsec = (long)(at_ns % TV_NS_PER_S)};
    } while (sem_clockwait(&end_wanted, CLOCK_MONOTONIC, &next) != 0);
    return NULL;
}

/* The thread that looks gets no signals: they are the program's. */
void tv_jvm_machine_begin(JNIEnv *jni)
{
    static const char *const names[WORKS] = {"compiling", "collecting"};
    sigset_t all, before;
    for (unsigned i = 0; i < WORKS; i++)
        methods[i] = tv_recorder_method(
            &(struct tv_method_text){.class_name = "JVM", .name = names[i], .signature = "()V"});
    thread_count = 0;
    tv_jvm_safepoints_begin(jni);
    looked_ns = tv_ticks_monotonic_ns();
    list_threads();
    sem_init(&end_wanted, 0, 0);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    is_looking = methods[COMPILING] && methods[COLLECTING] &&
                 pthread_create(&looker, NULL, look_again_and_again, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!is_looking)
        tv_jvm_safepoints_end(jni);
}

void tv_jvm_machine_end(JNIEnv *jni)
{
    if (!is_looking)
        return;
    is_looking = false;
    sem_post(&end_wanted);
    pthread_join(looker, NULL);
    tv_jvm_safepoints_end(jni);
    look();
    for (unsigned i = 0; i < thread_count; i++) {
        if (threads[i].is_busy)
            change(&threads[i], false, 0);
    }
}
