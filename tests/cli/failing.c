/*
 * The program with its allocations failing one at a time: what the user is told then, and what is
 * left on the disk.
 *
 *     traceview-failing SCRATCH RUNS TRACE... -- KEY DATA
 *     traceview-failing --one N WORD...
 *
 * Every verb of the program's table that needs no more than a trace is run with each of its
 * options, so a new verb or option joins by itself; an argument whose name is unknown here ends the
 * test. A command runs once undisturbed. Then it runs with its n-th request for memory or for a
 * thread refused, in every second run all later ones too, for at most RUNS values of n: spread
 * evenly, from another one on in each command, since commands have much of their code in common.
 * Each run is in a process of its own, forked from this one, so that a sanitizer starts once. A run
 * that was refused something must either give the same answer with status 0, or end with status 1,
 * one line on stderr that says why, and nothing in the folder that it writes to. SCRATCH is a
 * folder that is emptied.
 *
 * With --one the program runs with these words in this very process, with request N and all later
 * ones refused where N is odd: failing.py looks at the viewer so. "nothing was refused" on stderr
 * tells that the program made fewer requests.
 *
 * Requests are counted where this program's own objects make them: the linker leads malloc, mmap
 * and the like here (tests/cli/meson.build). What the libraries allocate is not refused.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/compiler.h"
#include "cli/command/command.h"
#include "cli/verb.h"

#define WORD_LIMIT 24u
#define PATH_CAP 600u
/* A run that takes longer hangs. */
#define LONGEST_SECONDS 20u
/* The status with which a sanitizer ends a process. */
#define SANITIZER_STATUS 99

/* What a run tells the process that forked it. */
struct counts {
    _Atomic uint64_t requests;
    _Atomic uint64_t refused_at; /* the first request that is refused */
    atomic_bool refuses_all;     /* every later one, too */
    _Atomic int64_t live;        /* blocks from malloc and the like that are not released */
    atomic_bool is_armed;
    atomic_bool was_refused;
};

static struct counts *counts;

static bool refuses(void)
{
    if (!counts || !atomic_load(&counts->is_armed))
        return false;
    uint64_t request = atomic_fetch_add(&counts->requests, 1);
    uint64_t refused_at = atomic_load(&counts->refused_at);
    if (request < refused_at || (request > refused_at && !atomic_load(&counts->refuses_all)))
        return false;
    atomic_store(&counts->was_refused, true);
    errno = ENOMEM;
    return true;
}

static void *count_block(void *block)
{
    if (counts && block && atomic_load(&counts->is_armed))
        atomic_fetch_add(&counts->live, 1);
    return block;
}

/* The linker replaces calls of NAME by __wrap_NAME, and __real_NAME is the function itself. Names
 * of this kind are reserved, so the lines are marked for clang-tidy.
 * NOLINTBEGIN(bugprone-reserved-*, cert-dcl*) */
void *__real_malloc(size_t len);
void *__real_calloc(size_t count, size_t len);
void *__real_realloc(void *block, size_t len);
void __real_free(void *block);
void *__real_mmap64(void *at, size_t len, int access, int flags, int file, off_t offset);
void *__real_mremap(void *old, size_t old_len, size_t new_len, int flags, ...);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *arg);
void *__wrap_malloc(size_t len);
void *__wrap_calloc(size_t count, size_t len);
void *__wrap_realloc(void *block, size_t len);
void __wrap_free(void *block);
void *__wrap_mmap64(void *at, size_t len, int access, int flags, int file, off_t offset);
void *__wrap_mremap(void *old, size_t old_len, size_t new_len, int flags, ...);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *arg);

void *__wrap_malloc(size_t len)
{
    return refuses() ? NULL : count_block(__real_malloc(len));
}

void *__wrap_calloc(size_t count, size_t len)
{
    return refuses() ? NULL : count_block(__real_calloc(count, len));
}

