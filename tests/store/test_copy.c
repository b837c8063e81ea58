/* What is brought from one store into another one (store/copy.h), both in folders. That the same
 * holds where one of them is in PostgreSQL, and while servers use both, is shown by
 * tests/site/over_postgres.py. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "store/copy.h"

#define T0 ((int64_t)1700000000)
#define BUILD "build-1"

struct fixture {
    char dir[2][96];
    struct tv_store of[2]; /* from, to */
    struct tv_arena arena;
    struct tv_buffer faults;
    struct tv_error err;
    /* Calls of a store that a test steps into. */
    struct tv_store_db db;
    struct tv_store_files files;
};

static struct fixture *at_work; /* for calls that a test steps into */

static int64_t now(void)
{
    return T0;
}

static void open_one(struct fixture *fix, unsigned which)
{
    const struct tv_store_place place = {.rows = fix->dir[which]};
    assert_int_equal(
        tv_store_open_place(&fix->of[which], &place, TV_STORE_MAKE, tv_alloc_libc(), &fix->err),
        TV_OK);
}

static int begin(void **state)
{
    struct fixture *fix = calloc(1, sizeof(*fix));
    assert_non_null(fix);
    (void)snprintf(fix->dir[0], sizeof(fix->dir[0]), "/tmp/traceview-test-XXXXXX");
    assert_non_null(mkdtemp(fix->dir[0]));
    (void)snprintf(fix->dir[1], sizeof(fix->dir[1]), "%.80s.copy", fix->dir[0]);
    tv_arena_init(&fix->arena, tv_alloc_libc());
    tv_buffer_init(&fix->faults, tv_alloc_libc());
    open_one(fix, 0);
    open_one(fix, 1);
    at_work = fix;
    *state = fix;
    return 0;
}

/* Whatever a test did, the copy has no damage. */
static int end(void **state)
{
    struct fixture *fix = *state;
    struct tv_store_check check;
    char command[256];
    fix->faults.len = 0;
    assert_int_equal(tv_store_check(&fix->of[1], &check, &fix->faults, NULL), TV_OK);
    assert_int_equal(check.faults, 0);
    (void)snprintf(command, sizeof(command), "rm -rf '%s' '%s'", fix->dir[0], fix->dir[1]);
    tv_store_close(&fix->of[0]);
    tv_store_close(&fix->of[1]);
    tv_buffer_release(&fix->faults);
    tv_arena_release(&fix->arena);
    free(fix);
    return system(command);
}

static struct tv_id id(unsigned number)
{
    struct tv_id id;
    (void)snprintf(id.hex, sizeof(id.hex), "%08x%024x", number, 0xau);
    return id;
}

static struct tv_hash owner(unsigned number)
{
    struct tv_hash hash;
    (void)snprintf(hash.hex, sizeof(hash.hex), "%08x%056x", number, 0xfu);
    return hash;
}

static void keep_row(struct fixture *fix, unsigned which, struct tv_trace_row *row,
                     const char *bytes)
{
    struct tv_arrival arrival;
    struct tv_store *store = &fix->of[which];
    assert_int_equal(tv_arrival_begin(&arrival, store, TV_DIGEST_SHA256_AND_MD5, NULL), TV_OK);
    assert_int_equal(tv_arrival_write(&arrival, bytes, strlen(bytes), NULL), TV_OK);
    tv_arrival_end(&arrival, &row->raw, row->md5);
    row->bytes = arrival.bytes;
    assert_int_equal(tv_store_keep_trace(store, &arrival, row, BUILD, NULL, T0, NULL, &fix->err),
                     TV_OK);
    tv_arrival_release(&arrival);
}

static struct tv_trace_row row_of(unsigned number)
{
    return (struct tv_trace_row){.id = id(number),
                                 .file_name = TV_STR("a.trace"),
                                 .created = T0 - (int64_t)number,
                                 .owner = owner(number)};
}

static void keep(struct fixture *fix, unsigned which, unsigned number, const char *bytes)
{
    struct tv_trace_row row = row_of(number);
    keep_row(fix, which, &row, bytes);
}

