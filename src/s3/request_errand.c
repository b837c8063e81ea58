/*
 * Requests that the threads of errands make while the caller waits: the caller may be in a Landlock
 * domain, in which it opens no connection. The sum of what is sent is made by the same thread, just
 * before the request, so that many parts are hashed at once. A series has a few requests under way,
 * and hands out answers in the order of their numbers.
 */
#include "s3/request_errand.h"

#include <string.h>
#include <unistd.h>

#include "os/file/digest.h"

#define BLOCK ((size_t)64 * 1024)

/* The sum of what is sent, a text or a part of a file, which the server compares. False: the file
 * cannot be read. */
static bool hash_body(struct tv_s3_request_errand *asked)
{
    struct tv_s3_request *request = &asked->request;
    struct tv_digest digest;
    uint8_t block[BLOCK];
    uint64_t done = 0;
    tv_digest_begin(&digest, TV_DIGEST_SHA256);
    tv_digest_add(&digest, request->body.at, request->body.len);
    while (done < request->len) {
        uint64_t left = request->len - done;
        ssize_t got = pread(request->fd, block, left < BLOCK ? (size_t)left : BLOCK,
                            (off_t)(request->off + done));
        if (got <= 0)
            break;
        tv_digest_add(&digest, block, (size_t)got);
        done += (uint64_t)got;
    }
    tv_digest_end(&digest, asked->sha256, NULL);
    request->sha256 = asked->sha256;
    return done == request->len;
}

static void run(void *ctx, const struct tv_s3_line *line)
{
    struct tv_s3_request_errand *asked = ctx;
    asked->err.code = TV_OK;
    asked->answer = (struct tv_s3_answer){.status = 0};
    if (!asked->request.sha256 && !hash_body(asked))
        asked->code =
            tv_fail(&asked->err, TV_ERR_SYSTEM, TV_NO_OFFSET, "a file of the store cannot be read");
    else
        asked->code = tv_s3_ask(asked->asker, line, &asked->request, &asked->answer, &asked->err);
}

static void give(struct tv_errands *errands, struct tv_s3_request_errand *asked)
{
    asked->errand.run = run;
    asked->errand.ctx = asked;
    tv_errands_give(errands, &asked->errand);
}

static enum tv_code await(struct tv_errands *errands, const struct tv_s3_request_errand *asked,
                          struct tv_error *err)
{
    tv_errands_await(errands, &asked->errand);
    if (asked->code != TV_OK && err)
        *err = asked->err;
    return asked->code;
}

enum tv_code tv_s3_ask_once(struct tv_errands *errands, struct tv_s3_request_errand *asked,
                            struct tv_error *err)
{
    give(errands, asked);
    return await(errands, asked, err);
}

enum tv_code tv_s3_ask_all(struct tv_errands *errands, const struct tv_s3_asker *asker,
                           const struct tv_s3_series *series, struct tv_error *err)
{
    struct tv_s3_request_errand *of = NULL;
    enum tv_code code = TV_OK;
    uint64_t begun = 0;
    TV_TRY(tv_alloc_new(asker->alloc, &of, TV_S3_AT_ONCE, sizeof(*of), err));
    for (uint64_t ended = 0; ended < begun || (code == TV_OK && begun < series->count); ended++) {
        for (; code == TV_OK && begun < series->count && begun - ended < TV_S3_AT_ONCE; begun++) {
            struct tv_s3_request_errand *asked = &of[begun % TV_S3_AT_ONCE];
            *asked = (struct tv_s3_request_errand){.asker = asker, .errand = {.is_bulky = true}};
            series->fill(series->ctx, begun, asked);
            give(errands, asked);
        }
        struct tv_s3_request_errand *asked = &of[ended % TV_S3_AT_ONCE];
        struct tv_error *wanted = code == TV_OK ? err : NULL;
        enum tv_code ends = await(errands, asked, wanted);
        if (ends == TV_OK && code == TV_OK)
            ends = series->take(series->ctx, ended, asked, wanted);
        tv_buffer_release(&asked->answer.text);
        if (code == TV_OK)
            code = ends;
    }
    tv_alloc_release(asker->alloc, &of, TV_S3_AT_ONCE, sizeof(*of));
    return code;
}
