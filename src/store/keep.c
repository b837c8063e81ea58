/*
 * Keeping what arrives, in the order that loses nothing: the claim of the file, its bytes, the row
 * that names it. See store/store_db.h.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/units.h"
#include "os/clock.h"
#include "os/file/hole.h"
#include "os/file/paths.h"
#include "os/file/unnamed_file.h"
#include "os/waits.h"
#include "store/concatenation.h"
#include "store/store.h"

#define PARTS 64u
/* How many bytes arrive between two looks at the room that is left. */
#define LOOK_LEN ((uint64_t)4 << 20)
/* How many bytes arrive before they are sent to the disk. */
#define SEND_LEN ((uint64_t)8 << 20)
/* How long a claim is tried while gc removes a file of the same bytes, and the pause between two
 * tries. Gc needs moments for a file; one that was ended in the middle of it is waited for by
 * whoever brings the bytes once more, for requests have to be answered within five seconds. */
#define CLAIM_NS (1500 * (uint64_t)TV_NS_PER_MS)
#define CHOICES 3u /* of mappings, of which one is deleted each time */
#define PAUSE_NS 100000000
/* How often claim, bytes and row are tried again because gc removed the file between claim and row.
 * That takes a clock that jumps by more than the grace period. */
#define ROUNDS 3u

enum tv_code tv_arrival_begin(struct tv_arrival *arrival, struct tv_store *store,
                              enum tv_digest_sums sums, struct tv_error *err)
{
    tv_wait_expect();
    *arrival = (struct tv_arrival){.fd = -1};
    tv_digest_begin(&arrival->digest, sums);
    return store->files.draft(store->files.ctx, &arrival->fd, err);
}

/* The first part is hashed once: its hash is that of the upload so far. */
void tv_arrival_follow(struct tv_arrival *arrival, uint64_t offset,
                       const struct tv_digest_so_far *so_far)
{
    arrival->place = TV_ARRIVAL_ALONE;
    if (!offset)
        arrival->place = TV_ARRIVAL_FIRST;
    else if (tv_digest_resume(&arrival->whole, so_far, offset))
        arrival->place = TV_ARRIVAL_FOLLOWS;
}

static enum tv_code no_room(struct tv_error *err)
{
    return tv_fail(
        err, TV_ERR_LIMIT, TV_NO_OFFSET,
        "the disk of the store is nearly full, and the rest is for what was taken before");
}

static enum tv_code free_bytes_of(const char *folder, uint64_t *bytes, struct tv_error *err)
{
    struct statvfs disk;
    char above[TV_PATH_CAP];
    (void)snprintf(above, sizeof(above), "%s", folder);
    /* Of a cache that somebody removed, the folder above tells as well. */
    while (statvfs(above, &disk) != 0 && errno == ENOENT && strrchr(above, '/'))
        *strrchr(above, '/') = '\0';
    if (statvfs(above, &disk) != 0)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "the disk of the store: %s",
                       strerror(errno));
    *bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
    return TV_OK;
}

/* A bucket is not asked: it has room for all, or refuses what it has none for. What comes to it
 * lies in the cache first, and rows may lie on another disk than that. */
enum tv_code tv_store_free_bytes(const struct tv_store *store, uint64_t *bytes,
                                 struct tv_error *err)
{
    uint64_t of_cache;
    TV_TRY(free_bytes_of(store->folder, bytes, err));
    if (store->cache[0] && free_bytes_of(store->cache, &of_cache, NULL) == TV_OK &&
        of_cache < *bytes)
        *bytes = of_cache;
    return TV_OK;
}

/* A disk that cannot be asked refuses nothing here: writing will tell. */
static enum tv_code look_at_room(struct tv_arrival *arrival, size_t len, struct tv_error *err)
{
    if (!arrival->keep_free || arrival->bytes + len - arrival->looked_at < LOOK_LEN)
        return TV_OK;
    arrival->looked_at = arrival->bytes + len;
    return tv_file_room(arrival->fd) >= arrival->keep_free ? TV_OK : no_room(err);
}

/* A write that is cut short by a signal goes on. */
static enum tv_code write_all(const struct tv_arrival *arrival, const void *bytes, size_t len,
                              struct tv_error *err)
{
    const uint8_t *at = bytes;
    for (size_t done = 0; done < len;) {
        ssize_t part = write(arrival->fd, at + done, len - done);
        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0)
            return tv_fail(err, tv_is_no_room(errno) ? TV_ERR_LIMIT : TV_ERR_SYSTEM, TV_NO_OFFSET,
                           "the store cannot take more bytes: %s", strerror(errno));
        done += (size_t)part;
    }
    return TV_OK;
}

