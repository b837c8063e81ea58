/*
 * What a person is told of a recording, and the status of the program; see
 * cli/record/record_result.h. A script that records gets the program's own status; 125 to 127 tell
 * that nothing was recorded or the program did not start, as with env(1) and timeout(1). --status
 * recorder asks for the recorder's own status instead.
 */
#include "cli/record/record_result.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/numbers/shown_number.h"
#include "base/units.h"

#define NUMBER_CAP 24u
#define COST_SHARE 5 /* what took more than a fifth is told */

/* As env(1), nice(1) and timeout(1) have them: so high that few programs end with them. */
#define STATUS_NOT_RECORDED 125
#define STATUS_NOT_STARTED 126
#define STATUS_NOT_FOUND 127
#define STATUS_OF_SIGNALS 128 /* as shells tell a signal: its number is added */

/* The status of the program; 0 where it was ended as it was asked for. */
static int program_status(const struct tv_child_end *end)
{
    if (end->why_not_started)
        return end->why_not_started == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_STARTED;
    if (end->was_told_to_end)
        return TV_STATUS_FINE;
    return WIFSIGNALED(end->status) ? STATUS_OF_SIGNALS + WTERMSIG(end->status)
                                    : WEXITSTATUS(end->status);
}

/* A script sees its own program's status; only where that was fine does a failure of the recorder
 * show. */
int tv_record_status(const struct tv_record_run *recording, enum tv_code code)
{
    const struct tv_record_program_options *options = recording->options;
    if (options->jvm || (options->status && strcmp(options->status, "recorder") == 0))
        return code == TV_OK ? TV_STATUS_FINE : TV_STATUS_FAILED;
    int status = recording->has_ended ? program_status(&recording->end) : TV_STATUS_FINE;
    return status == TV_STATUS_FINE && code != TV_OK ? STATUS_NOT_RECORDED : status;
}

/* A program that ended well is not mentioned. */
void tv_record_tell_end(const struct tv_record_run *recording)
{
    const char *name = recording->words[0];
    int status = recording->end.status;
    if (WIFSIGNALED(status))
        tv_cli_note(recording->cli, name, "ended by signal %d (%s)", WTERMSIG(status),
                    strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status))
        tv_cli_note(recording->cli, name, "ended with status %d", WEXITSTATUS(status));
}

/* Calls that were recorded: each has two records. Calls that are left out of the trace cost the
 * program as much as those that are in it. */
static double recorded_calls(const struct tv_record_run *recording)
{
    return (double)recording->result.records / 2 + (double)recording->left_out.calls;
}

/* An estimate: the time of a call by the recorder's own measurement, and what writing took. */
static double cost_ns_of(const struct tv_record_run *recording)
{
    return (double)recording->call_ns * recorded_calls(recording) + (double)recording->writing_ns;
}

/* Says so where recording took more than a fifth of the program's CPU time: then methods that are
 * short and often called look larger than they are, and what they are called by, too. */
static void tell_cost(const struct tv_record_run *recording)
{
    const double cost_ns = cost_ns_of(recording);
    const double cpu_ns = (double)recording->end.cpu_ns;
    if (recording->options->sample.is_given || cpu_ns <= 0 || cost_ns * COST_SHARE <= cpu_ns)
        return;
    tv_cli_note(recording->cli, recording->path,
                "recording took %.0f %% of the CPU time, and makes short methods look large: "
                "--sample 1ms changes them little%s, %s",
                cost_ns < cpu_ns ? cost_ns / cpu_ns * 100 : 100.0,
                !recording->is_java ? ""
                : recording->options->skip_trivial
                    ? ", --classes leaves others out"
                    : ", --classes and --skip-trivial leave others out",
                recording->left_out.calls
                    ? "and that of calls that are left out is in the time of what called them"
                    : "top --overhead takes it off");
}

static void tell_limit(const struct tv_record_run *recording)
{
    tv_cli_note(recording->cli, recording->path,
                "what ran after --max-size was reached is missing: %s",
                recording->options->sample.is_given
                    ? "a longer time for --sample takes less, --ring keeps what came last"
                    : "--depth and --classes leave calls out, --sample makes a small file");
}

