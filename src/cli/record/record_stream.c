/*
 * The stream of a recorded program becomes a trace with names; see cli/record/record_stream.h. The
 * stream is read and written like any trace; describe() gives each method its name from the symbols
 * of the file that it is in. Names are looked for here and not in the program, which would be
 * slowed down by it. Calls that the user wants left out are found in a pass before (leave_out()),
 * since whether a call is short shows only at its end.
 */
#include "cli/record/record_stream.h"

#include <stdio.h>
#include <string.h>

#include "base/code_file.h"
#include "base/str.h"
#include "cli/file/load.h"
#include "cli/file/output.h"
#include "cli/record/record_names.h"
#include "cli/record/record_tight.h"
#include "format/wire.h"
#include "os/symbols/symbols.h"

static bool is_code_file(struct tv_str text)
{
    return tv_str_starts_with(text, TV_STR(TV_CODE_FILE_BUILD)) ||
           tv_str_starts_with(text, TV_STR(TV_CODE_FILE_INODE));
}

/* Gives a method its name. The library names a method by the file that the function is in, and its
 * address there, and tells in place of a signature which file it is; any other name is left as it
 * is, as those of Java are. Without a symbol the address stays. */
static enum tv_code describe(void *ctx, struct tv_trace_method *method, struct tv_error *err)
{
    struct tv_record_run *recording = ctx;
    char module[TV_PATH_CAP], code_file[TV_CODE_FILE_CAP] = "";
    struct tv_symbol_place place = {.file = module, .code_file = code_file};
    struct tv_symbol symbol = {.name = NULL};
    struct tv_str digits = method->name;
    if (!tv_str_starts_with(digits, TV_STR("0x")) || method->class_name.len >= sizeof(module))
        return TV_OK;
    digits = (struct tv_str){digits.at + 2, digits.len - 2};
    memcpy(module, method->class_name.at, method->class_name.len);
    module[method->class_name.len] = '\0';
    if (!tv_str_to_u64(digits, 16, &place.address))
        return TV_OK;
    if (is_code_file(method->signature) && method->signature.len < sizeof(code_file)) {
        memcpy(code_file, method->signature.at, method->signature.len);
        code_file[method->signature.len] = '\0';
        method->signature = TV_STR("()");
    }
    if (recording->symbols && tv_symbols_find(recording->symbols, &place, &symbol))
        return tv_record_name(&recording->texts, &symbol, module, method, err);
    TV_TRY(tv_record_count_nameless(&recording->nameless, &recording->texts, &symbol,
                                    method->class_name, err));
    if (recording->symbols)
        method->class_name = tv_str_file_name(method->class_name);
    return TV_OK;
}

/* Threads keep their names and numbers, and the rewriter asks for each. */
static enum tv_code keep_thread(void *ctx, uint32_t id, struct tv_str *name, struct tv_error *err)
{
    (void)ctx;
    (void)id;
    (void)name;
    (void)err;
    return TV_OK;
}

static bool keep_property(struct tv_str key, struct tv_str value)
{
    (void)key;
    (void)value;
    return true;
}

static enum tv_code is_out(void *ctx, const struct tv_trace_method *method, bool *is_out,
                           struct tv_error *err)
{
    struct tv_record_run *recording = ctx;
    struct tv_trace_method named = *method;
    TV_TRY(describe(recording, &named, err));
    return tv_record_filter_is_out(&recording->filter, &named, is_out, err);
}

bool tv_record_leaves_out(const struct tv_record_program_options *options)
{
    return options->only.count || options->skip.count || options->min_duration.is_given;
}

/* Finds the calls that are left out. */
static enum tv_code leave_out(struct tv_record_run *recording, const struct tv_opened *opened,
                              struct tv_error *err)
{
    const struct tv_record_program_options *options = recording->options;
    bool has_patterns = options->only.count || options->skip.count;
    const struct tv_call_filter_question question = {
        .is_out = has_patterns ? is_out : NULL,
        .ctx = recording,
        .least_ns = options->min_duration.is_given ? options->min_duration.time_ns : 0};
    if (!tv_record_leaves_out(options))
        return TV_OK;
    if (has_patterns && recording->why_no_names)
        return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET, "--only and --skip need names: %s",
                       recording->why_no_names);
    TV_TRY(tv_call_filter_find(&recording->left_out, opened->file.bytes, opened->file.len,
                               &opened->trace.opts, &question, err));
    recording->nameless =
        (struct tv_record_nameless){.count = 0}; /* they are counted when they are written */
    return TV_OK;
}

/* Whether the time was over before the program had ended, which ran on. */
static bool has_run_out(const struct tv_record_run *recording)
{
    const struct tv_record_program_options *options = recording->options;
    return options->duration.is_given && options->then && options->then[0] == 'k' &&
           recording->elapsed_ns >= options->duration.time_ns;
}

/* An empty recording is the most frequent mistake, so the message names what was most likely left
 * out. */