/* What came is on its way to the disk while the rest comes, so that the sync at the end, for which
 * the answer waits, has little to do. */
static void send_to_disk(struct tv_arrival *arrival)
{
    if (arrival->bytes - arrival->sent < SEND_LEN)
        return;
    tv_unnamed_file_send(arrival->fd, (off_t)arrival->sent,
                         (off_t)(arrival->bytes - arrival->sent));
    arrival->sent = arrival->bytes;
}

/* Bytes are hashed as they come, so that a large upload is not read a second time for its name, and
 * beside being written. */
enum tv_code tv_arrival_write(struct tv_arrival *arrival, const void *bytes, size_t len,
                              struct tv_error *err)
{
    tv_wait_expect();
    TV_TRY(look_at_room(arrival, len, err));
    tv_digest_lend(&arrival->digest, bytes, len);
    enum tv_code code = write_all(arrival, bytes, len, err);
    tv_digest_take(&arrival->digest, bytes, len);
    if (arrival->place == TV_ARRIVAL_FOLLOWS)
        tv_digest_take(&arrival->whole, bytes, len);
    if (code == TV_OK) {
        arrival->bytes += len;
        send_to_disk(arrival);
    }
    return code;
}

void tv_arrival_end(struct tv_arrival *arrival, struct tv_hash *hash, char md5[33])
{
    if (arrival->place != TV_ARRIVAL_ALONE)
        tv_digest_save(arrival->place == TV_ARRIVAL_FIRST ? &arrival->digest : &arrival->whole,
                       &arrival->so_far);
    tv_digest_end(&arrival->digest, hash->hex, md5);
}

void tv_arrival_release(struct tv_arrival *arrival)
{
    if (arrival->fd >= 0)
        (void)close(arrival->fd);
    arrival->fd = -1;
    tv_digest_release(&arrival->digest);
}

static enum tv_code being_removed(struct tv_error *err)
{
    return tv_fail(err, TV_ERR_CANCELLED, TV_NO_OFFSET,
                   "the same bytes are being removed from the store: try again in a moment");
}

/* The caller brings the file and adds the row that names it; until then the claim protects it for
 * the grace period. */
static enum tv_code claim_file(struct tv_store *store, const struct tv_hash *name, uint64_t bytes,
                               int64_t now, struct tv_error *err)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    const uint64_t end_ns = tv_now_ns() + CLAIM_NS;
    enum tv_code code = store->db.claim_file(store->db.ctx, name, bytes, now, err);
    while (code == TV_ERR_CONFLICT && tv_now_ns() < end_ns) {
        (void)nanosleep(&pause, NULL);
        code = store->db.claim_file(store->db.ctx, name, bytes, now, err);
    }
    return code == TV_ERR_CONFLICT ? being_removed(err) : code;
}

/* Claims a file and keeps its bytes. */
static enum tv_code keep_file(struct tv_store *store, int draft, const struct tv_hash *name,
                              uint64_t bytes, int64_t now, struct tv_error *err)
{
    TV_TRY(claim_file(store, name, bytes, now, err));
    return store->files.keep(store->files.ctx, draft, name, err);
}

enum tv_code tv_store_want_index(const struct tv_store *store, const struct tv_trace_row *row,
                                 const char *build, bool is_awaited, int64_t now,
                                 enum tv_named_by *by, struct tv_job *job, struct tv_error *err)
{
    const struct tv_store_db *db = &store->db;
    struct tv_mapping_list list;
    enum tv_code code = TV_ERR_CONFLICT;
    /* A mapping may be deleted between both: then another list is chosen. */
    for (unsigned i = 0; i < CHOICES && code == TV_ERR_CONFLICT; i++) {
        TV_TRY(db->choose_mappings(db->ctx, row, now, &list, err));
        code = db->want_job(db->ctx, &row->raw, build, list.files, is_awaited, now, job, err);
    }
    *by = list.by;
    return code;
}

/* Asks for the index of a new trace; a mapping has none. Should the process end before this,
 * whoever looks at the trace asks for it again. */
