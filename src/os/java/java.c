/*
 * Java virtual machines; see os/java/java.h.
 *
 * A process is a virtual machine if it has libjvm.so mapped. An agent is loaded by HotSpot's attach
 * protocol: a file .attach_pidN and SIGQUIT ask the machine to open a socket in /tmp, and a request
 * of five words on it loads a library. SIGQUIT would end a process that does not handle it, so that
 * is checked before anything is sent.
 */
#include "os/java/java.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/str.h"
#include "os/file/paths.h"
#include "os/process/program_file.h"
#include "os/process/thread_facts.h"

#define LIBRARY "libjvm.so"
#define TEXT_CAP 65536u     /* of a process's command line, or of the answer */
#define ARGUMENT_MOST 1024u /* of what is asked of a virtual machine: its own limit */
#define TRIES 500
#define TRY_NS 20000000
#define ANSWER_S 120 /* rewriting all classes of a large program takes a while */

/*
 * Launchers.
 */

static bool has_file(const char *folder, const char *rest)
{
    char path[TV_PATH_CAP];
    int len = snprintf(path, sizeof(path), "%s%s", folder, rest);
    return len > 0 && (size_t)len < sizeof(path) && access(path, F_OK) == 0;
}

enum tv_java_launcher tv_java_launcher(const char *program)
{
    char path[TV_PATH_CAP];
    if (!tv_program_file(program, path))
        return TV_JAVA_NONE;
    char *slash = strrchr(path, '/');
    bool is_java = strcmp(slash + 1, "java") == 0;
    *slash = '\0'; /* the folder bin */
    bool is_of_jdk = has_file(path, "/../lib/libjli.so") ||
                     has_file(path, "/../lib/server/" LIBRARY) || has_file(path, "/../jre/lib") ||
                     has_file(path, "/../lib/rt.jar");
    return !is_of_jdk ? TV_JAVA_NONE : is_java ? TV_JAVA_PLAIN : TV_JAVA_TOOL;
}

bool tv_java_is_launched(pid_t pid)
{
    char link[64], program[TV_PATH_CAP];
    (void)snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
    const ssize_t len = readlink(link, program, sizeof(program) - 1);
    if (len <= 0)
        return false;
    program[len] = '\0';
    return tv_java_launcher(program) != TV_JAVA_NONE;
}

/*
 * Processes.
 */

ssize_t tv_java_read_proc(pid_t pid, const char *name, char *to, size_t cap)
{
    char path[64];
    (void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return -1;
    size_t len = 0;
    ssize_t got;
    while (len + 1 < cap && (got = read(file, to + len, cap - 1 - len)) > 0)
        len += (size_t)got;
    close(file);
    to[len] = '\0';
    return (ssize_t)len;
}

bool tv_java_is_machine(pid_t pid)
{
    char path[64], line[TV_PATH_CAP + 128];
    bool is_one = false;
    (void)snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
    FILE *maps = fopen(path, "re");
    while (maps && !is_one && fgets(line, sizeof(line), maps))
        is_one = strstr(line, "/" LIBRARY "\n") != NULL;
    if (maps)
        (void)fclose(maps);
    return is_one;
}

/* Whether a word of a command line is how somebody calls a program: the whole word, or its part
 * behind a "/" or ".". */
static bool is_called(const char *word, const char *name)
{
    size_t len = strlen(word), name_len = strlen(name);
    return name_len && len >= name_len && strcmp(word + len - name_len, name) == 0 &&
           (len == name_len || word[len - name_len - 1] == '/' || word[len - name_len - 1] == '.');
}

static bool has_word(pid_t pid, const char *name)
{
    static char line[TEXT_CAP];
    ssize_t len = tv_java_read_proc(pid, "cmdline", line, sizeof(line));
    const char *end = line + (len > 0 ? len : 0);
    for (const char *word = line; word < end; word += strlen(word) + 1) {
        if (word > line && *word != '-' && is_called(word, name))
            return true;
    }
    return false;
}

/* All are counted rather than the first taken: which of two programs of one name was meant nobody
 * knows. */
static enum tv_code find_by_name(const char *name, pid_t *pid, struct tv_error *err)
{
    unsigned count = 0;
    DIR *all = opendir("/proc");
    for (const struct dirent *one; all && (one = readdir(all)) != NULL;) {
        uint64_t number;
        if (!tv_str_to_u64(tv_str_from(one->d_name), 10, &number) || number > INT32_MAX ||
            !has_word((pid_t)number, name) || !tv_java_is_machine((pid_t)number))
            continue;
        *pid = (pid_t)number;
        count++;
    }
    if (all)
        (void)closedir(all);
    if (count == 1)
        return TV_OK;
    return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                   count ? "%s: %u Java programs are called so: tell the process number"
                         : "%s: no Java program of this user is called so",
                   name, count);
}