static struct tv_store_copied copy(struct fixture *fix, bool deletes)
{
    const struct tv_store_copying copying = {
        .from = &fix->of[0], .to = &fix->of[1], .build = BUILD, .now = now, .deletes = deletes};
    struct tv_store_copied copied;
    fix->faults.len = 0;
    assert_int_equal(tv_store_copy(&copying, &copied, &fix->faults, &fix->err), TV_OK);
    return copied;
}

static enum tv_code get(struct fixture *fix, unsigned which, unsigned number,
                        struct tv_trace_row *row)
{
    const struct tv_store_db *db = &fix->of[which].db;
    struct tv_id wanted = id(number);
    return db->get_trace(db->ctx, &wanted, T0, &fix->arena, row, &fix->err);
}

static void assert_kept(struct fixture *fix, unsigned number, const char *bytes)
{
    const struct tv_store_files *files = &fix->of[1].files;
    struct tv_trace_row row;
    char back[64] = "";
    size_t len;
    assert_int_equal(get(fix, 1, number, &row), TV_OK);
    assert_int_equal(files->read(files->ctx, &row.raw, 0, back, sizeof(back) - 1, &len, NULL),
                     TV_OK);
    assert_string_equal(back, bytes);
}

static void drop(struct fixture *fix, unsigned which, unsigned number)
{
    const struct tv_store_db *db = &fix->of[which].db;
    struct tv_id wanted = id(number);
    assert_int_equal(db->drop_trace(db->ctx, &wanted, NULL), TV_OK);
}

/* The path of a raw file in the folder of a store. */
static void path_of(struct fixture *fix, unsigned which, unsigned number, char path[512])
{
    struct tv_trace_row row;
    assert_int_equal(get(fix, which, number, &row), TV_OK);
    (void)snprintf(path, 512, "%.80s/files/%.2s/%.62s", fix->dir[which], row.raw.hex,
                   row.raw.hex + 2);
}

static void all_that_a_trace_has_is_brought(void **state)
{
    struct fixture *fix = *state;
    struct tv_label labels[] = {{TV_STR("app"), TV_STR("Größe")}, {TV_STR("build"), TV_STR("7")}};
    struct tv_trace_row row = row_of(1);
    struct tv_trace_row back;
    struct tv_trace_figures figures = {
        .is_known = true, .duration_ns = 5, .threads = 2, .worst_frame_ns = 3, .startup_ns = 4};
    struct tv_job job;
    const struct tv_store_db *to = &fix->of[1].db;
    row.title = TV_STR("a title");
    row.note = TV_STR("a\nnote");
    row.user = TV_STR("ana");
    row.address = owner(9);
    row.expires = T0 + 100;
    row.labels = labels;
    row.label_count = 2;
    row.is_listed = row.is_raw_shared = row.keeps_names = true;
    row.counting = TV_COUNTING_YES;
    keep_row(fix, 0, &row, "abc");
    assert_int_equal(fix->of[0].db.note_figures(fix->of[0].db.ctx, &row.raw, &figures, NULL),
                     TV_OK);
    struct tv_store_copied copied = copy(fix, false);
    assert_int_equal(copied.traces, 1);
    assert_int_equal(copied.files, 1);
    assert_int_equal(copied.file_bytes, 3);
    assert_int_equal(copied.there + copied.late + copied.faults + copied.others, 0);
    assert_kept(fix, 1, "abc");
    assert_int_equal(get(fix, 1, 1, &back), TV_OK);
    assert_string_equal(back.md5, row.md5);
    assert_string_equal(back.owner.hex, row.owner.hex);
    assert_string_equal(back.address.hex, row.address.hex);
    assert_true(tv_str_equal(back.title, row.title) && tv_str_equal(back.note, row.note));
    assert_true(tv_str_equal(back.user, row.user) && tv_str_equal(back.file_name, row.file_name));
    assert_true(back.is_listed && back.is_raw_shared && back.keeps_names);
    assert_int_equal(back.counting, TV_COUNTING_YES);
    assert_int_equal(back.created, row.created);
    assert_int_equal(back.expires, row.expires);
    assert_int_equal(back.label_count, 2);
    assert_true(tv_str_equal(back.labels[0].value, labels[0].value));
    assert_int_equal(back.figures.duration_ns, 5);
    assert_int_equal(back.figures.startup_ns, 4);
    assert_int_equal(to->take_job(to->ctx, BUILD, "worker", T0, 60, 2, &job, NULL), TV_OK);
    assert_string_equal(job.raw.hex, row.raw.hex);
}