static enum tv_code want_index(const struct tv_store *store, const struct tv_trace_row *row,
                               const char *build, int64_t now, struct tv_error *err)
{
    struct tv_job job;
    enum tv_named_by by;
    if (row->kind == TV_KEPT_MAPPING)
        return TV_OK;
    return tv_store_want_index(store, row, build, true, now, &by, &job, err);
}

/* Bytes that a quota refused are not to take room for a day. Where this fails they do. */
static void drop_refused(struct tv_store *store, const struct tv_hash *name)
{
    enum tv_code code = store->db.drop_claim(store->db.ctx, name, NULL);
    (void)code;
}

/* A conflict means that gc was removing the same file. It is kept anew then, for a bounded number
 * of rounds: each round needs gc to come in between once more. */
enum tv_code tv_store_keep_trace(struct tv_store *store, struct tv_arrival *arrival,
                                 const struct tv_trace_row *row, const char *build,
                                 const struct tv_quota *quota, int64_t now, enum tv_quota_of *over,
                                 struct tv_error *err)
{
    enum tv_code code = TV_ERR_CONFLICT;
    if (over)
        *over = TV_QUOTA_STORE;
    for (unsigned round = 0; round < ROUNDS && code == TV_ERR_CONFLICT; round++) {
        TV_TRY(keep_file(store, arrival->fd, &row->raw, row->bytes, now, err));
        code = store->db.add_trace(store->db.ctx, row, 0, quota, over, err);
    }
    if (code == TV_ERR_CONFLICT)
        return being_removed(err);
    if (code == TV_ERR_LIMIT)
        drop_refused(store, &row->raw);
    return code == TV_OK ? want_index(store, row, build, now, err) : code;
}

enum tv_code tv_store_keep_part(struct tv_store *store, struct tv_arrival *arrival,
                                const struct tv_id *upload, const struct tv_part *part,
                                const struct tv_quota *quota, int64_t now, int64_t until,
                                enum tv_quota_of *over, struct tv_error *err)
{
    if (over)
        *over = TV_QUOTA_STORE;
    TV_TRY(keep_file(store, arrival->fd, &part->file, part->len, now, err));
    enum tv_code code =
        store->db.add_part(store->db.ctx, upload, part, now, until, quota, over, err);
    if (code == TV_ERR_LIMIT)
        drop_refused(store, &part->file);
    return code;
}

/* Parts are asked for by where they begin. */
static enum tv_code get_parts(const struct tv_store *store, const struct tv_id *upload,
                              struct tv_file_part *files, size_t cap, struct tv_error *err)
{
    struct tv_part parts[PARTS];
    uint64_t at = 0;
    size_t count;
    for (size_t done = 0; done < cap; done += count) {
        TV_TRY(store->db.get_parts(store->db.ctx, upload, at, parts, PARTS, &count, err));
        if (!count || count > cap - done)
            return tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET,
                           "the upload has changed meanwhile: try again");
        for (size_t i = 0; i < count; i++)
            files[done + i] = (struct tv_file_part){parts[i].file, parts[i].len};
        at = parts[count - 1].offset + parts[count - 1].len;
    }
    return TV_OK;
}

/* The name of the whole: the hash of its bytes was computed when they came. */
static bool find_name(const struct tv_upload *upload, struct tv_hash *name)
{
    struct tv_digest digest;
    if (!tv_digest_resume(&digest, &upload->so_far, upload->arrived))
        return false;
    tv_digest_end(&digest, name->hex, NULL);
    return true;
}

/* Whether the upload is a trace by now; its job may still be missing, so it is asked for. */
static enum tv_code find_finished(struct tv_store *store, const struct tv_id *upload,
                                  const char *build, int64_t now, struct tv_arena *arena,
                                  struct tv_error *err)
{
    struct tv_trace_row row;
    TV_TRY(store->db.get_trace(store->db.ctx, upload, now, arena, &row, err));
    return want_index(store, &row, build, now, err);
}

/* The SHA-256 of what a draft holds, which becomes the file's name. */
static enum tv_code hash_draft(int draft, struct tv_hash *name, uint64_t *bytes,
                               struct tv_error *err)
{
    if (tv_digest_sha256_of(draft, name->hex, bytes))
        return TV_OK;
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "a draft of the store cannot be read: %s",
                   strerror(errno));
}

/* Where the client told the hash of the whole, that must be its name. */
static enum tv_code check_name(const struct tv_hash *expected, const struct tv_hash *name,
                               struct tv_error *err)
{
    if (!expected || strcmp(expected->hex, name->hex) == 0)
        return TV_OK;
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "the SHA-256 of what has arrived is %s",
                   name->hex);
}

