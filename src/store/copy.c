/*
 * One store's traces brought into another one; see store/copy.h.
 *
 * A row is brought as an upload is: claim, bytes, row (keep.c), so that a copy may end at any step
 * and another one goes on. Mappings come before traces, which are named by them. `from` goes on
 * taking uploads, so its rows are gone through again and again until nothing new is found. What is
 * in `to` alone is looked for at the end.
 */
#include "store/copy.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/folder.h"

#define PAGE 100u
#define TOKENS 100u
#define PART_LEN ((size_t)256 * 1024)
/* How often the rows are gone through; uploads that come faster than they are brought stay. */
#define PASSES 5u

struct run {
    const struct tv_store_copying *of;
    struct tv_store_copied *copied;
    struct tv_buffer *faults;
    struct tv_trace_row *rows; /* PAGE */
    uint8_t *room;             /* PART_LEN */
    unsigned pass;
};

static enum tv_code say(struct run *run, const struct tv_trace_row *row, const char *fault,
                        struct tv_error *err)
{
    char line[256];
    int len = snprintf(line, sizeof(line), "%s %s: %s\n",
                       row->kind == TV_KEPT_MAPPING ? "mapping" : "trace", row->id.hex, fault);
    size_t most = sizeof(line) - 1;
    run->copied->faults++;
    return tv_buffer_append(run->faults, line, (size_t)len < most ? (size_t)len : most, err);
}

/* --- one row --- */

static bool has_same_labels(const struct tv_trace_row *a, const struct tv_trace_row *b)
{
    bool is_same = a->label_count == b->label_count;
    for (size_t i = 0; is_same && i < a->label_count; i++)
        is_same = tv_str_equal(a->labels[i].key, b->labels[i].key) &&
                  tv_str_equal(a->labels[i].value, b->labels[i].value);
    return is_same;
}

/* Whether all is the same that an owner or an administrator can change. */
static bool is_unchanged(const struct tv_trace_row *a, const struct tv_trace_row *b)
{
    return tv_str_equal(a->title, b->title) && tv_str_equal(a->note, b->note) &&
           tv_str_equal(a->user, b->user) && strcmp(a->owner.hex, b->owner.hex) == 0 &&
           a->expires == b->expires && a->is_raw_shared == b->is_raw_shared &&
           a->is_listed == b->is_listed && a->keeps_names == b->keeps_names &&
           a->counting == b->counting && has_same_labels(a, b);
}

static enum tv_code change(struct run *run, const struct tv_trace_row *row, struct tv_error *err)
{
    static const struct tv_label none[1];
    const struct tv_store_db *to = &run->of->to->db;
    const struct tv_trace_change all = {.title = &row->title,
                                        .note = &row->note,
                                        .labels = row->label_count ? row->labels : none,
                                        .label_count = row->label_count,
                                        .expires = &row->expires,
                                        .is_raw_shared = &row->is_raw_shared,
                                        .is_listed = &row->is_listed,
                                        .keeps_names = &row->keeps_names,
                                        .counting = &row->counting,
                                        .user = &row->user,
                                        .owner = &row->owner};
    TV_TRY(to->change_trace(to->ctx, &row->id, run->of->now(), &all, err));
    run->copied->changed++;
    return TV_OK;
}

/* Reads a file of `from` into a draft of `to`, hashing what is written. *is_whole: its bytes are
 * those of its name; `fault` says otherwise why not. */
static enum tv_code read_into(struct run *run, int fd, const struct tv_hash *name,
                              struct tv_arrival *arrival, const char **fault, struct tv_error *err)
{
    struct tv_hash found;
    ssize_t got = 1;
    for (off_t at = 0; got > 0; at += got) {
        got = pread(fd, run->room, PART_LEN, at);
        if (got > 0)
            TV_TRY(tv_arrival_write(arrival, run->room, (size_t)got, err));
    }
    tv_arrival_end(arrival, &found, NULL);
    if (got < 0)
        *fault = "its file cannot be read";
    else if (strcmp(found.hex, name->hex) != 0)
        *fault = "its file is damaged: its bytes are not those that it was kept with";
    return TV_OK;
}