void *__wrap_realloc(void *block, size_t len)
{
    if (len && refuses())
        return NULL;
    void *moved = __real_realloc(block, len);
    return block ? moved : count_block(moved);
}

void __wrap_free(void *block)
{
    if (counts && block && atomic_load(&counts->is_armed))
        atomic_fetch_sub(&counts->live, 1);
    __real_free(block);
}

void *__wrap_mmap64(void *at, size_t len, int access, int flags, int file, off_t offset)
{
    return refuses() ? MAP_FAILED : __real_mmap64(at, len, access, flags, file, offset);
}

/* The program moves mappings wherever there is room: it gives no fifth argument. */
void *__wrap_mremap(void *old, size_t old_len, size_t new_len, int flags, ...)
{
    return refuses() ? MAP_FAILED : __real_mremap(old, old_len, new_len, flags);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *arg)
{
    return refuses() ? EAGAIN : __real_pthread_create(thread, attributes, run, arg);
}
/* NOLINTEND(bugprone-reserved-*, cert-dcl*) */

/* The content of a file, or of all files of a folder one after the other. */
struct content {
    char *bytes;
    size_t len;
};

/* What a run left. */
struct outcome {
    int status; /* of waitpid */
    struct content out, err, files;
};

/* A command as its words, the first of which is the program. */
struct command {
    char words[WORD_LIMIT][PATH_CAP];
    char *pointers[WORD_LIMIT + 1];
    int count;
};

static char scratch[PATH_CAP];
static const char *trace_pair[2];
static unsigned most_runs;
static uint64_t runs;
static uint64_t commands;
static unsigned problems;
static bool keeps_home; /* runs find the index that an earlier run saved */

TV_PRINTF(1, 2) static void stop(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vfprintf(stderr, format, args);
    va_end(args);
    (void)fputc('\n', stderr);
    exit(2);
}

static void *take(void *block)
{
    if (!block)
        stop("traceview-failing: out of memory");
    return block;
}

static void path_of(char path[PATH_CAP], const char *folder, const char *name)
{
    if ((size_t)snprintf(path, PATH_CAP, "%s/%s", folder, name) >= PATH_CAP)
        stop("%s/%s is too long", folder, name);
}

static void append_file(struct content *content, const char *path)
{
    struct stat status;
    int file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &status) != 0)
        stop("%s cannot be read", path);
    content->bytes = take(realloc(content->bytes, content->len + (size_t)status.st_size + 1));
    ssize_t got = read(file, content->bytes + content->len, (size_t)status.st_size);
    content->len += got > 0 ? (size_t)got : 0;
    content->bytes[content->len] = '\0';
    (void)close(file);
}

/* Calls `use` with each file below a folder, which stands before the folder that holds it.
 * NOLINTNEXTLINE(misc-no-recursion): the folders are this test's */
static void walk(const char *folder, void (*use)(void *arg, const char *path), void *arg)
{
    DIR *opened = opendir(folder);
    const struct dirent *entry;
    while (opened && (entry = readdir(opened)) != NULL) {
        char path[PATH_CAP];
        struct stat status;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        path_of(path, folder, entry->d_name);
        if (lstat(path, &status) == 0 && S_ISDIR(status.st_mode))
            walk(path, use, arg);
        use(arg, path);
    }
    if (opened)
        (void)closedir(opened);
}

static void remove_path(void *arg, const char *path)
{
    (void)arg;
    (void)remove(path);
}

static void append_path(void *arg, const char *path)
{
    append_file(arg, path);
}

static void empty_folder(const char *name)
{
    char path[PATH_CAP];
    path_of(path, scratch, name);
    walk(path, remove_path, NULL);
    (void)mkdir(path, 0700);
}

static void redirect(int to, const char *name)
{
    char path[PATH_CAP];
    path_of(path, scratch, name);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || dup2(file, to) != to)
        _exit(2);
    (void)close(file);
}