/* More than a page of them, and more than one with the same bytes. */
static void same_bytes_are_brought_once(void **state)
{
    struct fixture *fix = *state;
    for (unsigned i = 1; i <= 130; i++)
        keep(fix, 0, i, i % 2 ? "abc" : "def");
    struct tv_store_copied copied = copy(fix, false);
    assert_int_equal(copied.traces, 130);
    assert_int_equal(copied.files, 2);
    copied = copy(fix, false);
    assert_int_equal(copied.traces + copied.files + copied.changed, 0);
    assert_int_equal(copied.there, 130);
}

static void mappings_and_tokens_are_brought(void **state)
{
    struct fixture *fix = *state;
    struct tv_trace_row row = row_of(1);
    struct tv_trace_row back;
    struct tv_program_token token = {.id = id(5),
                                     .hash = owner(6),
                                     .user = TV_STR("ana"),
                                     .name = TV_STR("ci"),
                                     .scopes = TV_SCOPE_UPLOAD,
                                     .created = T0,
                                     .expires = T0 - 1};
    struct tv_program_token found;
    row.kind = TV_KEPT_MAPPING;
    row.is_for_all = true;
    row.map_id = TV_STR("an id");
    keep_row(fix, 0, &row, "abc");
    assert_int_equal(fix->of[0].db.add_program_token(fix->of[0].db.ctx, &token, NULL), TV_OK);
    struct tv_store_copied copied = copy(fix, false);
    assert_int_equal(copied.traces, 0);
    assert_int_equal(copied.mappings, 1);
    assert_int_equal(copied.tokens, 1);
    assert_int_equal(get(fix, 1, 1, &back), TV_OK);
    assert_true(back.kind == TV_KEPT_MAPPING && back.is_for_all);
    assert_true(tv_str_equal(back.map_id, row.map_id));
    const struct tv_store_db *to = &fix->of[1].db;
    assert_int_equal(to->find_program_token(to->ctx, &token.hash, 0, &fix->arena, &found, NULL),
                     TV_OK);
    assert_int_equal(found.expires, token.expires);
    assert_int_equal(copy(fix, false).tokens, 0);
    /* One that was revoked is revoked by the next copy. */
    assert_int_equal(
        fix->of[0].db.drop_program_token(fix->of[0].db.ctx, &token.id, TV_STR(""), NULL), TV_OK);
    assert_int_equal(copy(fix, false).others, 1);
    assert_int_equal(copy(fix, true).deleted, 1);
    assert_int_equal(to->find_program_token(to->ctx, &token.hash, 0, &fix->arena, &found, NULL),
                     TV_ERR_NOT_FOUND);
}

static void what_has_changed_since_is_changed(void **state)
{
    struct fixture *fix = *state;
    struct tv_label label = {TV_STR("app"), TV_STR("shop")};
    struct tv_str title = TV_STR("another");
    int64_t expires = T0 + 5;
    struct tv_id which = id(1);
    struct tv_trace_row back;
    const struct tv_trace_change change = {
        .title = &title, .expires = &expires, .labels = &label, .label_count = 1};
    keep(fix, 0, 1, "abc");
    keep(fix, 0, 2, "def");
    (void)copy(fix, false);
    assert_int_equal(fix->of[0].db.change_trace(fix->of[0].db.ctx, &which, T0, &change, NULL),
                     TV_OK);
    struct tv_store_copied copied = copy(fix, false);
    assert_int_equal(copied.there, 2);
    assert_int_equal(copied.changed, 1);
    assert_int_equal(get(fix, 1, 1, &back), TV_OK);
    assert_true(tv_str_equal(back.title, title) && back.label_count == 1);
    assert_int_equal(back.expires, expires);
    assert_int_equal(copy(fix, false).changed, 0);
}

