/* See user_folder.h. */
#include "user_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

#define CONTENT_MOST ((size_t)16 << 20)

static char folder[64];

static void remove_folder(void)
{
    static const char *const names[] = {"settings.json", "recent"};
    char path[TV_PATH_CAP];
    for (size_t i = 0; i < TV_COUNT_OF(names); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
        (void)unlink(path);
    }
    (void)rmdir(folder);
}

static void make_folder(void)
{
    const char *place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    (void)snprintf(folder, sizeof(folder), "%s/traceview-fuzz-XXXXXX", place);
    FUZZ_CHECK(mkdtemp(folder));
    FUZZ_CHECK(atexit(remove_folder) == 0);
}

void fuzz_kept_path(char path[TV_PATH_CAP], const char *name)
{
    if (!folder[0])
        make_folder();
    (void)snprintf(path, TV_PATH_CAP, "%s/%s", folder, name);
}

void fuzz_kept_write(const char *path, const uint8_t *bytes, size_t len)
{
    FILE *file = fopen(path, "wb");
    FUZZ_CHECK(file);
    FUZZ_CHECK(fwrite(bytes, 1, len, file) == len);
    FUZZ_CHECK(fclose(file) == 0);
}

bool fuzz_kept_is(const char *path, struct tv_str bytes)
{
    struct tv_buffer found;
    tv_buffer_init(&found, tv_alloc_libc());
    bool is_same = tv_file_read_small(path, CONTENT_MOST, &found, NULL) == TV_OK &&
                   tv_str_equal(tv_buffer_view(&found), bytes);
    tv_buffer_release(&found);
    return is_same;
}