static void tell_ring(const struct tv_record_run *recording, uint64_t bytes, bool is_full,
                      uint64_t elapsed_ns)
{
    tv_cli_note(recording->cli, recording->path, "a ring of %llu KiB had %s of %.3f s%s",
                (unsigned long long)(bytes >> 10),
                is_full ? "room for the last part," : "room for all,",
                (double)elapsed_ns / TV_NS_PER_S,
                is_full ? "; calls that were open when it begins, begin there" : "");
}

/* A file that is replaced while a program runs it has other functions at the same addresses. */
static void tell_nameless(const struct tv_record_run *recording,
                          const struct tv_record_nameless *nameless, const char *what)
{
    if (nameless->replaced)
        tv_cli_note(recording->cli, nameless->replaced_file.at,
                    "it was replaced while it ran: %llu %s have no names, since their file is gone",
                    (unsigned long long)nameless->replaced, what);
    if (nameless->count)
        tv_cli_note(recording->cli, recording->path, "%llu %s have no symbol",
                    (unsigned long long)nameless->count, what);
}

/* Of looks by a library. CPU time is as exact as the number of stacks of running threads. */
static void tell_looks(const struct tv_record_run *recording, double size, const char *unit)
{
    const struct tv_record_looks *looks = &recording->looks;
    char stacks[96] = "", tick[96] = "", apart[96] = "";
    if (looks->stacks)
        (void)snprintf(stacks, sizeof(stacks), "%llu stack%s, %llu of them of running threads, ",
                       (unsigned long long)looks->stacks, looks->stacks == 1 ? "" : "s",
                       (unsigned long long)looks->running);
    if (looks->tick_us)
        (void)snprintf(tick, sizeof(tick), ", threads that run at the kernel's ticks, each %llu us",
                       (unsigned long long)looks->tick_us);
    if (looks->apart_us)
        (void)snprintf(apart, sizeof(apart), ", while nothing waited anew up to %llu us apart",
                       (unsigned long long)looks->apart_us);
    tv_cli_note(recording->cli, recording->path,
                "%.1f %s, %s%llu records; sampled every %llu us%s%s", size, unit, stacks,
                (unsigned long long)recording->result.records,
                (unsigned long long)recording->options->sample.time_ns / 1000, tick, apart);
}

/* Says how large the trace is, what is lost and what recording cost. */
void tv_record_tell_result(const struct tv_record_run *recording)
{
    const struct tv_write_result *result = &recording->result;
    char room[TV_SHOWN_MOST];
    const double cost_ns = cost_ns_of(recording);
    const double calls = recorded_calls(recording);
    const double of_call_ns = calls > 0 ? cost_ns / calls : 0;
    struct tv_str overhead = tv_shown_ms(room, (int64_t)cost_ns);
    bool is_large = recording->bytes >= 1000000;
    double size = (double)recording->bytes / (is_large ? 1e6 : 1e3);
    const char *unit = is_large ? "MB" : "kB";
    char lost[NUMBER_CAP] = "none";
    if (recording->lost)
        (void)snprintf(lost, sizeof(lost), "%llu", (unsigned long long)recording->lost);
    else if (recording->cut)
        (void)snprintf(lost, sizeof(lost), "some");
    const bool has_all = recording->is_whole && !recording->is_buffer_full;
    if (has_all && recording->options->sample.is_given)
        tell_looks(recording, size, unit);
    else if (has_all)
        tv_cli_note(
            recording->cli, recording->path,
            "%.1f %s, %llu records, %s lost; recording took some %.*s ms (%.0f ns a call%s)", size,
            unit, (unsigned long long)result->records, lost, (int)overhead.len, overhead.at,
            of_call_ns,
            !recording->is_java       ? ""
            : recording->is_by_events ? ", told by the virtual machine's events"
                                      : ", by rewritten methods");
    else
        tv_cli_note(recording->cli, recording->path,
                    "%.1f %s, %llu records; the last ones of each thread are lost, or all since "
                    "tracing stopped",
                    size, unit, (unsigned long long)result->records);
    tell_cost(recording);
    if (recording->ring)
        tell_ring(recording, recording->ring, recording->is_ring_full, recording->elapsed_ns);
    if (recording->ring && recording->options->slow_method && !recording->slow_methods)
        tv_cli_note(recording->cli, recording->path,
                    "no method of --slow-method %s was called: check the name%s",
                    recording->options->slow_method,
                    recording->is_java ? ""
                                       : "; a program in C tells its names where it is linked "
                                         "with -rdynamic, but for static ones");
    if (recording->limit)
        tell_limit(recording);
    if (recording->skipped)
        tv_cli_note(recording->cli, recording->path, "%llu trivial methods are left out",
                    (unsigned long long)recording->skipped);
    if (recording->left_out.calls)
        tv_cli_note(recording->cli, recording->path, "%llu calls are left out",
                    (unsigned long long)recording->left_out.calls);
    if (recording->why_no_names)
        tv_cli_note(recording->cli, recording->path, "functions have addresses for names: %s",
                    recording->why_no_names);
    else
        tell_nameless(recording, &recording->nameless, "functions");
}

