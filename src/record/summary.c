/*
 * The text of a file; see record/summary.h.
 *
 * The text has no numbers of bytes in it and nothing that changes meanwhile, so it can be put twice
 * with the same length: once to be counted (recording.c), once to be written.
 */
#include "record/summary.h"

#include <stdatomic.h>
#include <string.h>

#include "base/decimal.h"
#include "base/units.h"
#include "record/blocks.h"
#include "record/method_bytes.h"
#include "record/methods.h"
#include "record/slow.h"

/* Threads that the summary of packets tells of, which has 65,535 bytes. */
#define PACKETS_LAST_SEEN 500u

static void put_text(struct tv_output *output, const char *text)
{
    tv_output_put(output, text, strlen(text));
}

static void put_number(struct tv_output *output, uint64_t value)
{
    char digits[TV_DECIMAL_MOST];
    char *end = digits + sizeof(digits);
    const char *first = tv_decimal_before(end, value);
    tv_output_put(output, first, (size_t)(end - first));
}

static void put_option(struct tv_output *output, const char *key, uint64_t value)
{
    put_text(output, key);
    put_text(output, "=");
    put_number(output, value);
    put_text(output, "\n");
}

unsigned tv_summary_version(const struct tv_recording *recording)
{
    bool has_both = recording->has_wall && recording->has_cpu;
    if (recording->format == TV_RECORD_PACKETS)
        return has_both ? TV_WIRE_PACKETS_TWO_TIMES : TV_WIRE_PACKETS_ONE_TIME;
    return has_both ? 3 : 2;
}

/* What an enter and an exit cost together: as measured at the start, and two records' part of the
 * time that changing full blocks took while the program ran. */
static void put_call_cost(struct tv_recording *recording)
{
    const uint64_t records = recording->records + recording->dropped;
    const uint64_t block_ns = records ? recording->block_ns / records : 0;
    put_option(&recording->output, "record-call-overhead-nsec", recording->call_ns + 2 * block_ns);
    put_option(&recording->output, "record-leaf-overhead-nsec", recording->leaf_ns + block_ns);
    put_option(&recording->output, "record-calling-overhead-nsec",
               recording->calling_ns + block_ns);
}

size_t tv_summary_encode_id(char *to, uint32_t number)
{
    size_t len = 2;
    uint32_t id = tv_summary_id(number);
    unsigned shift = 28;
    while (shift && !(id >> shift))
        shift -= 4;
    to[0] = '0';
    to[1] = 'x';
    for (;; shift -= 4) {
        to[len++] = "0123456789abcdef"[id >> shift & 15];
        if (!shift)
            break;
    }
    to[len++] = '\t';
    return len;
}

/* "allocated-bytes=65536;0x4:1200:3400;...", by the ids of methods: their own, and with what they
 * called. */
static void put_bytes(struct tv_output *output, const struct tv_method_bytes *bytes)
{
    put_text(output, "allocated-bytes=");
    put_number(output, bytes->interval);
    for (uint32_t number = 1; number < bytes->cap; number++) {
        char id[TV_SUMMARY_ID_MOST];
        if (!bytes->of[number].all)
            continue;
        put_text(output, ";");
        tv_output_put(output, id, tv_summary_encode_id(id, number) - 1);
        put_text(output, ":");
        put_number(output, bytes->of[number].own);
        put_text(output, ":");
        put_number(output, bytes->of[number].all);
    }
    put_text(output, "\n");
}

static void put_looks(struct tv_output *output, const struct tv_recorder_looks *looks)
{
    if (looks->stacks) {
        put_option(output, "sampled-stacks", looks->stacks);
        put_option(output, "sampled-running-stacks", looks->running);
    }
    if (looks->tick_us)
        put_option(output, "sampling-tick-usec", looks->tick_us);
    if (looks->apart_us)
        put_option(output, "sampling-apart-usec", looks->apart_us);
}

/* "last-seen-nsec=1:2000000000:17000;..." (format/last_seen.h). The summary of packets has room for
 * some. */
static void put_last_seen(struct tv_recording *recording)
{
    struct tv_output *output = &recording->output;
    const char *before = "last-seen-nsec=";
    uint32_t left = recording->format == TV_RECORD_PACKETS ? PACKETS_LAST_SEEN : UINT32_MAX;
    for (const struct tv_row *row = recording->first_row; row && left; row = row->next) {
        uint64_t wall_ns, cpu_ns;
        if (!tv_blocks_last_seen(recording, row, &wall_ns, &cpu_ns))
            continue;
        put_text(output, before);
        put_number(output, row->id);
        put_text(output, ":");
        put_number(output, wall_ns);
        put_text(output, ":");
        put_number(output, cpu_ns);
        before = ";";
        left--;
    }
    if (before[0] == ';')
        put_text(output, "\n");
}

