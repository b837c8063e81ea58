/*
 * The adb protocol as bytes: what is sent, and what arrived. Nothing here touches a socket.
 *
 * Three layers have a framing each. The server takes requests of four hexadecimal digits, the
 * length, and as many bytes, and answers OKAY or FAIL and a text framed the same way. A shell of
 * version 2 sends packets: a kind, a length of four bytes, little end first, and data. The sync
 * service has words of four letters, each followed by numbers, little end first (SYNC.TXT).
 */
#ifndef TV_ADB_WIRE_H
#define TV_ADB_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "adb/adb.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/str.h"

/* Requests and answers of the server */

#define TV_ADB_WORD_LEN 4u        /* OKAY, FAIL, STAT, ..., and a length in digits */
#define TV_ADB_REQUEST_MOST 4000u /* an old server's room is 4,096 bytes */

/* Appends a request. TV_ERR_LIMIT when it is too long. */
enum tv_code tv_adb_put_request(struct tv_buffer *out, struct tv_str request,
                                struct tv_error *err) TV_MUST_CHECK;
/* Four hexadecimal digits. */
bool tv_adb_read_length(const uint8_t bytes[TV_ADB_WORD_LEN], uint32_t *len) TV_MUST_CHECK;
/* Whether four bytes are this word. */
bool tv_adb_is_word(const uint8_t bytes[TV_ADB_WORD_LEN], const char *word);
/* Which trouble the text of a FAIL tells of; TV_ADB_REFUSED: none of those that are known. */
enum tv_adb_trouble tv_adb_trouble_of(struct tv_str reason);
/* Sets what a target understands, by the server's list of words with commas. */
void tv_adb_read_features(struct tv_str text, struct tv_adb_target *target);

/* Packets of a shell of version 2 */

#define TV_ADB_PACKET_HEAD 5u
enum tv_adb_packet_kind {
    TV_ADB_PACKET_OUT = 1,
    TV_ADB_PACKET_ERR = 2,
    TV_ADB_PACKET_EXIT = 3,
};
struct tv_adb_packet {
    uint8_t kind; /* of enum tv_adb_packet_kind, or another number */
    uint32_t len;
};
struct tv_adb_packet tv_adb_read_packet(const uint8_t head[TV_ADB_PACKET_HEAD]);

/* The sync service */

#define TV_ADB_SYNC_HEAD 8u          /* a word and a number */
#define TV_ADB_SYNC_DATA_MOST 65536u /* bytes in one DATA */
#define TV_ADB_SYNC_PATH_MOST 1024u  /* of a path; more is refused by devices */
#define TV_ADB_SYNC_NAME_MOST 4096u  /* of an entry of a folder; more is garbage */
#define TV_ADB_STAT_LEN 16u          /* STAT and three numbers */
#define TV_ADB_STAT_V2_LEN 72u       /* STA2, LST2 */
#define TV_ADB_ENTRY_LEN 20u         /* DENT, up to the name */
#define TV_ADB_ENTRY_V2_LEN 76u      /* DNT2, up to the name */

/* Appends a request: a word, a length, a path. TV_ERR_LIMIT when the path is too long. */
enum tv_code tv_adb_put_sync(struct tv_buffer *out, const char *word, struct tv_str path,
                             struct tv_error *err) TV_MUST_CHECK;
/* Appends a word and a number: QUIT 0, and the second half of RCV2. */
enum tv_code tv_adb_put_sync_number(struct tv_buffer *out, const char *word, uint32_t number,
                                    struct tv_error *err) TV_MUST_CHECK;
/* The number behind a word: DATA, FAIL, DONE. */
uint32_t tv_adb_read_sync_number(const uint8_t head[TV_ADB_SYNC_HEAD]);
/* What follows the word of an answer. Version 2 has the errno of a file that could not be looked
 * at; version 1 has a mode of 0 then. */
struct tv_adb_stat tv_adb_read_stat(const uint8_t answer[TV_ADB_STAT_LEN]);
struct tv_adb_stat tv_adb_read_stat_v2(const uint8_t answer[TV_ADB_STAT_V2_LEN], uint32_t *error);
/* An entry without its name, whose length is *name_len. */
struct tv_adb_stat tv_adb_read_entry(const uint8_t entry[TV_ADB_ENTRY_LEN], uint32_t *name_len);
struct tv_adb_stat tv_adb_read_entry_v2(const uint8_t entry[TV_ADB_ENTRY_V2_LEN],
                                        uint32_t *name_len);

#endif