void tv_record_tell_samples(const struct tv_record_run *recording,
                            const struct tv_record_samples_result *result)
{
    tv_cli_note(recording->cli, recording->path,
                "%.1f kB, %llu stack%s, %llu of them of running threads, %llu records; sampled "
                "every %llu us",
                (double)recording->bytes / 1e3, (unsigned long long)result->stacks,
                result->stacks == 1 ? "" : "s", (unsigned long long)result->running,
                (unsigned long long)recording->result.records,
                (unsigned long long)recording->options->sample.time_ns / 1000);
    if (result->ring)
        tell_ring(recording, result->ring, result->has_dropped, result->elapsed_ns);
    if (result->limit)
        tell_limit(recording);
    if (result->processes > 1)
        tv_cli_note(recording->cli, recording->path,
                    "%zu processes: the names of threads begin with theirs", result->processes);
}

/* Each line says what is missing or less exact, and is left out where nothing is. */
void tv_record_tell_samples_lack(const struct tv_record_run *recording,
                                 const struct tv_record_samples_result *result)
{
    if (result->running && result->by_timer <= result->running / 10) {
        char timers[64] = "no timers on CPU time stopped it";
        if (result->by_timer)
            (void)snprintf(timers, sizeof(timers), "timers on CPU time stopped it only %llu time%s",
                           (unsigned long long)result->by_timer, result->by_timer == 1 ? "" : "s");
        tv_cli_note(recording->cli, recording->path,
                    "%s (kernel.perf_event_paranoid is above 1, or it blocks SIGURG): where the "
                    "machine was busy, system calls have more CPU time here than they took",
                    timers);
    }
    if (result->lost)
        tv_cli_note(recording->cli, recording->path,
                    "%llu more stacks were lost, since this command had no turn on a processor in "
                    "time to read them: their CPU time is that of the stacks before and "
                    "after, or \"(not seen running)\" where there are none",
                    (unsigned long long)result->lost);
    if (result->lacks_rights[0])
        tv_cli_note(recording->cli, result->lacks_rights,
                    "it is set-user-ID or set-group-ID, and ran without those rights: the kernel "
                    "gives them to no program that is looked at by an ordinary user%s",
                    result->processes > 1 ? " (--alone leaves out what a program starts)" : "");
    if (result->unseen_ns >= TV_NS_PER_MS)
        tv_cli_note(recording->cli, recording->path,
                    "%.1f ms of CPU time are of threads that no look found running: "
                    "\"(not seen running)\"",
                    (double)result->unseen_ns / 1e6);
    if (result->missed_ns >= TV_NS_PER_MS)
        tv_cli_note(recording->cli, recording->path,
                    "%.1f ms of CPU time are missing: %llu thread%s ended before a look%s",
                    (double)result->missed_ns / 1e6, (unsigned long long)result->missed,
                    result->missed == 1 ? "" : "s",
                    result->is_full ? ", or came when there were 65,000" : "");
    if (result->went_on)
        tv_cli_note(recording->cli, recording->path,
                    "%zu of the processes went on, and are in it until %s ended", result->went_on,
                    recording->words[0]);
    if (result->has_strange_java)
        tv_cli_note(recording->cli, recording->path,
                    "a Java program did not get JAVA_TOOL_OPTIONS, since its environment was "
                    "cleared: its methods have no names");
    if (result->incomplete)
        tv_cli_note(recording->cli, recording->path,
                    "%llu of the stacks could not be followed to the outermost call",
                    (unsigned long long)result->incomplete);
    tell_nameless(recording, &result->nameless, "places");
}