/* The bytes of a row as a draft of `to`. `fault`: why they cannot be had; NULL: they can. */
static enum tv_code bring_bytes(struct run *run, const struct tv_trace_row *row,
                                struct tv_arrival *arrival, const char **fault,
                                struct tv_error *err)
{
    const struct tv_store_files *from = &run->of->from->files;
    uint64_t bytes = 0;
    int fd;
    enum tv_code code = from->open(from->ctx, &row->raw, &fd, &bytes, err);
    if (code == TV_ERR_NOT_FOUND)
        *fault = "its file is missing";
    if (code != TV_OK)
        return code == TV_ERR_NOT_FOUND ? TV_OK : code;
    code = tv_arrival_begin(arrival, run->of->to, TV_DIGEST_SHA256, err);
    if (code == TV_OK)
        code = read_into(run, fd, &row->raw, arrival, fault, err);
    (void)close(fd);
    if (code == TV_OK && !*fault) {
        run->copied->files++;
        run->copied->file_bytes += bytes;
    }
    return code;
}

/* Whether the bytes of a file in `to` are those of its name. Where its server is away nobody knows;
 * what a disk cannot read is damaged. */
static enum tv_code check_there(struct run *run, const struct tv_hash *name, bool *is_whole,
                                struct tv_error *err)
{
    struct tv_hash found;
    uint64_t bytes;
    run->copied->verified++;
    const enum tv_code code = tv_store_hash_file(run->of->to, name, &found, &bytes, err);
    *is_whole = code == TV_OK && strcmp(found.hex, name->hex) == 0;
    return code == TV_ERR_AWAY || code == TV_ERR_MEMORY ? code : TV_OK;
}

/* Brings the bytes of a damaged file of `to`, which goes when they are at hand. */
static enum tv_code bring_anew(struct run *run, const struct tv_trace_row *row,
                               struct tv_arrival *arrival, const char **fault, struct tv_error *err)
{
    const struct tv_store_files *to = &run->of->to->files;
    TV_TRY(bring_bytes(run, row, arrival, fault, err));
    if (*fault)
        return TV_OK;
    run->copied->mended++;
    return to->remove(to->ctx, &row->raw, err);
}

/* The bytes of a row; where they are in `to`, of a copy that was cut off or of another row with the
 * same bytes, that file. Its bytes were compared with its name when it was kept: here its length
 * alone is, unless the copy verifies. */
static enum tv_code find_bytes(struct run *run, const struct tv_trace_row *row,
                               struct tv_arrival *arrival, const char **fault, struct tv_error *err)
{
    const struct tv_store_files *to = &run->of->to->files;
    uint64_t bytes = 0;
    bool is_whole = true;
    int fd;
    if (to->open(to->ctx, &row->raw, &fd, &bytes, NULL) != TV_OK)
        return bring_bytes(run, row, arrival, fault, err);
    arrival->fd = fd;
    if (bytes == row->bytes && run->of->verifies)
        TV_TRY(check_there(run, &row->raw, &is_whole, err));
    if (bytes == row->bytes && is_whole)
        return TV_OK;
    tv_arrival_release(arrival); /* it is damaged there, and is kept anew */
    return is_whole ? bring_bytes(run, row, arrival, fault, err)
                    : bring_anew(run, row, arrival, fault, err);
}

/* A row that went while its bytes were looked for is none of the faults. */
static enum tv_code say_unless_gone(struct run *run, const struct tv_trace_row *row,
                                    const char *fault, struct tv_error *err)
{
    const struct tv_store_db *from = &run->of->from->db;
    struct tv_trace_row now;
    struct tv_arena arena;
    tv_arena_init(&arena, run->of->from->alloc);
    enum tv_code code = from->get_trace(from->ctx, &row->id, run->of->now(), &arena, &now, err);
    tv_arena_release(&arena);
    if (code == TV_ERR_NOT_FOUND)
        return TV_OK;
    return code == TV_OK ? say(run, row, fault, err) : code;
}

