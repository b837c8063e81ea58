/*
 * Unpacking of files and of packets inside them; see os/file/unpack.h.
 *
 * A Perfetto trace is known by its beginning: a row of fields with the number of packets. Its
 * service packs all packets or none, but for the first ones; so a packed one is looked for among
 * those near the beginning. Packets are copied as they stand, whole fields with their tags, until
 * no field begins: what stands behind that is copied too, for the reader to judge.
 *
 * Source: protos/perfetto/trace/trace_packet.proto.
 */
#include "os/file/unpack.h"

#include "base/bytes/protobuf.h"

/* Of a trace, and of a packet. */
#define FIELD_PACKET 1u
#define FIELD_BY_ZLIB 50u
#define FIELD_BY_ZSTD 133u

/* Packets that are looked at before it is known that none is packed. */
#define PACKETS_AHEAD 4096u

struct packets {
    struct tv_cursor cursor;
    const struct tv_inflate_opts *opts;
    struct tv_buffer *out;
    size_t first;      /* in `out`: the first byte of the packets */
    uint64_t most_len; /* of all that is unpacked */
    bool *is_cut;
    struct tv_error *err;
};

/* Takes the next field of the trace; false where no packet begins. */
static bool take_packet(struct tv_cursor *cursor, struct tv_field *packet)
{
    struct tv_cursor before = *cursor;
    if (tv_field_take(cursor, packet) && packet->number == FIELD_PACKET && packet->is_bytes)
        return true;
    *cursor = before;
    return false;
}

/* The field of a packet that holds packed ones. */
static bool find_packed(const struct tv_cursor *cursor, const struct tv_field *packet,
                        struct tv_field *packed)
{
    struct tv_cursor inside = tv_field_message(cursor, packet);
    while (tv_field_take(&inside, packed)) {
        if (packed->is_bytes &&
            (packed->number == FIELD_BY_ZLIB || packed->number == FIELD_BY_ZSTD))
            return true;
    }
    return false;
}

static bool has_packed_packets(const uint8_t *bytes, size_t len)
{
    struct tv_cursor cursor = {.bytes = bytes, .len = len, .pos = 0};
    struct tv_field packet, packed;
    for (unsigned i = 0; i < PACKETS_AHEAD && take_packet(&cursor, &packet); i++) {
        if (find_packed(&cursor, &packet, &packed))
            return true;
    }
    return false;
}

bool tv_is_packed(const uint8_t *bytes, size_t len)
{
    return tv_packing_of(bytes, len) != TV_PACKING_NONE || has_packed_packets(bytes, len);
}

static enum tv_code fail_too_long(const struct packets *packets, size_t offset)
{
    return tv_fail(packets->err, TV_ERR_LIMIT, offset,
                   "its packets unpack to more than %llu MiB, which few traces of this size do: "
                   "give --unpack-all if you trust it",
                   (unsigned long long)(packets->most_len >> 20));
}

/* Appends the packets inside a packed one. */
static enum tv_code unpack_packet(struct packets *packets, const struct tv_field *packed)
{
    const uint64_t used = packets->out->len - packets->first;
    struct tv_inflate_opts opts = {.most_len = packets->most_len - used};
    bool is_cut;
    if (used >= packets->most_len)
        return fail_too_long(packets, packed->pos);
    enum tv_code code =
        tv_inflate_as(packed->number == FIELD_BY_ZSTD ? TV_PACKING_ZSTD : TV_PACKING_ZLIB,
                      packets->cursor.bytes + packed->pos, packed->len, &opts, packets->out,
                      &is_cut, packets->err);
    /* Of the other limit, the memory for a window, the text says all. */
    if (code == TV_ERR_LIMIT && packets->out->len - packets->first > packets->most_len)
        return fail_too_long(packets, packed->pos);
    if (code != TV_OK && packets->err && packets->err->offset != TV_NO_OFFSET)
        packets->err->offset += packed->pos;
    *packets->is_cut |= is_cut;
    return code;
}

static enum tv_code unpack_packets(struct packets *packets)
{
    struct tv_cursor *cursor = &packets->cursor;
    const struct tv_inflate_opts *opts = packets->opts;
    struct tv_field packet, packed;
    for (size_t from = 0; take_packet(cursor, &packet); from = cursor->pos) {
        if (opts && opts->progress && !opts->progress(opts->progress_ctx, cursor->pos, cursor->len))
            return tv_fail(packets->err, TV_ERR_CANCELLED, TV_NO_OFFSET, "cancelled");
        TV_TRY(find_packed(cursor, &packet, &packed)
                   ? unpack_packet(packets, &packed)
                   : tv_buffer_append(packets->out, cursor->bytes + from, cursor->pos - from,
                                      packets->err));
    }
    return tv_buffer_append(packets->out, cursor->bytes + cursor->pos, tv_cursor_left(cursor),
                            packets->err);
}

/* The bytes of a packed file with packed packets are given back when its packets are out. */
static enum tv_code unpack_packets_of(const uint8_t *bytes, size_t len, uint64_t most_len,
                                      const struct tv_inflate_opts *opts, struct tv_buffer *out,
                                      bool *is_cut, struct tv_error *err)
{
    struct packets packets = {.cursor = {.bytes = bytes, .len = len, .pos = 0},
                              .opts = opts,
                              .out = out,
                              .first = out->len,
                              .most_len = most_len,
                              .is_cut = is_cut,
                              .err = err};
    return unpack_packets(&packets);
}

enum tv_code tv_unpack(const uint8_t *bytes, size_t len, const struct tv_inflate_opts *opts,
                       struct tv_buffer *out, bool *is_cut, struct tv_error *err)
{
    const uint64_t most_len = tv_inflate_most(len, opts);
    struct tv_buffer file;
    *is_cut = false;
    if (tv_packing_of(bytes, len) == TV_PACKING_NONE)
        return has_packed_packets(bytes, len)
                   ? unpack_packets_of(bytes, len, most_len, opts, out, is_cut, err)
                   : TV_OK;
    const size_t first = out->len;
    TV_TRY(tv_inflate(bytes, len, opts, out, is_cut, err));
    if (!has_packed_packets(out->bytes + first, out->len - first))
        return TV_OK;
    tv_buffer_init(&file, out->alloc);
    enum tv_code code = tv_buffer_append(&file, out->bytes + first, out->len - first, err);
    out->len = first;
    if (code == TV_OK)
        code = unpack_packets_of(file.bytes, file.len, most_len, opts, out, is_cut, err);
    tv_buffer_release(&file);
    return code;
}
