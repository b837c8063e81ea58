/*
 * A body whose bytes are kept: a trace, alone or in a form, or a piece of one. The bytes go into a
 * draft of the store while they arrive (store/store.h), the first of them are looked at
 * (site/upload/upload_sniff.h), and the whole is compared with the sum that the client says.
 *
 * What is wrong shows at once where it can: a form without the secret ends at its file, a file that
 * is no trace after its first bytes.
 */
#ifndef TV_SITE_UPLOAD_BODY_RECEIVER_H
#define TV_SITE_UPLOAD_BODY_RECEIVER_H

#include "http/form.h"
#include "http/pace.h"
#include "http/service.h"
#include "site/request/fields.h"
#include "site/request/request_context.h"
#include "site/upload/mapping_head.h"
#include "store/store.h"

enum tv_body_receiver_kind {
    TV_BODY_RECEIVER_TRACE, /* the body is the file */
    TV_BODY_RECEIVER_FORM,  /* the file is a field of the form */
    TV_BODY_RECEIVER_PIECE, /* a piece; only that of offset 0 is looked at */
};

struct tv_body_receiver {
    struct tv_body_receiver *next, *before; /* of the site's list */
    struct tv_request_context *context;
    struct tv_http_party party; /* whose it is */
    enum tv_body_receiver_kind kind;
    uint64_t most;  /* bytes of the file */
    uint64_t told;  /* of a piece: how long the file is; 0: nobody said */
    bool is_listed; /* it is in the site's list; the site's lock guards all to pace */
    bool is_whole;  /* all bytes have come: who is slow now is the site */
    bool gave_way;  /* its connection was closed to make room */
    int connection; /* its socket; -1: it may be gone */
    struct tv_pace pace;
    bool is_first;    /* the bytes are the first of a trace */
    bool is_mapping;  /* of a mapping of names, and not of a trace */
    bool is_named;    /* the path has the name of the file */
    bool was_judged;  /* they were looked at */
    bool has_file;    /* of a form: the file has begun */
    bool is_admitted; /* of a form: the uploader may upload */
    bool has_sum;
    struct tv_hash sum; /* what the client says */
    struct tv_form *form;
    struct tv_fields fields;
    struct tv_arrival arrival;
    struct tv_buffer first; /* up to TV_SNIFFING_LEN bytes */
    struct tv_hash raw;     /* once all has arrived */
    char md5[33];
    struct tv_mapping_head head; /* of a mapping */
    int status; /* of the refusal, where the body was refused while it came; 0: it was not */
};

/* Begins to take the body of a request, or fills the response with a refusal. `most`: more bytes
 * of the file are too many. Of a piece, `told`: how long the file is, 0: nobody said. `is_mapping`:
 * it is one of a mapping of names. `is_named`: the path has the name of the file. `upload`: of a
 * piece, what has arrived before. */
struct tv_body_receiver_opts {
    enum tv_body_receiver_kind kind;
    uint64_t most, told;
    bool is_mapping, is_named;
    const struct tv_upload *upload;
};
enum tv_http_take tv_body_receiver_begin(struct tv_request_context *context,
                                         const struct tv_body_receiver_opts *opts,
                                         struct tv_http_body_sink *how,
                                         struct tv_http_response *response);
/* The body is over: true where its bytes are all there, are as the client says, and may be a trace.
 * Otherwise the response is the refusal. */
bool tv_body_receiver_end(struct tv_body_receiver *receiver, struct tv_http_response *response);
/* The bytes that have come, where the client went away. True: they may be kept. */
bool tv_body_receiver_end_cut(struct tv_body_receiver *receiver);
/* The body has come to its end. NULL is fine, here and below. */
void tv_body_receiver_complete(struct tv_body_receiver *receiver);
/* The connection is about to go. */
void tv_body_receiver_disconnect(struct tv_body_receiver *receiver);
/* Notes how fast uploads come, every now and then. */
void tv_body_receivers_tick(struct tv_site *site);
/* Gives the place among the uploads under way free, before the answer is sent: who has the answer
 * may upload again at once. */
void tv_body_receiver_leave(struct tv_body_receiver *receiver); /* NULL is fine */
void tv_body_receiver_free(struct tv_body_receiver *receiver);  /* NULL is fine */

#endif
