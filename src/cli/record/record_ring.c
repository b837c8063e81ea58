/*
 * Dumps of a ring become traces; see cli/record/record_ring.h. The recorder in the program writes a
 * file when it gets its signal (record/dump.h), and gives it its name when it is whole. So a file
 * of that name is all there is to look for, whoever sent the signal.
 */
#include "cli/record/record_ring.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "cli/record/record_children.h"
#include "cli/record/record_stream.h"
#include "format/trace.h"
#include "os/process/thread_facts.h"
#include "record/hooks.h"

#define DUMPS_MOST 1000u /* of one look, so that a folder that grows meanwhile ends */

static void ask(void *ctx, pid_t pid)
{
    (void)ctx;
    if (tv_process_handles(pid, TV_HOOKS_DUMP_SIGNAL))
        (void)kill(pid, TV_HOOKS_DUMP_SIGNAL);
}

void tv_record_ring_ask(struct tv_record_run *recording, pid_t child)
{
    ask(NULL, child);
    if (recording->has_children)
        tv_record_children_each(recording, ask, NULL);
}

bool tv_record_ring_name(char path[TV_PATH_CAP], const char *trace, unsigned number)
{
    const struct tv_str suffix = TV_STR(".trace");
    struct tv_str name = tv_str_from(trace);
    if (name.len > suffix.len && tv_str_ends_with(name, suffix))
        name.len -= suffix.len;
    const int made =
        snprintf(path, TV_PATH_CAP, "%.*s-%u%s", (int)name.len, name.at, number, suffix.at);
    return made > 0 && made < TV_PATH_CAP;
}

/* Makes a trace of a dump, as the end of the program does of what is left then. False: it stays. */
static bool take(struct tv_record_run *recording, const char *dump)
{
    char path[TV_PATH_CAP];
    struct tv_error err = {.code = TV_OK};
    struct tv_record_run part = *recording;
    if (!tv_record_ring_name(path, recording->path, ++recording->dumps))
        return false;
    part.path = path;
    part.nameless = (struct tv_record_nameless){.count = 0};
    (void)snprintf(part.stream, sizeof(part.stream), "%s", dump);
    tv_arena_init(&part.texts, recording->cli->alloc);
    tv_call_filter_init(&part.left_out, recording->cli->alloc);
    if (tv_record_stream_finish(&part, &err) == TV_OK && part.slow_ns)
        tv_cli_note(recording->cli, path, TV_RECORD_RING_NOTE ": %s took %.3f ms",
                    (unsigned long long)part.result.records, (double)part.elapsed_ns / TV_NS_PER_S,
                    part.slow_call, (double)part.slow_ns / TV_NS_PER_MS);
    else if (err.code == TV_OK)
        tv_cli_note(recording->cli, path, TV_RECORD_RING_NOTE,
                    (unsigned long long)part.result.records, (double)part.elapsed_ns / TV_NS_PER_S);
    else
        tv_cli_note(recording->cli, path, "%s", err.text);
    tv_call_filter_release(&part.left_out);
    tv_arena_release(&part.texts);
    return remove(dump) == 0;
}

/* Whether a file of the folder is a dump, and its number: the name of the stream, or of another
 * process's beside it, with the suffix and the number. */
static bool is_dump(const char *name, const char *stream, uint64_t *number)
{
    const size_t len = strlen(stream);
    const char *suffix = NULL;
    if (strncmp(name, stream, len) != 0)
        return false;
    for (const char *at = name + len; (at = strstr(at, TV_HOOKS_DUMP_SUFFIX)) != NULL; at++)
        suffix = at;
    return suffix && tv_str_to_u64(tv_str_from(suffix + strlen(TV_HOOKS_DUMP_SUFFIX)), 10, number);
}

/* The dump with the lowest number that is there, so that traces are numbered in the order of time.
 */
static bool find_dump(const struct tv_record_run *recording, char path[TV_PATH_CAP])
{
    const char *name;
    uint64_t least = UINT64_MAX, number;
    DIR *there = tv_record_run_folder(recording->stream, &name);
    for (struct dirent *entry; there && (entry = readdir(there));) {
        if (!is_dump(entry->d_name, name, &number) || number >= least)
            continue;
        if (snprintf(path, TV_PATH_CAP, "%.*s%s", (int)(name - recording->stream),
                     recording->stream, entry->d_name) < (int)TV_PATH_CAP)
            least = number;
    }
    if (there)
        (void)closedir(there);
    return least != UINT64_MAX;
}

void tv_record_ring_take(struct tv_record_run *recording)
{
    char path[TV_PATH_CAP];
    for (unsigned count = 0; count < DUMPS_MOST && find_dump(recording, path); count++) {
        if (!take(recording, path))
            return;
    }
}
