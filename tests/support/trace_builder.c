/* See support/trace_builder.h. */
#include "support/trace_builder.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

#define HEADER_MOST 65536u
#define ORDINARY_OFFSET 32u
#define ORDINARY_START 5000000u

void build_bytes(struct trace_builder *t, const void *bytes, size_t len)
{
    t->last_off = t->bytes.len;
    if (tv_buffer_append(&t->bytes, bytes, len, NULL) != TV_OK)
        abort();
}

void build_str(struct trace_builder *t, const char *text)
{
    build_bytes(t, text, strlen(text));
}

void build_cut(struct trace_builder *t, size_t len)
{
    t->bytes.len -= len;
}

static void build_u16(struct trace_builder *t, unsigned value)
{
    uint8_t bytes[2];
    tv_store_le16(bytes, (uint16_t)value);
    build_bytes(t, bytes, sizeof(bytes));
}

static void build_u32(struct trace_builder *t, uint32_t value)
{
    uint8_t bytes[4];
    tv_store_le32(bytes, value);
    build_bytes(t, bytes, sizeof(bytes));
}

static void build_number(struct trace_builder *t, unsigned value)
{
    char digit = (char)('0' + value % 10);
    if (value >= 10)
        build_number(t, value / 10);
    build_bytes(t, &digit, 1);
}

static int is_dual(const struct build_opts *opts)
{
    return opts->version == 3 && opts->clock && !strcmp(opts->clock, "dual");
}

static void build_section(struct trace_builder *t, const char *methods)
{
    const struct build_opts *opts = &t->opts;
    build_str(t, "*version\n");
    build_number(t, opts->text_version ? opts->text_version : opts->version);
    build_str(t, "\n");
    if (opts->clock) {
        build_str(t, "clock=");
        build_str(t, opts->clock);
        build_str(t, "\n");
    }
    build_str(t, opts->options ? opts->options : "");
    build_str(t, "*threads\n");
    build_str(t, opts->threads ? opts->threads : "1\tmain\n2\tworker\n");
    build_str(t, "*methods\n");
    build_str(t, methods);
    build_str(t, opts->end ? opts->end : "*end\n");
}

static void build_header(struct trace_builder *t, unsigned version, int has_record_len)
{
    static const uint8_t zeros[HEADER_MOST];
    const struct build_opts *opts = &t->opts;
    unsigned offset = opts->data_offset ? opts->data_offset : ORDINARY_OFFSET;
    uint64_t start = opts->start_usec ? opts->start_usec : ORDINARY_START;
    t->header_off = t->bytes.len;
    build_str(t, "SLOW");
    build_u16(t, version);
    build_u16(t, offset);
    build_u32(t, (uint32_t)start);
    build_u32(t, (uint32_t)(start >> 32));
    if (has_record_len)
        build_u16(t, (unsigned)t->record_len);
    size_t len = t->bytes.len - t->header_off;
    if (offset > len)
        build_bytes(t, zeros, offset - len);
}

static void begin(struct trace_builder *t, struct build_opts opts)
{
    *t = (struct trace_builder){.opts = opts};
    tv_buffer_init(&t->bytes, tv_alloc_libc());
    t->record_len = opts.version == 1 ? 9 : is_dual(&opts) ? 14 : 10;
    if (opts.record_len)
        t->record_len = opts.record_len;
}

void build_text(struct trace_builder *t, struct build_opts opts)
{
    begin(t, opts);
    build_section(t, opts.methods ? opts.methods
                                  : "0x4\ta.B\tfoo\t()V\tB.java\n0x8\ta.B\tbar\t(I)V\tB.java\n"
                                    "0xc\ta.C\tbaz\t()V\tC.java\n");
    build_header(t, opts.version, opts.version == 3);
}

void build_stream(struct trace_builder *t, struct build_opts opts)
{
    begin(t, opts);
    if (opts.version == 1 && !opts.record_len)
        t->record_len = 10;
    if (opts.version == 3 && !opts.clock && !opts.record_len)
        t->record_len = 14;
    build_header(t, opts.version | 0xf0, 1);
}

void build_release(struct trace_builder *t)
{
    tv_buffer_release(&t->bytes);
}

void build_record(struct trace_builder *t, struct build_record record)
{
    const struct build_opts *opts = &t->opts;
    size_t from = t->bytes.len;
    uint8_t narrow = (uint8_t)record.thread;
    int is_narrow = opts->version == 1 && t->record_len == 9;
    int has_two = is_dual(opts) || (opts->version == 3 && !opts->clock && t->record_len == 14);
    if (is_narrow)
        build_bytes(t, &narrow, 1);
    else
        build_u16(t, record.thread);
    build_u32(t, record.method | record.action);
    if (has_two)
        build_u32(t, record.cpu);
    build_u32(t, opts->clock && !strcmp(opts->clock, "thread-cpu") ? record.cpu : record.wall);
    while (t->bytes.len - from < t->record_len)
        build_bytes(t, "\xab", 1);
    t->last_off = from;
}

void enter(struct trace_builder *t, unsigned thread, uint32_t method, uint32_t usec)
{
    build_record(t, (struct build_record){thread, method, ENTER, usec, usec});
}

void leave(struct trace_builder *t, unsigned thread, uint32_t method, uint32_t usec)
{
    build_record(t, (struct build_record){thread, method, LEAVE, usec, usec});
}

void unwind(struct trace_builder *t, unsigned thread, uint32_t method, uint32_t usec)
{
    build_record(t, (struct build_record){thread, method, UNWIND, usec, usec});
}

void tell_thread(struct trace_builder *t, unsigned thread, const char *name)
{
    size_t from = t->bytes.len;
    build_bytes(t, "\0\0\2", 3);
    build_u16(t, thread);
    build_u16(t, (unsigned)strlen(name));
    build_str(t, name);
    t->last_off = from;
}

void tell_method(struct trace_builder *t, const char *line)
{
    size_t from = t->bytes.len;
    build_bytes(t, "\0\0\1", 3);
    build_u16(t, (unsigned)strlen(line));
    build_str(t, line);
    t->last_off = from;
}

void tell_summary(struct trace_builder *t)
{
    size_t from = t->bytes.len;
    build_bytes(t, "\0\0\3", 3);
    build_u32(t, 0);
    size_t text = t->bytes.len;
    build_section(t, t->opts.methods ? t->opts.methods : "");
    tv_store_le32(t->bytes.bytes + text - 4, (uint32_t)(t->bytes.len - text));
    t->last_off = from;
}