/* Compares the file of a row that is there with its name. A copy that ends after the damaged one
 * went leaves a lost file, which the next one mends. */
static enum tv_code verify(struct run *run, const struct tv_trace_row *row, struct tv_error *err)
{
    const struct tv_store_files *to = &run->of->to->files;
    struct tv_arrival arrival = {.fd = -1};
    const char *fault = NULL;
    bool is_whole;
    TV_TRY(check_there(run, &row->raw, &is_whole, err));
    if (is_whole)
        return TV_OK;
    enum tv_code code = bring_anew(run, row, &arrival, &fault, err);
    if (code == TV_OK && fault)
        code = say_unless_gone(run, row, fault, err);
    else if (code == TV_OK)
        code = to->keep(to->ctx, arrival.fd, &row->raw, err);
    tv_arrival_release(&arrival);
    return code;
}

/* What is there is counted once, however often it is passed. */
static enum tv_code pass_over(struct run *run, const struct tv_trace_row *row,
                              const struct tv_trace_row *there, struct tv_error *err)
{
    if (strcmp(row->raw.hex, there->raw.hex) != 0)
        return say(run, row, "another one there has its id", err);
    run->copied->there += !run->pass;
    if (run->of->verifies && !run->pass)
        TV_TRY(verify(run, row, err));
    return is_unchanged(row, there) ? TV_OK : change(run, row, err);
}

static enum tv_code keep(struct run *run, const struct tv_trace_row *row,
                         struct tv_arrival *arrival, struct tv_error *err)
{
    struct tv_store *to = run->of->to;
    TV_TRY(tv_store_keep_trace(to, arrival, row, run->of->build, NULL, run->of->now(), NULL, err));
    if (row->figures.is_known)
        TV_TRY(to->db.note_figures(to->db.ctx, &row->raw, &row->figures, err));
    *(row->kind == TV_KEPT_MAPPING ? &run->copied->mappings : &run->copied->traces) += 1;
    run->copied->late += run->pass > 0;
    return TV_OK;
}

static enum tv_code bring(struct run *run, const struct tv_trace_row *row, struct tv_error *err)
{
    struct tv_arrival arrival = {.fd = -1};
    const char *fault = NULL;
    enum tv_code code = find_bytes(run, row, &arrival, &fault, err);
    if (code == TV_OK && fault)
        code = say_unless_gone(run, row, fault, err);
    else if (code == TV_OK)
        code = keep(run, row, &arrival, err);
    tv_arrival_release(&arrival);
    return code;
}

static enum tv_code bring_or_pass_over(struct run *run, const struct tv_trace_row *row,
                                       struct tv_error *err)
{
    const struct tv_store_db *to = &run->of->to->db;
    struct tv_trace_row there;
    struct tv_arena arena;
    tv_arena_init(&arena, run->of->to->alloc);
    enum tv_code code = to->get_trace(to->ctx, &row->id, run->of->now(), &arena, &there, err);
    if (code == TV_OK)
        code = pass_over(run, row, &there, err);
    else if (code == TV_ERR_NOT_FOUND)
        code = bring(run, row, err);
    tv_arena_release(&arena);
    return code;
}

/* --- all rows --- */

typedef enum tv_code (*row_function)(struct run *run, const struct tv_trace_row *row,
                                     struct tv_error *err);

/* One page, and *query behind it. */
static enum tv_code each_of_page(struct run *run, const struct tv_store *store,
                                 struct tv_trace_query *query, row_function act, size_t *count,
                                 struct tv_error *err)
{
    struct tv_arena arena;
    tv_arena_init(&arena, store->alloc);
    enum tv_code code = store->db.list_traces(store->db.ctx, query, &arena, run->rows, count, err);
    for (size_t i = 0; code == TV_OK && i < *count; i++)
        code = act(run, &run->rows[i], err);
    if (code == TV_OK && *count) {
        query->after_created = run->rows[*count - 1].created;
        query->after_id = run->rows[*count - 1].id;
    }
    tv_arena_release(&arena);
    return code;
}