static const char *why_no_call(const struct tv_record_run *recording)
{
    if (recording->cut)
        return ", and what it started lost all: SIGKILL, or going on, loses each thread's last "
               "ones";
    /* One without hooks calls nothing that could be lost. */
    if (!recording->is_whole && !(recording->has_children && !recording->options->children))
        return ", or lost all: SIGKILL and exec() lose each thread's last ones";
    if (recording->is_java)
        return "";
    if (has_run_out(recording))
        return " in the time of --duration: if it is compiled with -finstrument-functions, it "
               "called nothing until then";
    return recording->has_children
               ? ", nor did a program that it started: compile it with "
                 "-finstrument-functions (not -pg -mfentry, nor -fpatchable-function-entry) and "
                 "leave it its environment (no env -i), or give --sample 1ms"
               : ": compile it with -finstrument-functions (not -pg -mfentry, nor "
                 "-fpatchable-function-entry), or give --sample 1ms";
}

/* Whether a class is in a package, is the class, or is inside of it: "com.example", as the agent
 * takes --classes. */
static bool is_of(struct tv_str class_name, struct tv_str pattern)
{
    while (pattern.len &&
           (pattern.at[pattern.len - 1] == '*' || pattern.at[pattern.len - 1] == '.'))
        pattern.len--;
    return tv_str_starts_with(class_name, pattern) &&
           (class_name.len == pattern.len || class_name.at[pattern.len] == '.' ||
            class_name.at[pattern.len] == '$');
}

/* Says which patterns of --classes no recorded method is of: a name that is mistyped chooses
 * nothing, and the rest would look complete. */
static void tell_patterns_without_calls(const struct tv_record_run *recording,
                                        const struct tv_trace *trace)
{
    struct tv_str patterns = tv_str_from(recording->options->classes);
    struct tv_str pattern;
    while (tv_str_split(&patterns, ':', &pattern)) {
        bool has_any = false;
        for (size_t i = 0; i < trace->method_count && !has_any; i++)
            has_any = is_of(trace->methods[i].class_name, pattern);
        if (!has_any)
            tv_cli_note(recording->cli, recording->words[0],
                        "no method was called of --classes %.*s: check the name", (int)pattern.len,
                        pattern.at);
    }
}

/* Takes from the properties for which call a ring was written. */
static enum tv_code take_slow_call(struct tv_record_run *recording, const struct tv_trace *trace,
                                   struct tv_error *err)
{
    const struct tv_str text = tv_trace_property_of(trace, TV_STR("slow-call-id"));
    uint64_t id = 0;
    recording->slow_ns = tv_trace_number_of(trace, TV_STR("slow-call-nsec"));
    recording->slow_methods = tv_trace_number_of(trace, TV_STR("slow-methods"));
    (void)snprintf(recording->slow_call, sizeof(recording->slow_call), "a call");
    if (text.len < 3 || !tv_str_to_u64((struct tv_str){text.at + 2, text.len - 2}, 16, &id))
        return TV_OK;
    for (size_t i = 0; i < trace->method_count; i++) {
        struct tv_trace_method method = trace->methods[i];
        if (method.id != id)
            continue;
        const struct tv_record_nameless nameless = recording->nameless;
        TV_TRY(describe(recording, &method, err));
        recording->nameless = nameless; /* it is counted when it is written */
        (void)snprintf(recording->slow_call, sizeof(recording->slow_call), "%.*s.%.*s",
                       (int)method.class_name.len, method.class_name.at, (int)method.name.len,
                       method.name.at);
    }
    return TV_OK;
}

static enum tv_code count_bytes(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    (void)bytes;
    (void)err;
    *(uint64_t *)ctx += len;
    return TV_OK;
}

/* Where the disk is tight, the stream goes as the trace is written: so the trace is measured
 * before, since one that has longer names than the stream may need more than that leaves. */
static enum tv_code measure(struct tv_record_run *recording, const struct tv_opened *opened,
                            const struct tv_record_tight *tight, const struct tv_write_opts *opts,
                            struct tv_error *err)
{
    uint64_t len = 0;
    struct tv_write_opts silent = *opts;
    silent.has_read = NULL;
    if (tight->fd < 0)
        return TV_OK;
    TV_TRY(tv_write_trace(recording->cli->alloc, opened->file.bytes, opened->file.len, &silent,
                          (struct tv_sink){.write = count_bytes, .ctx = &len}, err));
    recording->nameless =
        (struct tv_record_nameless){.count = 0}; /* they are counted when it is written */
    const bool *has_clock = opened->trace.has_clock;
    const uint64_t records =
        recording->result.records * (has_clock[TV_CLOCK_WALL] && has_clock[TV_CLOCK_CPU]
                                         ? TV_WIRE_TWO_TIMES_RECORD
                                         : TV_WIRE_ONE_TIME_RECORD);
    const uint64_t lacks = tv_record_tight_lacks(tight, len, len > records ? len - records : 0);
    if (!lacks)
        return TV_OK;
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET,
                   "%s: the disk has no room for it: with names it has %.1f kB, for which %.1f kB "
                   "are missing",
                   recording->path, (double)len / 1e3, (double)lacks / 1e3);
}

