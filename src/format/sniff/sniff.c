/*
 * Which family some bytes belong to: the table of all families, in the order in which they are
 * asked (docs/formats/README.md, "Sniffing").
 *
 * Streams, packets and text begin with a magic number and are asked first; low-overhead dumps are
 * mostly recognised by a walk over their bytes, which is slower and less certain. A file that no
 * family takes is compared with the files of other tools (foreign.h), so that it is refused by its
 * name, and is looked at for damage by a copy as text.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory/text_damage.h"
#include "format/formats.h"
#include "format/sniff/foreign.h"
#include "format/wire.h"

/* A new format is one line here. Formats with a magic number come first; low-overhead dumps have
 * none and come last. */
static const struct tv_format *const formats[] = {
    &tv_format_stream,       &tv_format_packets,          &tv_format_text,
    &tv_format_low_overhead, &tv_format_low_overhead_old, &tv_format_perfetto,
};

static const char text_magic[] = "*version\n";

/* The version of a stream is above 7f: as UTF-8 its one byte becomes two, or ef bf bd. */
static enum tv_text_damage copied_version(const uint8_t *bytes, size_t len)
{
    static const uint8_t replaced[] = {0xef, 0xbf, 0xbd, 0};
    const uint8_t *at = bytes + TV_WIRE_VERSION_AT;
    if (len < TV_WIRE_VERSION_AT + sizeof(replaced))
        return TV_TEXT_DAMAGE_WELL;
    if (!memcmp(at, replaced, sizeof(replaced)))
        return TV_TEXT_DAMAGE_UTF8;
    bool is_latin1 = at[0] == 0xc3 && (at[1] | 0x40) > TV_WIRE_STREAMING &&
                     (at[1] | 0x40) <= TV_WIRE_LONG_RUNNING_VERSION && !at[2];
    return is_latin1 ? TV_TEXT_DAMAGE_LATIN1 : TV_TEXT_DAMAGE_WELL;
}

/* "SLOW" without a version that a reader took. */
static enum tv_code refuse_data(const uint8_t *bytes, size_t len, struct tv_error *err)
{
    if (len < TV_WIRE_DATA_OFFSET_AT) {
        return tv_fail(err, TV_ERR_FORMAT, len,
                       "the file ends %zu bytes into its header: it is cut", len);
    }
    unsigned version = tv_load_le16(bytes + TV_WIRE_VERSION_AT);
    TV_TRY(tv_text_damage_refuse(copied_version(bytes, len), 0, err));
    if (version >= 1 && version <= 3) {
        return tv_fail(
            err, TV_ERR_FORMAT, 0,
            "only the data file of a pair (version %u), without names: its text is in the .key "
            "file; give the name without .data, or join the two",
            version);
    }
    return tv_fail(
        err, TV_ERR_UNSUPPORTED, TV_WIRE_VERSION_AT,
        "a method trace of version 0x%x, which is unknown here: look for a newer traceview",
        version);
}

/* Fails for a file that was copied as text. Which kind it is does not show where its magic number
 * is damaged, or where it has none. Plain text is not binary, and has line ends of either kind. */
static enum tv_code refuse_copied(const uint8_t *bytes, size_t len, struct tv_error *err)
{
    static const char converted_twice[] = "*version\r\r\n";
    size_t look = len < TV_TEXT_DAMAGE_LOOK ? len : TV_TEXT_DAMAGE_LOOK;
    if (look >= sizeof(converted_twice) - 1 &&
        !memcmp(bytes, converted_twice, sizeof(converted_twice) - 1))
        return tv_text_damage_refuse(TV_TEXT_DAMAGE_CRLF, 0, err);
    return memchr(bytes, 0, look) ? tv_text_damage_refuse(tv_text_damage_judge(bytes, len), 0, err)
                                  : TV_OK;
}

/* Says what a file is that no format takes, from the most certain to the least. */
static enum tv_code refuse(const uint8_t *bytes, size_t len, struct tv_error *err)
{
    if (!len) {
        return tv_fail(err, TV_ERR_FORMAT, 0,
                       "the file is empty: nothing was recorded, or the copy failed");
    }
    if (len >= TV_WIRE_MAGIC_LEN && tv_load_le32(bytes) == TV_WIRE_MAGIC)
        return refuse_data(bytes, len, err);
    if (len < sizeof(text_magic) - 1 && !memcmp(bytes, text_magic, len))
        return tv_fail(err, TV_ERR_FORMAT, len, "a method trace that is cut after %zu bytes", len);
    TV_TRY(tv_foreign_refuse(bytes, len, err));
    TV_TRY(refuse_copied(bytes, len, err));
    uint8_t first[TV_WIRE_MAGIC_LEN] = {0};
    memcpy(first, bytes, len < sizeof(first) ? len : sizeof(first));
    return tv_fail(
        err, TV_ERR_FORMAT, 0,
        "not a method trace: it should begin with *version or SLOW, found %02x %02x %02x %02x",
        first[0], first[1], first[2], first[3]);
}

enum tv_code tv_sniff(const uint8_t *bytes, size_t len, const struct tv_format **format,
                      struct tv_error *err)
{
    for (size_t i = 0; i < TV_COUNT_OF(formats); i++) {
        if (formats[i]->matches(bytes, len)) {
            *format = formats[i];
            return TV_OK;
        }
    }
    return refuse(bytes, len, err);
}