/* A token that an administrator gave in the copy alone goes again: the trace has none. */
static void an_owner_that_is_there_alone_goes(void **state)
{
    struct fixture *fix = *state;
    struct tv_trace_row row = row_of(1);
    struct tv_trace_row back;
    struct tv_hash other = owner(7);
    const struct tv_trace_change change = {.owner = &other};
    row.owner = (struct tv_hash){""};
    row.user = TV_STR("ana");
    keep_row(fix, 0, &row, "abc");
    (void)copy(fix, false);
    assert_int_equal(fix->of[1].db.change_trace(fix->of[1].db.ctx, &row.id, T0, &change, NULL),
                     TV_OK);
    assert_int_equal(copy(fix, false).changed, 1);
    assert_int_equal(get(fix, 1, 1, &back), TV_OK);
    assert_string_equal(back.owner.hex, "");
    assert_int_equal(copy(fix, false).changed, 0);
}

static void what_went_stays_unless_it_is_to_go(void **state)
{
    struct fixture *fix = *state;
    struct tv_trace_row back;
    keep(fix, 0, 1, "abc");
    keep(fix, 0, 2, "def");
    keep(fix, 1, 3, "ghi");
    (void)copy(fix, false);
    drop(fix, 0, 1);
    assert_int_equal(copy(fix, false).others, 2);
    assert_kept(fix, 1, "abc");
    assert_int_equal(copy(fix, true).deleted, 2);
    assert_int_equal(get(fix, 1, 1, &back), TV_ERR_NOT_FOUND);
    assert_int_equal(get(fix, 1, 3, &back), TV_ERR_NOT_FOUND);
    assert_kept(fix, 2, "def");
}

static void damaged_files_are_faults_and_the_rest_comes(void **state)
{
    struct fixture *fix = *state;
    struct tv_trace_row back;
    char path[512];
    keep(fix, 0, 1, "abc");
    keep(fix, 0, 2, "def");
    keep(fix, 0, 3, "ghi");
    path_of(fix, 0, 1, path);
    assert_int_equal(unlink(path), 0);
    path_of(fix, 0, 2, path);
    assert_int_equal(unlink(path), 0);
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    assert_int_equal(write(fd, "deF", 3), 3);
    assert_int_equal(close(fd), 0);
    struct tv_store_copied copied = copy(fix, false);
    assert_int_equal(copied.traces, 1);
    assert_int_equal(copied.faults, 2);
    char text[512];
    (void)snprintf(text, sizeof(text),
                   "trace %s: its file is missing\n"
                   "trace %s: its file is damaged: its bytes are not those that it was kept with\n",
                   id(1).hex, id(2).hex);
    assert_int_equal(fix->faults.len, strlen(text));
    assert_memory_equal(fix->faults.bytes, text, strlen(text));
    assert_int_equal(get(fix, 1, 2, &back), TV_ERR_NOT_FOUND);
    assert_kept(fix, 3, "ghi");
}

/* Ends at the third row, as when the disk is full there. */
static enum tv_code refuse_the_third(void *ctx, const struct tv_trace_row *row, int64_t until,
                                     const struct tv_quota *quota, enum tv_quota_of *over,
                                     struct tv_error *err)
{
    struct tv_id third = id(3);
    if (strcmp(row->id.hex, third.hex) == 0)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "the end of it");
    return at_work->db.add_trace(ctx, row, until, quota, over, err);
}

static void a_copy_that_was_cut_off_is_gone_on_with(void **state)
{
    struct fixture *fix = *state;
    const struct tv_store_copying copying = {
        .from = &fix->of[0], .to = &fix->of[1], .build = BUILD, .now = now};
    struct tv_store_copied copied;
    for (unsigned i = 1; i <= 5; i++)
        keep(fix, 0, i, i == 3 ? "abc" : "def");
    fix->db = fix->of[1].db;
    fix->of[1].db.add_trace = refuse_the_third;
    assert_int_equal(tv_store_copy(&copying, &copied, &fix->faults, &fix->err), TV_ERR_SYSTEM);
    assert_string_equal(fix->err.text, "the end of it");
    fix->of[1].db = fix->db;
    copied = copy(fix, false);
    assert_int_equal(copied.traces, 3); /* they come by age, the newest first */
    assert_int_equal(copied.there, 2);
    assert_int_equal(copied.files, 0); /* the file of the third was brought before its row */
    assert_kept(fix, 3, "abc");
}

