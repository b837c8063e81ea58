/*
 * The first bytes of an upload; see site/upload/upload_sniff.h. This is all that a server itself
 * reads of an upload: bytes in memory, compared with beginnings that are known. A packed file is
 * not unpacked.
 */
#include "site/upload/upload_sniff.h"

#include "format/formats.h"
#include "format/perfetto/perfetto_packets.h"
#include "os/file/unpack.h"

/* What is packed cannot be judged before it is unpacked, which only the sandbox does. */
enum tv_code tv_upload_sniff_judge(const uint8_t *bytes, size_t len, enum tv_upload_sniff part,
                                   struct tv_error *err)
{
    struct tv_error why = {.code = TV_OK};
    const struct tv_format *format;
    if (tv_is_packed(bytes, len))
        return TV_OK;
    if (tv_sniff(bytes, len, &format, &why) == TV_OK)
        return TV_OK;
    /* The dump that is read of a Perfetto trace may come far behind its beginning. */
    if (part == TV_SNIFFING_START && tv_perfetto_begins(bytes, len))
        return TV_OK;
    return tv_fail(err, TV_ERR_FOREIGN, TV_NO_OFFSET, "%s", why.text);
}