/* One line a property, in the order of docs/formats/text.md. What a join makes of each stands in
 * format/joined_properties.c, whose test looks for every property of this file there. */
static void put_options(struct tv_recording *recording)
{
    struct tv_output *output = &recording->output;
    put_text(output, recording->stop ? "data-file-overflow=true\n" : "data-file-overflow=false\n");
    put_text(output, !recording->has_cpu    ? "clock=wall\n"
                     : !recording->has_wall ? "clock=thread-cpu\n"
                                            : "clock=dual\n");
    if (recording->format == TV_RECORD_PACKETS)
        put_option(output, "elapsed-time-nsec", recording->elapsed_ns);
    else
        put_option(output, "elapsed-time-usec", recording->elapsed_ns / TV_NS_PER_US);
    if (recording->format == TV_RECORD_TEXT && !recording->is_streaming)
        put_option(output, "num-method-calls", recording->records);
    put_option(output, "clock-call-overhead-nsec", recording->clock_ns);
    if (recording->call_ns)
        put_call_cost(recording);
    if (recording->writing_ns)
        put_option(output, "record-writing-nsec", recording->writing_ns);
    if (recording->is_ring) {
        put_option(output, "ring-bytes", recording->pool.len);
        put_text(output, recording->dropped ? "ring-is-full=true\n" : "ring-is-full=false\n");
    }
    if (recording->is_ring && tv_slow_has_name())
        put_option(output, "slow-methods", tv_slow_count());
    if (recording->slow_number) {
        put_option(output, "slow-call-nsec", recording->slow_ns);
        char id[TV_SUMMARY_ID_MOST];
        put_text(output, "slow-call-id=");
        tv_output_put(output, id, tv_summary_encode_id(id, recording->slow_number) - 1);
        put_text(output, "\n");
    }
    if (recording->is_by_events)
        put_option(output, "recorded-by-events", 1);
    if (recording->bytes)
        put_bytes(output, recording->bytes);
    if (recording->skipped)
        put_option(output, "methods-skipped", atomic_load(recording->skipped));
    if (recording->classes_left_out) {
        put_text(output, "classes-left-out=");
        put_text(output, recording->classes_left_out);
        put_text(output, "\n");
    }
    if (recording->depth_most)
        put_option(output, "depth-limit", recording->depth_most);
    if (recording->stop == TV_RECORDING_AT_LIMIT)
        put_option(output, "file-limit", recording->file_most);
    if (recording->stop == TV_RECORDING_LEFT)
        put_text(output, "recording-cut=true\n");
    if (recording->program[0]) {
        put_text(output, recording->program);
        put_text(output, "\n");
    }
    if (recording->processor[0]) {
        put_text(output, "processor=");
        put_text(output, recording->processor);
        put_text(output, "\n");
    }
    if (recording->lost)
        put_option(output, "records-lost", recording->lost);
    if (recording->interval_us)
        put_option(output, "sampling-interval-usec", recording->interval_us);
    put_looks(output, &recording->looks);
    put_last_seen(recording);
    put_option(output, "pid", (uint64_t)recording->pid);
}

static void put_version(struct tv_output *output, unsigned version)
{
    put_text(output, "*version\n");
    put_number(output, version);
    put_text(output, "\n");
}

static void put_threads(struct tv_recording *recording)
{
    struct tv_output *output = &recording->output;
    put_text(output, "*threads\n");
    for (const struct tv_row *row = recording->first_row; row; row = row->next) {
        put_number(output, row->id);
        put_text(output, "\t");
        put_text(output, row->name);
        put_text(output, "\n");
    }
}

/* Only methods that a record of this recording names: the table of methods lives as long as the
 * process. */
static void put_methods(struct tv_recording *recording)
{
    struct tv_output *output = &recording->output;
    put_text(output, "*methods\n");
    for (uint32_t number = 1; number <= tv_methods_count(); number++) {
        const struct tv_recorded_method *method = tv_methods_get(number);
        if (method->told_in != recording->session)
            continue;
        char id[TV_SUMMARY_ID_MOST];
        tv_output_put(output, id, tv_summary_encode_id(id, number));
        tv_output_put(output, method->line, method->len);
    }
}

void tv_summary_put(struct tv_recording *recording)
{
    struct tv_output *output = &recording->output;
    put_version(output, tv_summary_version(recording));
    put_options(recording);
    if (recording->format == TV_RECORD_TEXT) {
        put_threads(recording);
        put_text(output, "*methods\n");
    }
    put_text(output, "*end\n");
}

void tv_summary_put_text(struct tv_recording *recording)
{
    put_version(&recording->output, tv_summary_version(recording));
    put_options(recording);
    put_threads(recording);
    put_methods(recording);
    put_text(&recording->output, "*end\n");
}