/* Steps between the list of traces and the look at the first one. */
static enum tv_code one_comes_and_one_goes(void *ctx, const struct tv_hash *name, int *fd,
                                           uint64_t *len, struct tv_error *err)
{
    struct fixture *fix = at_work;
    fix->of[0].files.open = fix->files.open;
    keep(fix, 0, 9, "late");
    drop(fix, 0, 2);
    struct tv_store_gc gc;
    assert_int_equal(tv_store_gc(&fix->of[0], T0 + 2 * (int64_t)86400, 0, &gc, err), TV_OK);
    assert_true(gc.files > 0);
    return fix->files.open(ctx, name, fd, len, err);
}

static void what_comes_and_goes_meanwhile_is_no_fault(void **state)
{
    struct fixture *fix = *state;
    struct tv_trace_row back;
    keep(fix, 0, 1, "abc");
    keep(fix, 0, 2, "def");
    fix->files = fix->of[0].files;
    fix->of[0].files.open = one_comes_and_one_goes;
    struct tv_store_copied copied = copy(fix, false);
    assert_int_equal(copied.traces, 2);
    assert_int_equal(copied.late, 1);
    assert_int_equal(copied.faults, 0);
    assert_kept(fix, 9, "late");
    assert_int_equal(get(fix, 1, 2, &back), TV_ERR_NOT_FOUND);
}

static void uploads_and_what_has_expired_stay(void **state)
{
    struct fixture *fix = *state;
    struct tv_trace_row row = row_of(1);
    const struct tv_store_db *db = &fix->of[0].db;
    row.bytes = 10;
    assert_int_equal(db->add_trace(db->ctx, &row, T0 + 50, NULL, NULL, NULL), TV_OK);
    row = row_of(2);
    row.expires = T0;
    keep_row(fix, 0, &row, "abc");
    struct tv_store_copied copied = copy(fix, false);
    assert_int_equal(copied.traces, 0);
    assert_int_equal(copied.uploads, 1);
}

static void an_id_that_is_taken_is_a_fault(void **state)
{
    struct fixture *fix = *state;
    keep(fix, 0, 1, "abc");
    keep(fix, 1, 1, "def");
    assert_int_equal(copy(fix, false).faults, 1);
    assert_kept(fix, 1, "def");
}