/* Runs the command in a process of its own, with a request refused, or it and all later ones. */
static struct outcome run(struct command *command, uint64_t refused_at, bool refuses_all)
{
    struct outcome outcome = {.status = 0};
    char path[PATH_CAP];
    empty_folder("out");
    if (!keeps_home)
        empty_folder("home");
    atomic_store(&counts->requests, 0);
    atomic_store(&counts->live, 0);
    atomic_store(&counts->refused_at, refused_at);
    atomic_store(&counts->refuses_all, refuses_all);
    atomic_store(&counts->was_refused, false);
    runs++;
    pid_t child = fork();
    if (child == 0) {
        redirect(STDOUT_FILENO, "stdout");
        redirect(STDERR_FILENO, "stderr");
        (void)alarm(LONGEST_SECONDS);
        atomic_store(&counts->is_armed, true);
        int status = tv_command(command->count, command->pointers);
        atomic_store(&counts->is_armed, false);
        _exit(status);
    }
    if (child < 0 || waitpid(child, &outcome.status, 0) != child)
        stop("a run cannot be started");
    atomic_store(&counts->is_armed, false);
    path_of(path, scratch, "stdout");
    append_file(&outcome.out, path);
    path_of(path, scratch, "stderr");
    append_file(&outcome.err, path);
    path_of(path, scratch, "out");
    walk(path, append_path, &outcome.files);
    return outcome;
}

static void release(struct outcome *outcome)
{
    free(outcome->out.bytes);
    free(outcome->err.bytes);
    free(outcome->files.bytes);
}

static bool equals(const struct content *a, const struct content *b)
{
    return a->len == b->len && (!a->len || memcmp(a->bytes, b->bytes, a->len) == 0);
}

static unsigned lines_of(const struct content *content)
{
    unsigned count = 0;
    for (size_t i = 0; i < content->len; i++)
        count += content->bytes[i] == '\n';
    return count;
}

/* What is wrong with the outcome of a run that was refused something; NULL: nothing. */
static const char *judge(const struct outcome *got, const struct outcome *undisturbed)
{
    if (!WIFEXITED(got->status))
        return WIFSIGNALED(got->status) && WTERMSIG(got->status) == SIGALRM ? "hangs" : "crashes";
    int status = WEXITSTATUS(got->status);
    if (status == SANITIZER_STATUS)
        return "breaks a rule of memory";
    if (status == WEXITSTATUS(undisturbed->status))
        return !equals(&got->out, &undisturbed->out)       ? "gives another answer"
               : !equals(&got->files, &undisturbed->files) ? "writes another file"
                                                           : NULL;
    if (status != 1)
        return "ends with an odd status";
    if (lines_of(&got->err) < 1 || lines_of(&got->err) > lines_of(&undisturbed->err) + 1 ||
        strncmp(got->err.bytes, "traceview: ", strlen("traceview: ")) != 0)
        return "does not say why in one line";
    if (got->files.len)
        return "leaves a part of a file";
    if (got->out.len)
        return "leaves a part of an answer";
    return atomic_load(&counts->live) ? "keeps memory" : NULL;
}

static void tell(const struct command *command, uint64_t refused_at, const char *problem,
                 const struct outcome *got)
{
    printf("FAILED:");
    for (int i = 1; i < command->count; i++)
        printf(" %s", command->words[i]);
    printf(
        ", request %llu refused: %s\n    status %d, %d blocks live, %zu bytes of answer\n%.4000s\n",
        (unsigned long long)refused_at, problem, got->status, (int)atomic_load(&counts->live),
        got->out.len, got->err.len ? got->err.bytes : "");
    (void)fflush(stdout);
    problems++;
}

/* Below the distance of two tries. Multiples of the golden ratio lie evenly, however many there
 * are. */
static uint64_t first_refused(uint64_t requests, uint64_t tries)
{
    const uint32_t golden = 0x9e3779b9;
    uint64_t distance = tries ? requests / tries : 0;
    return (uint32_t)(++commands * golden) * distance >> 32;
}

