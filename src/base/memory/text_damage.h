/*
 * What a copy as text does to a file of bytes, and how it is told from the bytes alone.
 *
 * Tools that take a trace for text convert characters or line ends: adb shell adds a 0d before each
 * 0a, version control and editors drop it, and whatever decodes UTF-8 and encodes it again writes
 * ef bf bd for each byte that is no character. The records are then out of step, and read as
 * nonsense. No function here keeps or changes anything.
 */
#ifndef TV_BASE_MEMORY_TEXT_DAMAGE_H
#define TV_BASE_MEMORY_TEXT_DAMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"

/* What to do about it, for the end of a message. */
#define TV_COPY_AGAIN "copy the file again in binary, with adb pull or adb exec-out cat"

enum tv_text_damage {
    TV_TEXT_DAMAGE_WELL,   /* nothing shows that the bytes were changed */
    TV_TEXT_DAMAGE_UTF8,   /* bytes that are no UTF-8 were replaced by ef bf bd */
    TV_TEXT_DAMAGE_LATIN1, /* each byte above 7f was taken for a character, and became two bytes */
    TV_TEXT_DAMAGE_CRLF,   /* each 0a got a 0d before it */
    TV_TEXT_DAMAGE_LF      /* each 0d before a 0a was dropped, or each 0d */
};

/*
 * Whether characters were converted. The bytes begin with a data header or with records; text with
 * letters beyond ASCII would be mistaken for converted bytes. Only TV_TEXT_DAMAGE_LOOK bytes are
 * looked at, and of most files fewer, since binary data soon has a byte that is no UTF-8.
 */
#define TV_TEXT_DAMAGE_LOOK ((size_t)64 * 1024)
enum tv_text_damage tv_text_damage_characters(const uint8_t *bytes, size_t len);
/* Whether there is a 0a, and a 0d before each; looks at the first 16 MiB. */
bool tv_text_damage_has_returns(const uint8_t *bytes, size_t len);
/* Whether no 0d stands before any 0a; looks at the first 16 MiB. */
bool tv_text_damage_lacks_pairs(const uint8_t *bytes, size_t len);
/* What was converted in a file that is known to be damaged: less has to show than in others. */
enum tv_text_damage tv_text_damage_judge(const uint8_t *bytes, size_t len);

/* TV_ERR_FORMAT with what happened and how to copy a trace; TV_OK for TV_TEXT_DAMAGE_WELL. */
enum tv_code tv_text_damage_refuse(enum tv_text_damage copied, uint64_t offset,
                                   struct tv_error *err) TV_MUST_CHECK;

#endif
