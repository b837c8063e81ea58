/*
 * A tar file with a manifest; see cli/file/merged_archive.h. A member is a head of 512 bytes, in
 * which numbers are octal text, then its bytes, and zeros up to a multiple of 512. Owner and time
 * are zero, so the same traces give the same archive.
 */
#include "cli/file/merged_archive.h"

#include <stdio.h>
#include <string.h>

#define BLOCK_LEN 512u
/* Eleven octal digits. */
#define MEMBER_MOST ((UINT64_C(1) << 33) - 1)
/* Offsets in a head. */
#define AT_NAME 0u
#define AT_MODE 100u
#define AT_OWNER 108u
#define AT_GROUP 116u
#define AT_LEN 124u
#define AT_TIME 136u
#define AT_CHECKSUM 148u
#define AT_TYPE 156u
#define AT_MAGIC 257u
#define CHECKSUM_LEN 8u

#define SYSTEM_NAME "system.perfetto-trace"
#define EXPORT_NAME "traceview.perfetto-trace"

/* Times of the export are on the monotonic clock or on that of dates; snapshots of the system trace
 * lead from either to the time since boot. */
static const char manifest[] =
    "{\"perfetto_manifest\":{\"version\":1,"
    "\"trace_time\":{\"clock\":\"BOOTTIME\",\"file\":\"" SYSTEM_NAME
    "\"},\"files\":[{\"path\":\"" SYSTEM_NAME "\"},{\"path\":\"" EXPORT_NAME "\"}]}}\n";

static enum tv_code put_head(const char *name, uint64_t len, struct tv_sink to,
                             struct tv_error *err)
{
    char head[BLOCK_LEN] = {0};
    unsigned sum = 0;
    if (len > MEMBER_MOST)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET,
                       "%s would have more than the 8 GiB that an archive holds: take a part",
                       name);
    (void)snprintf(head + AT_NAME, AT_MODE - AT_NAME, "%s", name);
    (void)snprintf(head + AT_MODE, AT_OWNER - AT_MODE, "%07o", 0644u);
    (void)snprintf(head + AT_OWNER, AT_GROUP - AT_OWNER, "%07o", 0u);
    (void)snprintf(head + AT_GROUP, AT_LEN - AT_GROUP, "%07o", 0u);
    (void)snprintf(head + AT_LEN, AT_TIME - AT_LEN, "%011llo", (unsigned long long)len);
    (void)snprintf(head + AT_TIME, AT_CHECKSUM - AT_TIME, "%011o", 0u);
    memset(head + AT_CHECKSUM, ' ', CHECKSUM_LEN);
    head[AT_TYPE] = '0';
    memcpy(head + AT_MAGIC,
           "ustar\0"
           "00",
           8);
    for (size_t i = 0; i < sizeof(head); i++)
        sum += (unsigned char)head[i];
    (void)snprintf(head + AT_CHECKSUM, CHECKSUM_LEN, "%06o", sum);
    return to.write(to.ctx, head, sizeof(head), err);
}

/* Zeros up to the next block. */
static enum tv_code put_padding(uint64_t len, struct tv_sink to, struct tv_error *err)
{
    static const char zeros[BLOCK_LEN] = {0};
    size_t rest = (size_t)(len % BLOCK_LEN);
    return rest ? to.write(to.ctx, zeros, BLOCK_LEN - rest, err) : TV_OK;
}

static enum tv_code put_member(const char *name, struct tv_str bytes, struct tv_sink to,
                               struct tv_error *err)
{
    TV_TRY(put_head(name, bytes.len, to, err));
    TV_TRY(to.write(to.ctx, bytes.at, bytes.len, err));
    return put_padding(bytes.len, to, err);
}

enum tv_code tv_merged_archive_begin(struct tv_str system_trace, uint64_t export_len,
                                     struct tv_sink to, struct tv_error *err)
{
    TV_TRY(put_member("perfetto_manifest.json", TV_STR(manifest), to, err));
    TV_TRY(put_member(SYSTEM_NAME, system_trace, to, err));
    return put_head(EXPORT_NAME, export_len, to, err);
}

/* Two blocks of zeros end an archive. */
enum tv_code tv_merged_archive_end(uint64_t export_len, struct tv_sink to, struct tv_error *err)
{
    static const char zeros[2 * BLOCK_LEN] = {0};
    TV_TRY(put_padding(export_len, to, err));
    return to.write(to.ctx, zeros, sizeof(zeros), err);
}