enum tv_code tv_java_find(const char *text, pid_t *pid, struct tv_error *err)
{
    uint64_t number;
    if (!tv_str_to_u64(tv_str_from(text), 10, &number) || number > INT32_MAX)
        return find_by_name(text, pid, err);
    *pid = (pid_t)number;
    return TV_OK;
}

/*
 * Attaching.
 */

static bool has_own_mounts(pid_t pid)
{
    char path[64];
    struct stat own, its;
    (void)snprintf(path, sizeof(path), "/proc/%d/ns/mnt", (int)pid);
    return stat("/proc/self/ns/mnt", &own) == 0 && stat(path, &its) == 0 &&
           own.st_ino != its.st_ino;
}

static bool is_closed_to_tools(pid_t pid)
{
    static char line[TEXT_CAP];
    ssize_t len = tv_java_read_proc(pid, "cmdline", line, sizeof(line));
    const char *end = line + (len > 0 ? len : 0);
    for (const char *word = line; word < end; word += strlen(word) + 1) {
        if (strcmp(word, "-XX:+DisableAttachMechanism") == 0)
            return true;
    }
    return false;
}

/* Whether the process is stopped, by Ctrl-Z, SIGSTOP or a debugger; then it would not answer. */
static bool is_stopped(pid_t pid)
{
    char line[512];
    const char *name_end =
        tv_java_read_proc(pid, "stat", line, sizeof(line)) > 0 ? strrchr(line, ')') : NULL;
    return name_end && (strncmp(name_end, ") T", 3) == 0 || strncmp(name_end, ") t", 3) == 0);
}

static enum tv_code refuse(pid_t pid, const char *why, struct tv_error *err)
{
    return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET, "process %d %s", (int)pid, why);
}

/* Each thing that would make attaching fail or do harm, in words that say what to do. */
enum tv_code tv_java_check(pid_t pid, struct tv_error *err)
{
    char path[64];
    struct stat status;
    (void)snprintf(path, sizeof(path), "/proc/%d", (int)pid);
    if (pid <= 0 || stat(path, &status) != 0)
        return refuse(pid, "is not there", err);
    if (geteuid() != 0 && status.st_uid != geteuid())
        return refuse(pid, "is another user's", err);
    if (!tv_java_is_machine(pid))
        return refuse(pid, "is no Java virtual machine", err);
    if (is_stopped(pid))
        return refuse(pid, "is stopped: let it go on first (kill -CONT)", err);
    if (has_own_mounts(pid))
        return refuse(pid, "is in a container: record it from inside", err);
    if (is_closed_to_tools(pid))
        return refuse(pid, "was started with -XX:+DisableAttachMechanism", err);
    if (!tv_process_handles(pid, SIGQUIT))
        return refuse(pid, "lets no tool in: it was started with -Xrs, or begins or ends just now",
                      err);
    return TV_OK;
}

/* Asks for the socket and waits for it. The file goes into the process's own folder, or into /tmp
 * if that cannot be written; it is removed whether or not the machine answered. */
