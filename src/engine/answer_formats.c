/*
 * The formats of the engine that only answers, in place of format/sniff/sniff.c: those that Android
 * writes as files of its own. A page hands every other file to the other engine, which knows dumps
 * and Perfetto traces, too, and says of what is no trace what it is (docs/engine.md).
 */
#include "base/compiler.h"
#include "base/error.h"
#include "format/formats.h"

static const struct tv_format *const formats[] = {&tv_format_stream, &tv_format_packets,
                                                  &tv_format_text};

enum tv_code tv_sniff(const uint8_t *bytes, size_t len, const struct tv_format **format,
                      struct tv_error *err)
{
    for (size_t i = 0; i < TV_COUNT_OF(formats); i++) {
        if (formats[i]->matches(bytes, len)) {
            *format = formats[i];
            return TV_OK;
        }
    }
    return tv_fail(err, TV_ERR_FOREIGN, 0, "this engine does not know such files");
}
