/*
 * Which file a recorded function is of; see record/instrumented/code_file.h.
 *
 * The build id is read from memory, where the loader has put it with the code: the file of that
 * name may be another one by now, since linkers and installers replace files of programs that run.
 */
#include "record/instrumented/code_file.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include "base/units.h"

#define NOTE_ALIGNMENT 4u

static size_t aligned(size_t len)
{
    return (len + NOTE_ALIGNMENT - 1) & ~(size_t)(NOTE_ALIGNMENT - 1);
}

/* Whether notes have the build id. */
static bool find_in_notes(char text[TV_CODE_FILE_CAP], const unsigned char *notes, size_t len)
{
    while (len >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) head;
        memcpy(&head, notes, sizeof(head));
        const size_t name_at = sizeof(head);
        const size_t id_at = name_at + aligned(head.n_namesz);
        const size_t note_len = id_at + aligned(head.n_descsz);
        if (note_len > len)
            return false;
        if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == sizeof("GNU") &&
            memcmp(notes + name_at, "GNU", sizeof("GNU")) == 0) {
            tv_code_file_put_build(text, notes + id_at, head.n_descsz);
            return true;
        }
        notes += note_len;
        len -= note_len;
    }
    return false;
}

/* Whether a segment is in memory. */
static bool is_loaded(const ElfW(Phdr) * segments, size_t count, const ElfW(Phdr) * segment)
{
    for (size_t i = 0; i < count; i++) {
        if (segments[i].p_type == PT_LOAD && segment->p_vaddr >= segments[i].p_vaddr &&
            segment->p_vaddr - segments[i].p_vaddr <= segments[i].p_filesz &&
            segment->p_filesz <= segments[i].p_filesz - (segment->p_vaddr - segments[i].p_vaddr))
            return true;
    }
    return false;
}

static bool find_build(char text[TV_CODE_FILE_CAP], const void *begin, uintptr_t base)
{
    const ElfW(Ehdr) *head = begin;
    if (!begin || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_phentsize != sizeof(ElfW(Phdr)))
        return false;
    const ElfW(Phdr) *segments = (const void *)((const unsigned char *)begin + head->e_phoff);
    for (size_t i = 0; i < head->e_phnum; i++) {
        if (segments[i].p_type != PT_NOTE || !is_loaded(segments, head->e_phnum, &segments[i]))
            continue;
        const void *notes =
            (const void *)(base + segments[i].p_vaddr); /* NOLINT(performance-no-int-to-ptr) */
        if (find_in_notes(text, notes, segments[i].p_filesz))
            return true;
    }
    return false;
}

void tv_code_file_name(char text[TV_CODE_FILE_CAP], const void *begin, uintptr_t base,
                       const char *path)
{
    struct stat now;
    text[0] = '\0';
    if (!find_build(text, begin, base) && stat(path, &now) == 0) {
        const struct tv_code_file_status status = {
            now.st_dev, now.st_ino, (uint64_t)now.st_size,
            tv_timespec_ns(now.st_mtim.tv_sec, now.st_mtim.tv_nsec)};
        tv_code_file_put_inode(text, &status);
    }
}
