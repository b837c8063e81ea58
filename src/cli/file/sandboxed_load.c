/*
 * Loading by a child; see cli/file/sandboxed_load.h.
 *
 * This process opens the file and gives the child its descriptor, one of a file in memory for the
 * index, and one of another that takes how far reading is. The child is not believed: when it has
 * ended, the file of the index is sealed, mapped, and checked in full, in a Landlock domain.
 */
#include "cli/file/sandboxed_load.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/str.h"
#include "cli/file/load.h"
#include "index/memory.h"
#include "index/saved/saved.h"
#include "os/file/file.h"
#include "os/file/inflate.h"
#include "os/file/paths.h"
#include "os/memory/alloc.h"
#include "os/memory/mapping.h"
#include "os/memory/memory_file.h"
#include "os/sandbox/landlock.h"
#include "os/sandbox/sandboxed_child.h"
#include "site/jobs/index_child.h"

const char *const tv_sandbox_words[] = {"always", "others", "never", NULL};

/* The index never leaves this process under this name: any will do that the child is told. */
static const struct tv_saved_source source = {.identity = {1, 2}};

/* A day; who waits can cancel. */
#define SECONDS_MOST 86400u

static int open_file(const char *path)
{
    char parts[TV_FILE_PARTS][TV_FILE_NAME_CAP];
    if (tv_file_parts(path, parts) != 1)
        return -1;
    return open(parts[0], O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

bool tv_is_of_others(const char *path)
{
    uint8_t first[4];
    struct stat status;
    int fd = open_file(path);
    if (fd < 0)
        return false;
    ssize_t len = fstat(fd, &status) == 0 && S_ISREG(status.st_mode)
                      ? pread(fd, first, sizeof(first), 0)
                      : -1;
    bool is_of_others = len > 0 && (tv_packing_of(first, (size_t)len) != TV_PACKING_NONE ||
                                    status.st_uid != geteuid() ||
                                    fgetxattr(fd, "user.xdg.origin.url", NULL, 0) >= 0 ||
                                    tv_path_is_downloaded(path, tv_os_alloc()));
    (void)close(fd);
    return is_of_others;
}

bool tv_sandboxed_load_can(const char *path)
{
    char parts[TV_FILE_PARTS][TV_FILE_NAME_CAP];
    char side[TV_PATH_CAP];
    struct stat status;
    return strcmp(path, "-") != 0 && tv_file_parts(path, parts) == 1 &&
           stat(parts[0], &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 &&
           tv_side_path(side, path) && access(side, F_OK) != 0;
}

/* One load under way; what the starter runs takes and gives. */
struct loading {
    const struct tv_sandboxed_load *load;
    int raw, draft, told; /* descriptors; -1: not open */
    enum tv_sandboxed_end end;
    struct tv_mapping mapping;
    struct tv_index *index;
    struct tv_error *err;
    enum tv_code code;
};

/* The child may have written any numbers. */
static bool goes_on(void *ctx)
{
    const struct loading *loading = ctx;
    struct tv_index_child_told told = {.of = 0};
    (void)!pread(loading->told, &told, sizeof(told), 0);
    return loading->load->tell(loading->load->ctx, told.is_reading != 0,
                               told.done < told.of ? told.done : told.of, told.of);
}

/* Runs on the starter's thread. */
static void run_child(void *ctx)
{
    struct loading *loading = ctx;
    const struct tv_index_child told = {
        .identity = {source.identity[0], source.identity[1]},
        .thread_count = loading->load->cli->pool ? loading->load->cli->pool->thread_count : 1,
        .is_local = true,
        .is_trusted = loading->load->is_trusted,
        .tells = true};
    struct tv_index_child_words words;
    tv_index_child_words(&words, &told);
    const struct tv_sandboxed_child child = {.words = words.words,
                                             .in_fd = loading->raw,
                                             .out_fd = loading->draft,
                                             .more_fds = &loading->told,
                                             .more_count = 1,
                                             .limits = {.memory = UINT64_MAX,
                                                        .file_len = UINT64_MAX,
                                                        .cpu_s = UINT_MAX,
                                                        .wall_s = SECONDS_MOST},
                                             .goes_on = goes_on,
                                             .ctx = loading};
    loading->code = tv_sandboxed_child_run(&child, &loading->end, loading->err);
}

#define BEFORE_OFFSET " (offset "

/* A reason of a child ends with the offset, which a failure of this process has beside its text. */
static void split_offset(struct tv_error *err)
{
    uint64_t offset;
    char *before = strstr(err->text, BEFORE_OFFSET);
    if (!before)
        return;
    const char *digits = before + strlen(BEFORE_OFFSET);
    const size_t len = strlen(digits);
    if (len < 2 || digits[len - 1] != ')' ||
        !tv_str_to_u64((struct tv_str){digits, len - 1}, 10, &offset))
        return;
    err->offset = offset;
    *before = '\0';
}

static enum tv_code fail(const struct loading *loading)
{
    struct tv_error *err = loading->err;
    split_offset(err);
    if (loading->code != TV_OK)
        return loading->code;
    return err->code == TV_OK ? TV_ERR_SYSTEM : err->code;
}

/* Runs in a Landlock domain. */
static void check_mapped(void *ctx)
{
    struct loading *loading = ctx;
    const struct tv_cli *cli = loading->load->cli;
    struct tv_index *index = loading->index;
    loading->code =
        tv_saved_open(index, (struct tv_saved_bytes){loading->mapping.bytes, loading->mapping.len},
                      &source, cli->alloc, cli->pool, loading->err);
    if (loading->code != TV_OK)
        return;
    index->made_of.is_trusted = loading->load->is_trusted;
    loading->code = index->block_len <= tv_memory_of_index(&index->made_of)
                        ? tv_saved_check(index, cli->alloc, cli->pool, loading->err)
                        : tv_fail(loading->err, TV_ERR_FORMAT, TV_NO_OFFSET, "it is too large");
    if (loading->code == TV_OK)
        index->alloc = tv_mapping_alloc();
    else
        tv_index_init(index);
}

/* Nothing changes the file once it is sealed, though a descriptor were left somewhere. */
static enum tv_code take_index(struct loading *loading)
{
    const struct tv_landlock domain = tv_landlock_for_readers();
    struct tv_error *err = loading->err;
    uint64_t len = 0;
    if (!tv_memory_file_seal(loading->draft, &len))
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "its index cannot be kept: %s",
                       strerror(errno));
    if (len <= TV_SAVED_HEAD_LEN)
        return tv_fail(err, TV_ERR_FORMAT, TV_NO_OFFSET, "reading it gave no index");
    TV_TRY(tv_mapping_open(&loading->mapping, loading->draft, (size_t)len, err));
    (void)tv_landlock_run(&domain, check_mapped, loading);
    if (loading->code == TV_OK)
        return TV_OK;
    tv_mapping_release(&loading->mapping);
    const struct tv_error reason = *err;
    return loading->code == TV_ERR_FORMAT
               ? tv_fail(err, TV_ERR_FORMAT, TV_NO_OFFSET,
                         "reading it gave an index that cannot be: %s", reason.text)
               : loading->code;
}

static enum tv_code load_opened(struct loading *loading)
{
    if (loading->raw < 0)
        return tv_fail(loading->err, TV_ERR_SYSTEM, TV_NO_OFFSET, "cannot be opened: %s",
                       strerror(errno));
    if (loading->draft < 0 || loading->told < 0 ||
        ftruncate(loading->told, (off_t)sizeof(struct tv_index_child_told)) != 0)
        return tv_fail(loading->err, TV_ERR_SYSTEM, TV_NO_OFFSET, "no file can be made: %s",
                       strerror(errno));
    tv_starter_run(loading->load->starter, run_child, loading);
    return loading->code == TV_OK && loading->end == TV_CHILD_DONE ? take_index(loading)
                                                                   : fail(loading);
}

static void close_one(int fd)
{
    if (fd >= 0)
        (void)close(fd);
}

enum tv_code tv_sandboxed_load(const struct tv_sandboxed_load *load, const char *path,
                               struct tv_index *index, struct tv_error *err)
{
    struct tv_error own = {.code = TV_OK, .offset = TV_NO_OFFSET};
    struct loading loading = {.load = load,
                              .raw = open_file(path),
                              .draft = tv_memory_file_open(),
                              .told = tv_memory_file_open(),
                              .index = index,
                              .err = &own};
    enum tv_code code = load_opened(&loading);
    close_one(loading.raw);
    close_one(loading.draft);
    close_one(loading.told);
    if (code != TV_OK && err)
        *err = own;
    return code;
}
