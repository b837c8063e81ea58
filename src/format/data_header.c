/*
 * Reads a data header, as far as it is there; see format/data_header.h.
 *
 * The header says where records begin and, from version 3 on, how long they are. A header that is
 * cut behind its version gives a trace without records, not an error: the text section before it
 * may still be of use. The fields are in docs/formats/text.md.
 */
#include "format/data_header.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/units.h"
#include "format/wire.h"

uint64_t tv_ns_of_usec(uint64_t usec)
{
    return usec > UINT64_MAX / TV_NS_PER_US ? UINT64_MAX : usec * TV_NS_PER_US;
}

/* Two causes, two texts: a file that ends here was cut or never filled, other bytes are damage. */
static enum tv_code check_magic(const struct tv_trace *trace, size_t off, struct tv_error *err)
{
    size_t left = trace->len - off;
    if (left < TV_WIRE_DATA_OFFSET_AT) {
        return tv_fail(
            err, TV_ERR_FORMAT, off,
            "the file ends %zu bytes into the data header: nothing was recorded or the file is cut",
            left);
    }
    uint32_t magic = tv_load_le32(trace->bytes + off);
    if (magic != TV_WIRE_MAGIC) {
        return tv_fail(
            err, TV_ERR_FORMAT, off,
            "the data should begin with SLOW (53 4c 4f 57), found %02x %02x %02x %02x: the file is "
            "damaged",
            magic & 0xff, magic >> 8 & 0xff, magic >> 16 & 0xff, magic >> 24);
    }
    return TV_OK;
}

/* A header that is cut after its version is survived: the trace then has no records. */
enum tv_code tv_data_header_read(const struct tv_trace *trace, size_t off,
                                 struct tv_data_header *header, struct tv_error *err)
{
    *header = (struct tv_data_header){.off = off};
    TV_TRY(check_magic(trace, off, err));
    const uint8_t *at = trace->bytes + off;
    size_t left = trace->len - off;
    header->version = tv_load_le16(at + TV_WIRE_VERSION_AT);
    size_t fields = header->version >= 3 ? TV_WIRE_LONG_HEADER : TV_WIRE_SHORT_HEADER;
    if (left < fields) {
        header->is_cut = true;
        header->records_off = trace->len;
        return TV_OK;
    }
    header->start_ns = tv_ns_of_usec(tv_load_le64(at + TV_WIRE_START_AT));
    header->has_record_len = header->version >= 3;
    if (header->has_record_len)
        header->record_len = tv_load_le16(at + TV_WIRE_RECORD_LEN_AT);
    /* A data offset that lies inside the header's own fields means that records begin right
     * after these. */
    size_t skip = tv_load_le16(at + TV_WIRE_DATA_OFFSET_AT);
    if (skip < fields)
        skip = fields;
    header->is_cut = skip > left;
    header->records_off = header->is_cut ? trace->len : off + skip;
    return TV_OK;
}

enum tv_code tv_data_header_refuse_record_len(const struct tv_data_header *header, size_t least,
                                              struct tv_error *err)
{
    uint64_t off = header->off + TV_WIRE_RECORD_LEN_AT;
    if (header->record_len < least)
        return tv_fail(err, TV_ERR_FORMAT, off,
                       "record size %u is below the %zu bytes of its fields: the file is damaged",
                       header->record_len, least);
    return tv_fail(err, TV_ERR_FORMAT, off,
                   "record size %u, of which %zu bytes are used: the file is damaged",
                   header->record_len, least);
}
