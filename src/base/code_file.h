/*
 * How a program's or library's file is told from another one that got its name while it ran: by its
 * build id, or, where the linker wrote none, by what the file system says of it. Recorders write
 * the text with each function that they meet; who looks for the function's name compares it with
 * the file that is there by then.
 */
#ifndef TV_BASE_CODE_FILE_H
#define TV_BASE_CODE_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"

/* Before the build id in hexadecimal digits. */
#define TV_CODE_FILE_BUILD "build "
/* Behind it device, inode, length, and time of the last change in nanoseconds. */
#define TV_CODE_FILE_INODE "inode "
/* Room for either text and its NUL; longer build ids are cut. */
#define TV_CODE_FILE_CAP 96u

/* The functions below write the two texts, with a NUL. The preloaded library and the command must
 * write the same text for the same file. */
TV_INLINE void tv_code_file_put_build(char text[TV_CODE_FILE_CAP], const unsigned char *id,
                                      size_t len)
{
    static const char digits[] = "0123456789abcdef";
    size_t at = strlen(TV_CODE_FILE_BUILD);
    memcpy(text, TV_CODE_FILE_BUILD, at);
    for (size_t i = 0; i < len && at + 2 < TV_CODE_FILE_CAP; i++) {
        text[at++] = digits[id[i] >> 4];
        text[at++] = digits[id[i] & 15];
    }
    text[at] = '\0';
}

/* What the file system says of a file. */
struct tv_code_file_status {
    uint64_t device, inode, size, changed_ns;
};

TV_INLINE void tv_code_file_put_inode(char text[TV_CODE_FILE_CAP],
                                      const struct tv_code_file_status *status)
{
    (void)snprintf(text, TV_CODE_FILE_CAP, TV_CODE_FILE_INODE "%llx:%llx:%llx:%llx",
                   (unsigned long long)status->device, (unsigned long long)status->inode,
                   (unsigned long long)status->size, (unsigned long long)status->changed_ns);
}

#endif