/* Runs the command undisturbed, and then with requests refused. Undisturbed, a plain command must
 * succeed; an option may ask for what is not there. */
static void try_command(struct command *command, unsigned most, bool is_plain)
{
    struct outcome undisturbed = run(command, UINT64_MAX, false);
    uint64_t requests = atomic_load(&counts->requests);
    uint64_t tries = requests < most ? requests : most;
    uint64_t first = first_refused(requests, tries);
    if (!WIFEXITED(undisturbed.status) || WEXITSTATUS(undisturbed.status) == SANITIZER_STATUS)
        tell(command, UINT64_MAX, "crashes undisturbed", &undisturbed);
    else if (is_plain && WEXITSTATUS(undisturbed.status) % 3 != 0)
        tell(command, UINT64_MAX, "fails undisturbed", &undisturbed);
    for (uint64_t i = 0; i < tries; i++) {
        uint64_t refused_at = first + i * requests / tries;
        struct outcome got = run(command, refused_at, (i + commands) % 2 == 1);
        const char *problem = judge(&got, &undisturbed);
        if (atomic_load(&counts->was_refused) && problem)
            tell(command, refused_at, problem, &got);
        release(&got);
    }
    release(&undisturbed);
}

static void write_file(const char *path, const char *bytes, size_t len)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, len, file) != len || fclose(file) != 0)
        stop("%s cannot be written", path);
}

/* A trace like this one, for verbs that refuse to compare a file with itself. */
static const char *copy_of(const char *trace)
{
    static char path[PATH_CAP];
    struct content content = {.bytes = NULL};
    path_of(path, scratch, "copy.trace");
    append_file(&content, trace);
    write_file(path, content.bytes, content.len);
    free(content.bytes);
    return path;
}

/* A mapping that names methods of the first trace in each way: by signature, by name, ambiguously.
 */
static const char *write_mapping(void)
{
    static const char text[] = "org.Zero -> com.example.net.C0:\n"
                               "    void zero(org.Zero) -> m11\n"
                               "    int got(int) -> get0\n"
                               "org.One -> com.example.ui.C0:\n"
                               "    void one() -> onDraw2\n    void two() -> onDraw2\n";
    static char path[PATH_CAP];
    path_of(path, scratch, "mapping.txt");
    write_file(path, text, sizeof(text) - 1);
    return path;
}

/* A folder with that mapping alone. */
static const char *write_mappings(void)
{
    static char path[PATH_CAP];
    struct content content = {.bytes = NULL};
    append_file(&content, write_mapping());
    empty_folder("mappings");
    path_of(path, scratch, "mappings/mapping.txt");
    write_file(path, content.bytes, content.len);
    free(content.bytes);
    path_of(path, scratch, "mappings");
    return path;
}

/* A folder with a trace in it, as a run of continuous integration leaves one. */
static const char *write_folder(const char *name, const char *trace)
{
    static char paths[2][PATH_CAP];
    char *path = paths[strcmp(name, "last") == 0];
    struct content content = {.bytes = NULL};
    append_file(&content, trace);
    empty_folder(name);
    path_of(path, scratch, name);
    (void)strncat(path, "/start-1.trace", PATH_CAP - strlen(path) - 1);
    write_file(path, content.bytes, content.len);
    free(content.bytes);
    path_of(path, scratch, name);
    return path;
}

/* Writes rules of each kind, none of which changes the status. */
static const char *write_rules(void)
{
    static const char text[] = "calls growth <= 2 %\nwarn calls of * in 1\nno calls of a.b\n"
                               "warn time of * <= 1 us\nwarn time of * grows <= 10 % and 1 ms\n"
                               "warn p95 of * <= 1 us on thread main\n"
                               "warn cpu of * <= 1 us on thread main\n"
                               "allow a.b until 9999-12-31 because it is known\n";
    static char path[PATH_CAP];
    path_of(path, scratch, "app.rules");
    write_file(path, text, sizeof(text) - 1);
    return path;
}