/* All rows of a store, mappings before traces. */
static enum tv_code each(struct run *run, const struct tv_store *store, row_function act,
                         struct tv_error *err)
{
    static const enum tv_kept_kind kinds[] = {TV_KEPT_MAPPING, TV_KEPT_TRACE};
    for (size_t i = 0; i < TV_COUNT_OF(kinds); i++) {
        struct tv_trace_query query = {.is_of_all = true, .kind = kinds[i], .most = PAGE};
        size_t count = PAGE;
        while (count == PAGE) {
            query.now = run->of->now();
            TV_TRY(each_of_page(run, store, &query, act, &count, err));
        }
    }
    return TV_OK;
}

/* Each pass finds the faults anew. */
static enum tv_code bring_all(struct run *run, struct tv_error *err)
{
    struct tv_store_copied *copied = run->copied;
    uint64_t before;
    do {
        before = copied->traces + copied->mappings;
        copied->faults = 0;
        run->faults->len = 0;
        TV_TRY(each(run, run->of->from, bring_or_pass_over, err));
        run->pass++;
    } while (copied->traces + copied->mappings != before && run->pass < PASSES);
    return TV_OK;
}

/* A row of `to` that `from` has not was deleted there since, or never came from there. */
static enum tv_code drop_other(struct run *run, const struct tv_trace_row *row,
                               struct tv_error *err)
{
    const struct tv_store_db *from = &run->of->from->db;
    const struct tv_store_db *to = &run->of->to->db;
    struct tv_trace_row there;
    struct tv_arena arena;
    tv_arena_init(&arena, run->of->from->alloc);
    enum tv_code code = from->get_trace(from->ctx, &row->id, run->of->now(), &arena, &there, err);
    tv_arena_release(&arena);
    if (code != TV_ERR_NOT_FOUND)
        return code;
    if (!run->of->deletes) {
        run->copied->others++;
        return TV_OK;
    }
    code = to->drop_trace(to->ctx, &row->id, err);
    run->copied->deleted += code == TV_OK;
    return code == TV_ERR_NOT_FOUND ? TV_OK : code;
}

/* --- tokens of programs --- */

typedef enum tv_code (*token_function)(struct run *run, const struct tv_program_token *token,
                                       struct tv_error *err);

/* Expired ones, too: they stay in the lists of their users. */
static enum tv_code has_token(const struct tv_store *store, const struct tv_program_token *token,
                              bool *has, struct tv_error *err)
{
    struct tv_program_token there;
    struct tv_arena arena;
    tv_arena_init(&arena, store->alloc);
    enum tv_code code =
        store->db.find_program_token(store->db.ctx, &token->hash, INT64_MIN, &arena, &there, err);
    tv_arena_release(&arena);
    *has = code == TV_OK;
    return code == TV_ERR_NOT_FOUND ? TV_OK : code;
}

static enum tv_code bring_token(struct run *run, const struct tv_program_token *token,
                                struct tv_error *err)
{
    const struct tv_store_db *to = &run->of->to->db;
    TV_TRY(to->add_program_token(to->ctx, token, err));
    run->copied->tokens++;
    return TV_OK;
}

static enum tv_code drop_other_token(struct run *run, const struct tv_program_token *token,
                                     struct tv_error *err)
{
    const struct tv_store_db *to = &run->of->to->db;
    if (!run->of->deletes) {
        run->copied->others++;
        return TV_OK;
    }
    enum tv_code code = to->drop_program_token(to->ctx, &token->id, TV_STR(""), err);
    run->copied->deleted += code == TV_OK;
    return code == TV_ERR_NOT_FOUND ? TV_OK : code;
}