/* Parts whose hash nobody computed when they came, as a program of before did not, are joined in a
 * draft and read once more. */
static enum tv_code join_and_hash(struct tv_store *store, const struct tv_file_part *parts,
                                  size_t count, const struct tv_hash *expected, int64_t now,
                                  struct tv_hash *name, struct tv_error *err)
{
    const struct tv_store_files *files = &store->files;
    uint64_t bytes;
    int fd;
    TV_TRY(files->draft(files->ctx, &fd, err));
    enum tv_code code = tv_concatenation_write(fd, parts, count, files->open, files->ctx, err);
    if (code == TV_OK)
        code = hash_draft(fd, name, &bytes, err);
    if (code == TV_OK)
        code = check_name(expected, name, err);
    if (code == TV_OK)
        code = keep_file(store, fd, name, bytes, now, err);
    (void)close(fd);
    return code;
}

/* Keeps the whole under its name. */
static enum tv_code join_files(struct tv_store *store, const struct tv_upload *upload,
                               const struct tv_file_part *parts, const struct tv_hash *expected,
                               int64_t now, struct tv_hash *name, struct tv_error *err)
{
    const struct tv_store_files *files = &store->files;
    const size_t count = upload->part_count;
    if (!find_name(upload, name))
        return join_and_hash(store, parts, count, expected, now, name, err);
    TV_TRY(check_name(expected, name, err));
    TV_TRY(claim_file(store, name, upload->arrived, now, err));
    return files->join(files->ctx, parts, count, name, err);
}

/* The upload becomes a trace only with all of its bytes there under their name. Whatever fails
 * leaves the upload as it was, and the client may finish it again. */
static enum tv_code join_parts(struct tv_store *store, const struct tv_upload *upload,
                               const struct tv_hash *expected, const char *build, int64_t now,
                               struct tv_error *err)
{
    struct tv_trace_row row = upload->trace;
    struct tv_file_part *parts = NULL;
    const size_t count = upload->part_count;
    if (upload->trace.bytes && upload->arrived != upload->trace.bytes)
        return tv_fail(
            err, TV_ERR_CONFLICT, TV_NO_OFFSET, "%llu bytes of the upload have arrived, of %llu",
            (unsigned long long)upload->arrived, (unsigned long long)upload->trace.bytes);
    if (count)
        TV_TRY(tv_alloc_new(store->alloc, &parts, count, sizeof(*parts), err));
    enum tv_code code = get_parts(store, &row.id, parts, count, err);
    if (code == TV_OK)
        code = join_files(store, upload, parts, expected, now, &row.raw, err);
    tv_alloc_release(store->alloc, &parts, count, sizeof(*parts));
    if (code == TV_OK)
        code = store->db.finish_upload(store->db.ctx, &row.id, &row.raw, upload->arrived, now, err);
    return code == TV_OK ? want_index(store, &row, build, now, err) : code;
}

/* Two requests may finish an upload at once: the slower one finds the parts gone and the trace
 * there, which is success. */
enum tv_code tv_store_finish_upload(struct tv_store *store, const struct tv_id *id,
                                    const struct tv_hash *expected, const char *build, int64_t now,
                                    struct tv_error *err)
{
    struct tv_arena arena;
    struct tv_upload upload;
    tv_arena_init(&arena, store->alloc);
    enum tv_code code = store->db.get_upload(store->db.ctx, id, now, &arena, &upload, err);
    if (code == TV_OK)
        code = join_parts(store, &upload, expected, build, now, err);
    if (code != TV_OK && find_finished(store, id, build, now, &arena, NULL) == TV_OK)
        code = TV_OK;
    tv_arena_release(&arena);
    return code;
}

enum tv_code tv_store_keep_index(struct tv_store *store, int draft, const struct tv_job *job,
                                 const char *worker, const char *names, int64_t now,
                                 struct tv_error *err)
{
    struct tv_hash name;
    uint64_t bytes;
    TV_TRY(hash_draft(draft, &name, &bytes, err));
    TV_TRY(keep_file(store, draft, &name, bytes, now, err));
    return store->db.end_job(store->db.ctx, &job->raw, job->build, job->mappings, worker, now,
                             TV_JOB_END_DONE, 0, &name, names, err);
}