static void add_word(struct command *command, const char *word)
{
    if (command->count == WORD_LIMIT || strlen(word) >= PATH_CAP)
        stop("too many words, or too long a word: %s", word);
    memcpy(command->words[command->count], word, strlen(word) + 1);
    command->pointers[command->count] = command->words[command->count];
    command->pointers[++command->count] = NULL;
}

/* What to give where help names an argument, of a verb or of an option. */
static const char *value_of(const char *name, const char *trace)
{
    static char out[PATH_CAP];
    static const char *const plain[][2] = {
        {"METHOD", "0"},
        {"[SQL]", "SELECT method, calls FROM profile"},
        {"OLD=NEW", "x=y"},
        {"SYSTEM", "/none.perfetto-trace"},
        {"CALL", "0#1"},
        {"RANGE", "0..1ms"},
        {"FROM UNTIL", "0"},
        {"THREAD", "1"},
        {"TIME", "1us"},
        {"TEXT", "/o|a/"},
        {"PACKAGES", "com."},
        {"PERCENT", "0"},
        {"COUNT", "3"},
        {"LEVELS", "3"},
        {"PROCESS", "/./"},
        {"LIST", "calls"},
        {"FORMAT", "folded"},
        {"FORMAT|TIME", "1us"},
        {"none|proxy", "none"},
        {"WHICH", "others"},
        {"NAMES", "root"},
        {"URL", "http://x/"},
        {"PLACE", "s3://traces"},
        {"UNIT", "us"},
        {"PIXELS", "300"},
        {"PALETTE", "hot"},
        {"PATH", "/traces"},
        {"SIZE", "64M"},
        {"RATE", "5/h"},
        {"NETS", "10.0.0.0/8"},
        {"USER", "nobody"},
        {"NAME", "X-A"},
        {"NAME...", "org.Zero.zero"},
        {"[NAME...]", "org.Zero.zero"},
        {"REMEMBERED", "0-none.txt"},
        {"APP", "com.example"},
        {"WHERE", "none"},
        {"ACTION", "learn"},
        {"ADDR:PORT", "[::1]:0"},
        {"DIR", "/store"},
        {"all|server|worker", "server"},
        {"no|asked|listed", "asked"},
        {"open|secret|proxy|nobody", "nobody"},
    };
    if (strcmp(name, "FILE") == 0 || strcmp(name, "FILE...") == 0 || strcmp(name, "IN") == 0)
        return trace;
    if (strcmp(name, "[OLD") == 0)
        return trace;
    if (strcmp(name, "NEW]") == 0 || strcmp(name, "OLD") == 0)
        return copy_of(trace);
    if (strcmp(name, "MAPPING") == 0)
        return write_mapping();
    if (strcmp(name, "MAPPINGS") == 0)
        return write_mappings();
    if (strcmp(name, "RULES") == 0)
        return write_rules();
    if (strcmp(name, "FOLDER") == 0)
        return write_folder("now", trace);
    if (strcmp(name, "LAST") == 0)
        return write_folder("last", trace);
    if (strcmp(name, "KEY") == 0 || strcmp(name, "DATA") == 0)
        return trace_pair[strcmp(name, "DATA") == 0];
    if (strcmp(name, "OUT") == 0) {
        path_of(out, scratch, "out/made.trace");
        return out;
    }
    for (size_t i = 0; i < TV_COUNT_OF(plain); i++) {
        if (strcmp(name, plain[i][0]) == 0)
            return plain[i][1];
    }
    stop("tests/cli/failing.c has to be told what stands for %s", name);
    return NULL;
}

static void add_option(struct command *command, const struct tv_option *option, const char *choice,
                       const char *trace)
{
    char word[64];
    if (option->name)
        (void)snprintf(word, sizeof(word), "--%s", option->name);
    else
        (void)snprintf(word, sizeof(word), "-%c", option->letter);
    add_word(command, word);
    if (option->argument && option->kind != TV_OPTION_FLAG && option->kind != TV_OPTION_SWITCH)
        add_word(command, choice ? choice : value_of(option->argument, trace));
    if (option->kind == TV_OPTION_WORDS && option->most == 2)
        add_word(command, value_of(option->argument, trace));
}