/* Acts on each token of `store` that `other` has not. */
static enum tv_code each_other_token(struct run *run, const struct tv_store *store,
                                     const struct tv_store *other, token_function act,
                                     struct tv_error *err)
{
    struct tv_program_token tokens[TOKENS];
    struct tv_id last = {""};
    enum tv_code code = TV_OK;
    for (size_t count = TOKENS; code == TV_OK && count == TOKENS;) {
        struct tv_arena arena;
        tv_arena_init(&arena, store->alloc);
        code = store->db.list_all_program_tokens(store->db.ctx, last.hex[0] ? &last : NULL, &arena,
                                                 tokens, TOKENS, &count, err);
        for (size_t i = 0; code == TV_OK && i < count; i++) {
            bool has = false;
            code = has_token(other, &tokens[i], &has, err);
            if (code == TV_OK && !has)
                code = act(run, &tokens[i], err);
        }
        if (code == TV_OK && count)
            last = tokens[count - 1].id;
        tv_arena_release(&arena);
    }
    return code;
}

/* --- the whole --- */

/* Two databases beside one folder would each let gc remove what the other one needs. */
static enum tv_code refuse_same_files(const struct tv_store_copying *of, struct tv_error *err)
{
    char from[TV_PATH_CAP];
    char to[TV_PATH_CAP];
    struct stat of_from;
    struct stat of_to;
    TV_TRY(tv_store_path(from, of->from->folder, TV_STORE_FILES, err));
    TV_TRY(tv_store_path(to, of->to->folder, TV_STORE_FILES, err));
    if (stat(from, &of_from) != 0 || stat(to, &of_to) != 0)
        return TV_OK;
    return of_from.st_dev != of_to.st_dev || of_from.st_ino != of_to.st_ino
               ? TV_OK
               : tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                         "%.150s would have the files of both stores, and each would remove those "
                         "of the other: the copy needs a folder of its own",
                         of->to->folder);
}

/* A store without traces is hardly meant: the two may have been named the wrong way round. */
static enum tv_code refuse_to_empty(const struct run *run, struct tv_error *err)
{
    const struct tv_store_copied *copied = run->copied;
    if (!run->of->deletes || copied->traces || copied->late || copied->there || copied->faults)
        return TV_OK;
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                   "the store that is copied has no traces, and would have all of this one's "
                   "deleted: nothing was");
}

static enum tv_code copy_all(struct run *run, struct tv_error *err)
{
    const struct tv_store *from = run->of->from;
    const struct tv_store *to = run->of->to;
    struct tv_store_sums sums;
    TV_TRY(bring_all(run, err));
    TV_TRY(each_other_token(run, from, to, bring_token, err));
    TV_TRY(refuse_to_empty(run, err));
    TV_TRY(each(run, to, drop_other, err));
    TV_TRY(each_other_token(run, to, from, drop_other_token, err));
    TV_TRY(from->db.sums(from->db.ctx, TV_QUOTA_STORE, NULL, &sums, err));
    run->copied->uploads = sums.uploads;
    return TV_OK;
}

enum tv_code tv_store_copy(const struct tv_store_copying *copying, struct tv_store_copied *copied,
                           struct tv_buffer *faults, struct tv_error *err)
{
    struct run run = {.of = copying, .copied = copied, .faults = faults};
    const struct tv_alloc *alloc = copying->to->alloc;
    memset(copied, 0, sizeof(*copied));
    TV_TRY(refuse_same_files(copying, err));
    TV_TRY(tv_alloc_new(alloc, &run.rows, PAGE, sizeof(*run.rows), err));
    enum tv_code code = tv_alloc_new(alloc, &run.room, PART_LEN, 1, err);
    if (code == TV_OK)
        code = copy_all(&run, err);
    tv_alloc_release(alloc, &run.room, PART_LEN, 1);
    tv_alloc_release(alloc, &run.rows, PAGE, sizeof(*run.rows));
    return code;
}
