/* What a person is told of a recording; see cli/record_result.h. */
#include "cli/record_result.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/shown_number.h"

#define NUMBER_CAP 24u

void tv_record_tell_end(const struct tv_record_run *recording, int status)
{
    const char *name = recording->words[0];
    if (WIFSIGNALED(status))
        tv_cli_note(recording->cli, name, "ended by signal %d (%s)", WTERMSIG(status),
                    strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status))
        tv_cli_note(recording->cli, name, "ended with status %d", WEXITSTATUS(status));
}

void tv_record_tell_result(const struct tv_record_run *recording)
{
    const struct tv_write_result *result = &recording->result;
    char room[TV_SHOWN_MOST];
    struct tv_str overhead =
        tv_shown_ms(room, (int64_t)((double)recording->call_ns * (double)result->records / 2));
    bool is_large = recording->bytes >= 1000000;
    double size = (double)recording->bytes / (is_large ? 1e6 : 1e3);
    const char *unit = is_large ? "MB" : "kB";
    char lost[NUMBER_CAP] = "none";
    if (recording->lost)
        (void)snprintf(lost, sizeof(lost), "%llu", (unsigned long long)recording->lost);
    if (recording->is_whole && recording->options->sample.is_given)
        tv_cli_note(recording->cli, recording->path, "%.1f %s, %llu records; sampled every %llu us",
                    size, unit, (unsigned long long)result->records,
                    (unsigned long long)recording->options->sample.time_ns / 1000);
    else if (recording->is_whole)
        tv_cli_note(recording->cli, recording->path,
                    "%.1f %s, %llu records, %s lost; recording took some %.*s ms (%llu ns a call)",
                    size, unit, (unsigned long long)result->records, lost, (int)overhead.len,
                    overhead.at, (unsigned long long)recording->call_ns);
    else
        tv_cli_note(recording->cli, recording->path,
                    "%.1f %s, %llu records; the last ones of each thread are lost", size, unit,
                    (unsigned long long)result->records);
    if (recording->left_out.calls)
        tv_cli_note(recording->cli, recording->path, "%llu calls are left out",
                    (unsigned long long)recording->left_out.calls);
    if (recording->why_no_names)
        tv_cli_note(recording->cli, recording->path, "functions have addresses for names: %s",
                    recording->why_no_names);
    else if (recording->nameless)
        tv_cli_note(recording->cli, recording->path, "%llu functions have no symbol",
                    (unsigned long long)recording->nameless);
}

void tv_record_tell_samples(const struct tv_record_run *recording,
                            const struct tv_record_samples_result *result)
{
    tv_cli_note(recording->cli, recording->path,
                "%.1f kB, %llu stacks, %llu records; sampled every %llu us",
                (double)recording->bytes / 1e3, (unsigned long long)result->stacks,
                (unsigned long long)recording->result.records,
                (unsigned long long)recording->options->sample.time_ns / 1000);
    if (result->incomplete)
        tv_cli_note(recording->cli, recording->path,
                    "%llu stacks could not be followed to their outermost calls",
                    (unsigned long long)result->incomplete);
    if (result->nameless)
        tv_cli_note(recording->cli, recording->path, "%llu places have no symbol",
                    (unsigned long long)result->nameless);
}