/* Begins with the verb and its arguments. */
static void begin(struct command *command, const struct tv_verb *verb, const char *trace)
{
    char names[128];
    char *rest = names;
    command->count = 0;
    add_word(command, "traceview");
    add_word(command, verb->name);
    (void)snprintf(names, sizeof(names), "%s", verb->arguments);
    for (char *name; (name = strsep(&rest, " ")) != NULL;) {
        if (*name)
            add_word(command, value_of(name, trace));
    }
    /* One recording has no history. */
    if (verb == &tv_verb_trend)
        add_word(command, copy_of(trace));
    /* Without it a site would not end. */
    if (verb == &tv_verb_serve)
        add_word(command, "--check-config");
    if (verb == &tv_verb_names) {
        add_word(command, "--mapping");
        add_word(command, write_mapping());
    }
    /* Without a format it would only list the formats; tests/export/test_export.c has them all. */
    if (verb == &tv_verb_export) {
        add_word(command, "--as");
        add_word(command, "folded");
    }
}

/* Two calls of one trace are compared without a second file. */
static bool is_of_calls(const struct tv_verb *verb, const struct tv_option *option)
{
    return verb == &tv_verb_diff && option->name &&
           (strcmp(option->name, "call") == 0 || strcmp(option->name, "with") == 0);
}

static void begin_calls(struct command *command, const struct tv_option *option)
{
    command->count = 3; /* traceview diff FILE */
    if (strcmp(option->name, "with") == 0) {
        add_word(command, "--call");
        add_word(command, "0#2");
    }
}

static const struct tv_option *find_option(const struct tv_option_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->of[i].name && strcmp(list->of[i].name, name) == 0)
            return &list->of[i];
    }
    return NULL;
}

/* The verb with one option, and with JSON where the verb has that; with each value of a choice. */
static void try_option(const struct tv_verb *verb, const struct tv_option *option,
                       const char *trace)
{
    static const char *const none[] = {NULL, NULL};
    const struct tv_option *json = find_option(&verb->options, "json");
    const char *const *choices = option->choices ? option->choices : none;
    for (size_t i = 0; i == 0 || choices[i]; i++) {
        struct command command;
        begin(&command, verb, trace);
        if (verb == &tv_verb_export && option->name && strcmp(option->name, "as") == 0)
            return; /* it is given already */
        if (verb == &tv_verb_names && option->name && !strcmp(option->name, "remembered")) {
            command.count = 2; /* it stands alone */
            command.pointers[command.count] = NULL;
            try_command(&command, most_runs, false);
            return;
        }
        if (verb == &tv_verb_names && option->name && strcmp(option->name, "json") != 0) {
            return; /* given already; or it would change what the commands after it read */
        }
        if (is_of_calls(verb, option))
            begin_calls(&command, option);
        add_option(&command, option, choices[i], trace);
        try_command(&command, most_runs, is_of_calls(verb, option));
        if (json && json != option) {
            add_option(&command, json, NULL, trace);
            try_command(&command, most_runs, false);
        }
    }
}

/* A verb with the first trace in all ways, with the others plain and as JSON. */
static void try_verb(const struct tv_verb *verb, char *const *traces, int trace_count)
{
    const struct tv_option_lists lists = tv_verb_options(verb);
    const struct tv_option *json = find_option(&lists.of[0], "json");
    for (int i = 0; i < trace_count; i++) {
        struct command command;
        begin(&command, verb, traces[i]);
        /* A lockfile is refused of a trace that lost data, and so are learned rules. */
        const bool is_plain = verb != &tv_verb_counts && verb != &tv_verb_rules;
        try_command(&command, 4 * most_runs, is_plain);
        if (json) {
            add_option(&command, json, NULL, traces[i]);
            try_command(&command, most_runs, is_plain);
        }
    }
    for (size_t list = 0; list < TV_OPTION_LISTS; list++) {
        for (size_t i = 0; i < lists.of[list].count; i++)
            try_option(verb, &lists.of[list].of[i], traces[0]);
    }
}

