/*
 * The Java programs that run on this machine; see os/java/java_list.h.
 *
 * All processes of /proc are looked at. HotSpot keeps a file of counters for each machine, from
 * which its version and program come, if the file belongs to the process's user; else the words of
 * its command line do. Whatever is read there is another program's, so every length is bounded.
 */
#include "os/java/java_list.h"

#include <dirent.h>
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory/buffer.h"
#include "base/str.h"
#include "os/file/paths.h"
#include "os/java/java.h"
#include "os/java/java_words.h"

#define MOST_PROCESSES 1000u
#define MOST_COUNTERS ((size_t)1 << 20) /* HotSpot's files have 32 KiB */
#define WORDS_CAP 65536u                /* of a command line */
#define STAT_CAP 1024u
#define STAT_STARTED 20u /* words behind the name and its ")": the 22nd of the line */

void tv_java_list_init(struct tv_java_list *list, const struct tv_alloc *alloc)
{
    *list = (struct tv_java_list){.alloc = alloc};
}

void tv_java_list_release(struct tv_java_list *list)
{
    tv_alloc_release(list->alloc, &list->of, list->cap, sizeof(*list->of));
    list->count = list->cap = 0;
}

static void copy_text(char to[TV_JAVA_TEXT_CAP], struct tv_str text)
{
    const size_t len = text.len < TV_JAVA_TEXT_CAP ? text.len : TV_JAVA_TEXT_CAP - 1;
    if (len)
        memcpy(to, text.at, len);
    to[len] = '\0';
}

static void name_user(char to[TV_JAVA_TEXT_CAP], uid_t uid)
{
    char room[4096];
    struct passwd entry, *found = NULL;
    if (getpwuid_r(uid, &entry, room, sizeof(room), &found) == 0 && found)
        copy_text(to, tv_str_from(found->pw_name));
    else
        (void)snprintf(to, TV_JAVA_TEXT_CAP, "%lld", (long long)uid);
}

/* How long a process has run, in seconds; 0 where that cannot be told. */
static uint64_t uptime_of(pid_t pid)
{
    char line[STAT_CAP];
    struct timespec now;
    const long ticks = sysconf(_SC_CLK_TCK);
    uint64_t started = 0;
    const char *name_end = tv_java_read_proc(pid, "stat", line, sizeof(line)) > 0
                               ? strrchr(line, ')') /* a name may have any sign in it */
                               : NULL;
    if (!name_end || ticks <= 0 || clock_gettime(CLOCK_BOOTTIME, &now) != 0)
        return 0;
    struct tv_str rest = tv_str_from(name_end + 1), word = {"", 0};
    for (unsigned i = 0; i <= STAT_STARTED; i++) {
        if (!tv_str_split(&rest, ' ', &word))
            return 0;
    }
    if (!tv_str_to_u64(word, 10, &started))
        return 0;
    started /= (uint64_t)ticks;
    return (uint64_t)now.tv_sec > started ? (uint64_t)now.tv_sec - started : 0;
}

/* Finds the file of counters. It must be a regular file of the process's own user: anybody can make
 * files in /tmp. */
static bool find_counters(const struct tv_java_process *process, uid_t uid, char path[TV_PATH_CAP])
{
    struct stat status;
    int len = snprintf(path, TV_PATH_CAP, "/tmp/hsperfdata_%s/%llu", process->user,
                       (unsigned long long)process->pid);
    return len > 0 && len < TV_PATH_CAP && !strchr(process->user, '/') &&
           lstat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == uid;
}

/* Takes version and program from the counters. */
static void take_counters(struct tv_java_process *process, const char *path,
                          const struct tv_alloc *alloc)
{
    struct tv_buffer file;
    struct tv_str text;
    tv_buffer_init(&file, alloc);
    if (tv_file_read_small(path, MOST_COUNTERS, &file, NULL) == TV_OK) {
        if (tv_java_counter(tv_buffer_view(&file), TV_STR("java.property.java.version"), &text))
            copy_text(process->version, text);
        if (tv_java_counter(tv_buffer_view(&file), TV_STR("sun.rt.javaCommand"), &text) && text.len)
            copy_text(process->program, tv_java_program_of_command(text));
    }
    tv_buffer_release(&file);
}

static bool is_called_java(struct tv_str words)
{
    struct tv_str launcher = {"", 0};
    (void)tv_str_split(&words, '\0', &launcher);
    return tv_str_equal(launcher, TV_STR("java")) || tv_str_ends_with(launcher, TV_STR("/java"));
}

/* Describes the process if it is a virtual machine. The mappings of other users' processes cannot
 * be read; those are known by their counters or by the name "java". */
static bool describe(pid_t pid, struct tv_java_process *process, const struct tv_alloc *alloc)
{
    char room[WORDS_CAP], path[TV_PATH_CAP];
    struct stat status;
    struct tv_error err = {.code = TV_OK};
    const ssize_t words_len = tv_java_read_proc(pid, "cmdline", room, sizeof(room));
    const struct tv_str words = {room, words_len > 0 ? (size_t)words_len : 0};
    (void)snprintf(path, sizeof(path), "/proc/%d", (int)pid);
    if (!words.len || stat(path, &status) != 0) /* the kernel's own threads have no words */
        return false;
    *process = (struct tv_java_process){.pid = (uint64_t)pid};
    name_user(process->user, status.st_uid);
    const bool has_counters = find_counters(process, status.st_uid, path);
    const bool is_ours = geteuid() == 0 || status.st_uid == geteuid();
    if (is_ours ? !tv_java_is_machine(pid) : !has_counters && !is_called_java(words))
        return false;
    copy_text(process->program, tv_java_program_of_words(words));
    if (has_counters)
        take_counters(process, path, alloc);
    process->uptime_s = uptime_of(pid);
    if (tv_java_check(pid, &err) != TV_OK)
        copy_text(process->why_not, tv_str_from(err.text));
    return true;
}

static int newest_first(const void *a, const void *b)
{
    const struct tv_java_process *one = a, *other = b;
    if (one->uptime_s != other->uptime_s)
        return one->uptime_s < other->uptime_s ? -1 : 1;
    return one->pid > other->pid ? -1 : 1;
}

static enum tv_code read_all(struct tv_java_list *list, DIR *all, struct tv_error *err)
{
    struct tv_java_process process;
    for (const struct dirent *one; list->count < MOST_PROCESSES && (one = readdir(all)) != NULL;) {
        uint64_t pid;
        if (!tv_str_to_u64(tv_str_from(one->d_name), 10, &pid) || pid > INT32_MAX ||
            !describe((pid_t)pid, &process, list->alloc))
            continue;
        TV_TRY(tv_alloc_grow(list->alloc, &list->of, &list->cap, list->count + 1, sizeof(*list->of),
                             err));
        list->of[list->count++] = process;
    }
    return TV_OK;
}

enum tv_code tv_java_list_read(struct tv_java_list *list, struct tv_error *err)
{
    DIR *all = opendir("/proc");
    list->count = 0;
    if (!all)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "/proc cannot be read: %s",
                       strerror(errno));
    enum tv_code code = read_all(list, all, err);
    (void)closedir(all);
    if (list->count)
        qsort(list->of, list->count, sizeof(*list->of), newest_first);
    return code;
}