/* Writes the stream as a plain trace with names. */
static enum tv_code write_trace(struct tv_record_run *recording, const struct tv_opened *opened,
                                struct tv_error *err)
{
    struct tv_output_file output;
    struct tv_record_tight tight;
    const struct tv_write_names names = {.ctx = recording,
                                         .method = describe,
                                         .thread = keep_thread,
                                         .has_property = keep_property,
                                         .keeps_start_time = true};
    TV_TRY(leave_out(recording, opened, err));
    const struct tv_write_opts opts = {
        .as = TV_STR("v3"),
        .read = opened->trace.opts,
        .names = &names,
        .is_cut = !recording->is_whole || recording->cut,
        .knows_losses = true,
        .left_out = tv_record_leaves_out(recording->options) ? &recording->left_out : NULL,
        .has_read = tv_record_tight_has_read,
        .has_read_ctx = &tight,
        .result = &recording->result};
    TV_TRY(tv_output_open(&output, recording->cli, recording->path, TV_OUTPUT_TRACE, err));
    enum tv_code code = tv_record_tight_begin(&tight, recording->cli->alloc, recording->stream,
                                              opened->file.len, tv_output_sink(&output), err);
    if (code == TV_OK)
        code = measure(recording, opened, &tight, &opts, err);
    if (code == TV_OK)
        code = tv_write_trace(recording->cli->alloc, opened->file.bytes, opened->file.len, &opts,
                              tv_record_tight_sink(&tight), err);
    code = tv_record_tight_end(&tight, code, err);
    recording->given_back = tight.given_back;
    if (code == TV_OK && recording->result.records == 0 && recording->left_out.calls)
        code = tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "%s: all of its calls are left out",
                       recording->words[0]);
    if (code == TV_OK && recording->result.records == 0)
        code = tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "%s: it recorded no call%s",
                       recording->words[0], why_no_call(recording));
    if (!tight.given_back) /* else it was changed from here */
        code = tv_opened_check(opened, code, err);
    return tv_output_close(&output, code, err);
}

static void take_looks(struct tv_record_looks *looks, const struct tv_trace *trace)
{
    looks->stacks = tv_trace_number_of(trace, TV_STR("sampled-stacks"));
    looks->running = tv_trace_number_of(trace, TV_STR("sampled-running-stacks"));
    looks->tick_us = tv_trace_number_of(trace, TV_STR("sampling-tick-usec"));
    looks->apart_us = tv_trace_number_of(trace, TV_STR("sampling-apart-usec"));
}

/* Opens the stream as a trace, takes from its properties what is told to the user, and writes the
 * trace. A stream without the properties that come last was cut short, and is not whole. */
enum tv_code tv_record_stream_finish(struct tv_record_run *recording, struct tv_error *err)
{
    struct tv_opened opened;
    const char *why = NULL;
    if (!recording->is_java)
        TV_TRY(tv_symbols_new(&recording->symbols, &why, err));
    recording->why_no_names = recording->symbols ? NULL : why;
    tv_opened_init(&opened, recording->cli->alloc);
    enum tv_code code =
        tv_opened_open(&opened, recording->stream, &(struct tv_open_opts){.tell = NULL}, err);
    if (code == TV_OK) {
        recording->call_ns = tv_trace_number_of(&opened.trace, TV_STR("record-call-overhead-nsec"));
        recording->writing_ns = tv_trace_number_of(&opened.trace, TV_STR("record-writing-nsec"));
        bool has_end = recording->call_ns ||
                       tv_trace_number_of(&opened.trace, TV_STR("sampling-interval-usec"));
        recording->is_by_events =
            tv_trace_number_of(&opened.trace, TV_STR("recorded-by-events")) != 0;
        take_looks(&recording->looks, &opened.trace);
        recording->skipped = tv_trace_number_of(&opened.trace, TV_STR("methods-skipped"));
        recording->lost = tv_trace_number_of(&opened.trace, TV_STR("records-lost"));
        recording->limit = tv_trace_number_of(&opened.trace, TV_STR("file-limit"));
        recording->elapsed_ns = opened.trace.elapsed_ns;
        recording->ring = tv_trace_number_of(&opened.trace, TV_STR("ring-bytes"));
        recording->is_ring_full = tv_str_equal(
            tv_trace_property_of(&opened.trace, TV_STR("ring-is-full")), TV_STR("true"));
        recording->is_whole = has_end && !opened.trace.findings.of[TV_FINDING_RECORDING_CUT].count;
        recording->is_buffer_full = opened.trace.findings.of[TV_FINDING_OVERFLOW].count != 0;
        if (recording->options->classes)
            tell_patterns_without_calls(recording, &opened.trace);
        code = take_slow_call(recording, &opened.trace, err);
        if (code == TV_OK)
            code = write_trace(recording, &opened, err);
    }
    tv_opened_release(&opened);
    tv_symbols_free(recording->symbols);
    recording->symbols = NULL;
    return code;
}