/* Verbs that need more than a trace: `view` and `open` serve until they are told to end, `record`
 * runs a program, `push` and `fleet` need a site and `store` a store, `report` the page, which this
 * build is without, and the others a device. */
static bool needs_more(const struct tv_verb *verb)
{
    static const char *const names[] = {"view",  "open",   "record",  "push",      "store",
                                        "fleet", "report", "devices", "processes", "pull"};
    for (size_t i = 0; i < TV_COUNT_OF(names); i++) {
        if (strcmp(verb->name, names[i]) == 0)
            return true;
    }
    return false;
}

/* All verbs that need an index, with one that was saved. */
static void try_saved(const char *trace)
{
    struct command index;
    begin(&index, &tv_verb_index, trace);
    struct outcome made = run(&index, UINT64_MAX, false);
    release(&made);
    keeps_home = true;
    for (const struct tv_verb *const *verb = tv_verbs; *verb; verb++) {
        if (!(*verb)->uses_index || needs_more(*verb))
            continue;
        struct command command;
        begin(&command, *verb, trace);
        try_command(&command, 4 * most_runs, true);
    }
    struct command check;
    begin(&check, &tv_verb_index, trace);
    add_word(&check, "--check");
    try_command(&check, 4 * most_runs, true);
    keeps_home = false;
}

/* What the program keeps goes to the scratch folder. */
static void set_home(void)
{
    static const char *const names[] = {"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"};
    char path[PATH_CAP];
    empty_folder("home");
    path_of(path, scratch, "home");
    for (size_t i = 0; i < TV_COUNT_OF(names); i++)
        (void)setenv(names[i], path, 1);
    (void)setenv("TERM", "dumb", 1);
}

static int run_one(const char *request, int word_count, char **words)
{
    uint64_t refused_at = strtoull(request, NULL, 10);
    atomic_store(&counts->refused_at, refused_at);
    atomic_store(&counts->refuses_all, refused_at % 2 == 1);
    atomic_store(&counts->is_armed, true);
    int status = tv_command(word_count, words);
    atomic_store(&counts->is_armed, false);
    if (!atomic_load(&counts->was_refused))
        (void)fputs("nothing was refused\n", stderr);
    return status;
}

int main(int argc, char **argv)
{
    int trace_count = 0;
    counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (counts == MAP_FAILED)
        stop("out of memory");
    if (argc > 3 && strcmp(argv[1], "--one") == 0)
        return run_one(argv[2], argc - 2, argv + 2);
    if (argc < 4)
        stop("traceview-failing SCRATCH RUNS TRACE... -- KEY DATA");
    (void)snprintf(scratch, sizeof(scratch), "%s", argv[1]);
    most_runs = (unsigned)strtoul(argv[2], NULL, 10);
    while (argv[3 + trace_count] && strcmp(argv[3 + trace_count], "--") != 0)
        trace_count++;
    if (argc != trace_count + 6 || !most_runs)
        stop("traceview-failing SCRATCH RUNS TRACE... -- KEY DATA");
    trace_pair[0] = argv[argc - 2];
    trace_pair[1] = argv[argc - 1];
    set_home();
    for (const struct tv_verb *const *verb = tv_verbs; *verb; verb++) {
        uint64_t before = runs;
        if (needs_more(*verb))
            continue;
        try_verb(*verb, argv + 3, trace_count);
        printf("%s: %llu runs\n", (*verb)->name, (unsigned long long)(runs - before));
        (void)fflush(stdout);
    }
    try_saved(argv[3]);
    printf("%llu passed, %u failed\n", (unsigned long long)runs - problems, problems);
    return problems > 0;
}