static bool ask_for_socket(pid_t pid, const char *socket)
{
    char wish[64];
    (void)snprintf(wish, sizeof(wish), "/proc/%d/cwd/.attach_pid%d", (int)pid, (int)pid);
    int file = open(wish, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (file < 0 && errno != EEXIST) {
        (void)snprintf(wish, sizeof(wish), "/tmp/.attach_pid%d", (int)pid);
        file = open(wish, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    }
    if (file >= 0)
        close(file);
    bool is_there = false;
    if ((file >= 0 || errno == EEXIST) && kill(pid, SIGQUIT) == 0) {
        for (int i = 0; i < TRIES && !is_there && kill(pid, 0) == 0; i++) {
            nanosleep(&(struct timespec){.tv_nsec = TRY_NS}, NULL);
            is_there = access(socket, F_OK) == 0;
        }
    }
    (void)unlink(wish);
    return is_there;
}

/* Anybody may make a file of that name in /tmp. */
static bool is_made_by(pid_t pid, const char *socket)
{
    char path[64];
    struct stat process, there;
    (void)snprintf(path, sizeof(path), "/proc/%d", (int)pid);
    return stat(path, &process) == 0 && lstat(socket, &there) == 0 && S_ISSOCK(there.st_mode) &&
           there.st_uid == process.st_uid;
}

static int connect_to(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const struct timeval patience = {.tv_sec = ANSWER_S};
    memcpy(address.sun_path, path, strlen(path) + 1);
    int door = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (door < 0)
        return -1;
    (void)setsockopt(door, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    if (connect(door, (const struct sockaddr *)&address, sizeof(address)) == 0)
        return door;
    close(door);
    return -1;
}

static bool send_words(int door, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(words[i]) + 1;
        for (size_t sent = 0; sent < len;) {
            ssize_t got = send(door, words[i] + sent, len - sent, MSG_NOSIGNAL);
            if (got <= 0)
                return false;
            sent += (size_t)got;
        }
    }
    return true;
}

/* Reads "0" and a line's end if the request was understood, and behind it the agent's own result,
 * since Java 9 as "return code: 7". */
static enum tv_code read_reply(pid_t pid, int door, int *reply, struct tv_error *err)
{
    static char text[TEXT_CAP];
    size_t len = 0;
    ssize_t got;
    while (len + 1 < sizeof(text) && (got = read(door, text + len, sizeof(text) - 1 - len)) > 0)
        len += (size_t)got;
    text[len] = '\0';
    char *line = strchr(text, '\n');
    if (!line)
        return refuse(pid, "closed the connection", err);
    *line++ = '\0';
    const char *number = strncmp(line, "return code: ", 13) == 0 ? line + 13 : line;
    line[strcspn(line, "\n")] = '\0';
    if (strcmp(text, "0") != 0)
        return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
                       "process %d does not load the agent: %.200s", (int)pid, line);
    *reply = (int)strtol(number, NULL, 10);
    return TV_OK;
}

enum tv_code tv_java_load_agent(pid_t pid, const char *library, const char *options, int *reply,
                                struct tv_error *err)
{
    char socket[64];
    const char *const words[] = {"1", "load", library, "true", options};
    TV_TRY(tv_java_check(pid, err));
    if (strlen(library) >= ARGUMENT_MOST || strlen(options) >= ARGUMENT_MOST)
        return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
                       "the options for a virtual machine are too long");
    (void)snprintf(socket, sizeof(socket), "/tmp/.java_pid%d", (int)pid);
    if (access(socket, F_OK) != 0 && !ask_for_socket(pid, socket))
        return refuse(pid, "lets no tool in", err);
    if (!is_made_by(pid, socket))
        return refuse(pid, "lets no tool in: its socket in /tmp was made by another user", err);
    int door = connect_to(socket);
    if (door < 0)
        return refuse(pid, "lets no tool in: its socket does not answer", err);
    enum tv_code code = send_words(door, words, TV_COUNT_OF(words))
                            ? read_reply(pid, door, reply, err)
                            : refuse(pid, "closed the connection", err);
    close(door);
    return code;
}
