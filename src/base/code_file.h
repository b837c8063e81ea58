/*
 * How a program's or library's file is told from another one that got its name while it ran: by its
 * build id, or, where the linker wrote none, by what the file system says of it. Recorders write
 * the text with each function that they meet; who looks for the function's name compares it with
 * the file that is there by then.
 */
#ifndef TV_BASE_CODE_FILE_H
#define TV_BASE_CODE_FILE_H

/* Before the build id in hexadecimal digits. */
#define TV_CODE_FILE_BUILD "build "
/* Behind it device, inode, length, and time of the last change in nanoseconds. */
#define TV_CODE_FILE_INODE "inode "
#define TV_CODE_FILE_INODE_NUMBERS "%llx:%llx:%llx:%llx"
/* Room for such a text and its NUL; longer build ids are cut. */
#define TV_CODE_FILE_CAP 96u

#endif