static void two_stores_of_one_folder_are_refused(void **state)
{
    struct fixture *fix = *state;
    const struct tv_store_copying copying = {
        .from = &fix->of[0], .to = &fix->of[0], .build = BUILD, .now = now};
    struct tv_store_copied copied;
    assert_int_equal(tv_store_copy(&copying, &copied, &fix->faults, &fix->err), TV_ERR_ARGUMENT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

/* Named the wrong way round, an empty store would empty the other one. */
static void an_empty_store_deletes_nothing(void **state)
{
    struct fixture *fix = *state;
    struct tv_trace_row row;
    struct tv_store_copied copied;
    const struct tv_store_copying copying = {
        .from = &fix->of[0], .to = &fix->of[1], .build = BUILD, .now = now, .deletes = true};
    keep(fix, 1, 1, "alone there");
    assert_int_equal(tv_store_copy(&copying, &copied, &fix->faults, &fix->err), TV_ERR_ARGUMENT);
    assert_non_null(strstr(fix->err.text, "has no traces"));
    assert_int_equal(get(fix, 1, 1, &row), TV_OK);
}

/* Another byte in the file, of the same length. */
static void damage(struct fixture *fix, unsigned which, unsigned number, bool is_lost)
{
    char path[512];
    path_of(fix, which, number, path);
    assert_int_equal(chmod(path, 0600), 0);
    if (is_lost) {
        assert_int_equal(unlink(path), 0);
        return;
    }
    FILE *file = fopen(path, "r+");
    assert_non_null(file);
    assert_int_equal(fputc('X', file), 'X');
    assert_int_equal(fclose(file), 0);
}

/* As of a server that is away. */
static enum tv_code read_nothing(void *ctx, const struct tv_hash *name, uint64_t offset, void *into,
                                 size_t cap, size_t *len, struct tv_error *err)
{
    (void)ctx;
    (void)name;
    (void)offset;
    (void)into;
    (void)cap;
    (void)len;
    return tv_fail(err, TV_ERR_AWAY, TV_NO_OFFSET, "S3 does not answer");
}

static void a_file_whose_server_is_away_is_not_taken_for_damaged(void **state)
{
    struct fixture *fix = *state;
    const struct tv_store_copying copying = {
        .from = &fix->of[0], .to = &fix->of[1], .build = BUILD, .now = now, .verifies = true};
    struct tv_store_files *files = &fix->of[1].files;
    const struct tv_store_files whole = *files;
    struct tv_store_copied copied;
    char path[512];
    keep(fix, 0, 1, "first");
    (void)copy(fix, false);
    path_of(fix, 1, 1, path);
    files->read = read_nothing;
    assert_int_equal(tv_store_copy(&copying, &copied, &fix->faults, &fix->err), TV_ERR_AWAY);
    drop(fix, 1, 1); /* the bytes stay for a while */
    assert_int_equal(tv_store_copy(&copying, &copied, &fix->faults, &fix->err), TV_ERR_AWAY);
    *files = whole;
    assert_int_equal(copied.mended, 0);
    assert_int_equal(access(path, F_OK), 0);
}

static void files_that_are_there_are_read_and_mended(void **state)
{
    struct fixture *fix = *state;
    const struct tv_store_copying copying = {
        .from = &fix->of[0], .to = &fix->of[1], .build = BUILD, .now = now, .verifies = true};
    struct tv_store_copied copied;
    char path[512];
    keep(fix, 0, 1, "first");
    keep(fix, 0, 2, "second");
    keep(fix, 0, 3, "third");
    (void)copy(fix, false);
    damage(fix, 1, 1, false);
    damage(fix, 1, 2, true);
    assert_int_equal(copy(fix, false).files, 0); /* their lengths, or the rows, are there */
    assert_int_equal(tv_store_copy(&copying, &copied, &fix->faults, &fix->err), TV_OK);
    assert_int_equal(copied.verified, 3);
    assert_int_equal(copied.mended, 2);
    assert_int_equal(copied.files, 2);
    assert_int_equal(copied.there, 3);
    assert_kept(fix, 1, "first");
    assert_kept(fix, 2, "second");
    /* Nothing good is taken away for what is damaged here, too. */
    damage(fix, 1, 3, false);
    damage(fix, 0, 3, false);
    fix->faults.len = 0;
    assert_int_equal(tv_store_copy(&copying, &copied, &fix->faults, &fix->err), TV_OK);
    assert_int_equal(copied.mended, 0);
    assert_int_equal(copied.faults, 1);
    path_of(fix, 1, 3, path);
    drop(fix, 1, 3); /* end() looks for damage */
    struct tv_store_gc done;
    /* Nor for a row that is not here yet: its bytes are, of a row that went. */
    fix->faults.len = 0;
    assert_int_equal(tv_store_copy(&copying, &copied, &fix->faults, &fix->err), TV_OK);
    assert_int_equal(copied.mended, 0);
    assert_int_equal(copied.faults, 1);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(tv_store_gc(&fix->of[1], T0 + 10 * 86400, 0, &done, NULL), TV_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(all_that_a_trace_has_is_brought),
        TEST(same_bytes_are_brought_once),
        TEST(mappings_and_tokens_are_brought),
        TEST(what_has_changed_since_is_changed),
        TEST(an_owner_that_is_there_alone_goes),
        TEST(what_went_stays_unless_it_is_to_go),
        TEST(damaged_files_are_faults_and_the_rest_comes),
        TEST(files_that_are_there_are_read_and_mended),
        TEST(a_file_whose_server_is_away_is_not_taken_for_damaged),
        TEST(a_copy_that_was_cut_off_is_gone_on_with),
        TEST(what_comes_and_goes_meanwhile_is_no_fault),
        TEST(uploads_and_what_has_expired_stay),
        TEST(an_id_that_is_taken_is_a_fault),
        TEST(two_stores_of_one_folder_are_refused),
        TEST(an_empty_store_deletes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
