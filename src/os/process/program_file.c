/*
 * The file of a program; see os/process/program_file.h. A program without a slash in its name is
 * looked for in $PATH, as execvp() does. Whether it is linked dynamically is told by the ELF header
 * of type PT_INTERP, which names the loader; the file is hostile like any other, so every offset is
 * read with its bound.
 */
#include "os/process/program_file.h"

#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"

/* Places in the file's header, and in those of its parts, for 64 bits. */
#define PARTS_OFFSET 32u
#define PART_LEN 54u
#define PART_COUNT 56u
#define PART_OFFSET 8u
#define PART_FILE_LEN 32u
#define PARTS_MOST 64u

bool tv_program_file(const char *program, char path[TV_PATH_CAP])
{
    char tried[TV_PATH_CAP];
    const char *folders = getenv("PATH");
    if (strchr(program, '/'))
        return tv_path_real(path, program);
    for (const char *at = folders ? folders : ""; *at;) {
        size_t len = strcspn(at, ":");
        int all = snprintf(tried, sizeof(tried), "%.*s/%s", (int)len, at, program);
        if (all > 0 && (size_t)all < sizeof(tried) && access(tried, X_OK) == 0)
            return tv_path_real(path, tried);
        at += len + (at[len] == ':');
    }
    return false;
}

static bool read_at(int file, uint8_t *to, size_t len, uint64_t offset)
{
    return offset <= INT64_MAX && pread(file, to, len, (off_t)offset) == (ssize_t)len;
}

/* The path of the loader stands in a part of its own, and ends with NUL. */
static void read_loader(int file, const uint8_t *part, char name[TV_LOADER_NAME_CAP])
{
    char path[TV_PATH_CAP];
    uint64_t len = tv_load_le64(part + PART_FILE_LEN);
    if (!len || len > sizeof(path) ||
        !read_at(file, (uint8_t *)path, (size_t)len, tv_load_le64(part + PART_OFFSET)))
        return;
    path[len - 1] = '\0';
    (void)snprintf(name, TV_LOADER_NAME_CAP, "%.63s", tv_file_name_of(path));
}

static void look_for_loader(int file, char name[TV_LOADER_NAME_CAP])
{
    uint8_t head[sizeof(Elf64_Ehdr)], part[sizeof(Elf64_Phdr)];
    if (!read_at(file, head, sizeof(head), 0) || memcmp(head, ELFMAG, SELFMAG) != 0 ||
        head[EI_CLASS] != ELFCLASS64 || head[EI_DATA] != ELFDATA2LSB ||
        tv_load_le16(head + PART_LEN) != sizeof(part))
        return;
    uint64_t at = tv_load_le64(head + PARTS_OFFSET);
    unsigned count = tv_load_le16(head + PART_COUNT);
    for (unsigned i = 0; i < count && i < PARTS_MOST && at <= INT64_MAX; i++) {
        if (!read_at(file, part, sizeof(part), at + i * sizeof(part)))
            return;
        if (tv_load_le32(part) == PT_INTERP)
            read_loader(file, part, name);
    }
}

void tv_program_file_loader(const char *path, char name[TV_LOADER_NAME_CAP])
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    name[0] = '\0';
    if (file < 0)
        return;
    look_for_loader(file, name);
    close(file);
}

bool tv_program_file_has(const char *path, const char *text)
{
    char piece[1 << 16];
    const size_t len = strlen(text);
    size_t kept = 0; /* of the piece before, since the text may lie across the end of a piece */
    bool has_it = false;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0 || !len || len > sizeof(piece) / 2)
        return false;
    for (ssize_t got; !has_it && (got = read(file, piece + kept, sizeof(piece) - kept)) > 0;) {
        const size_t all = kept + (size_t)got;
        has_it = memmem(piece, all, text, len) != NULL;
        kept = all < len - 1 ? all : len - 1;
        memmove(piece, piece + all - kept, kept);
    }
    close(file);
    return has_it;
}
