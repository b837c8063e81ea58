/*
 * Workers and their queue; see http/request_workers.h.
 *
 * Which exchange is next is the queue's to say (http/answer_queue.h), under the server's lock. An
 * exchange in the queue belongs to the workers and its connection is suspended; after the resume it
 * is the library's again, and the worker must not touch it. An answer that was cut so that others
 * come first goes back into the queue. When the server ends, requests that are in the queue are
 * still answered, and no more come in.
 */
#include "http/request_workers.h"

#include "base/units.h"
#include "http/answer_watch.h"
#include "http/body_sender.h"
#include "os/clock.h"
#include "os/process/threads.h"
#include "os/random_sleep.h"

/* The deadline counts from here: what the client takes to send its request is its own time. */
static void begin_waiting(struct tv_exchange *exchange)
{
    const struct tv_httpd *httpd = exchange->httpd;
    struct tv_answer *answer = &exchange->answer;
    answer->party = exchange->request.party;
    answer->may_be_cut =
        exchange->request.method == TV_HTTP_GET || exchange->request.method == TV_HTTP_HEAD;
    answer->came_ns = tv_now_ns();
    answer->is_long = false;
    answer->deadline_ns = answer->may_be_cut && httpd->settings.answer_s
                              ? answer->came_ns + httpd->settings.answer_s * TV_NS_PER_S
                              : 0;
    struct tv_buffer *fields = &exchange->response.fields;
    exchange->begun_fields.len = 0;
    if (tv_buffer_append(&exchange->begun_fields, fields->bytes, fields->len, NULL) != TV_OK)
        exchange->response.is_broken = true;
    tv_answer_queue_add(&exchange->httpd->answers, answer);
}

bool tv_request_workers_add(struct tv_exchange *exchange)
{
    struct tv_httpd *httpd = exchange->httpd;
    pthread_mutex_lock(&httpd->lock);
    if (httpd->is_ending) {
        pthread_mutex_unlock(&httpd->lock);
        return false;
    }
    begin_waiting(exchange);
    pthread_cond_signal(&httpd->job_came);
    pthread_cond_signal(&httpd->watched);
    pthread_mutex_unlock(&httpd->lock);
    return true;
}

void tv_request_workers_end_one(struct tv_httpd *httpd)
{
    pthread_mutex_lock(&httpd->lock);
    httpd->under_way--;
    pthread_mutex_unlock(&httpd->lock);
}

void tv_request_workers_leave(struct tv_httpd *httpd, struct tv_http_rest *rest)
{
    rest->next = NULL;
    pthread_mutex_lock(&httpd->lock);
    bool is_ending = httpd->is_ending;
    if (!is_ending) {
        *(httpd->last_rest ? &httpd->last_rest->next : &httpd->first_rest) = rest;
        httpd->last_rest = rest;
        pthread_cond_signal(&httpd->job_came);
    }
    pthread_mutex_unlock(&httpd->lock);
    if (is_ending) {
        rest->run(rest->ctx);
        tv_request_workers_end_one(httpd);
    }
}

/* What a worker is to do: a request, or what another one left. */
struct job {
    struct tv_exchange *exchange;
    struct tv_http_rest *rest;
};

static struct tv_exchange *take_exchange(struct tv_httpd *httpd)
{
    struct tv_answer *answer = httpd->is_ending
                                   ? tv_answer_queue_take_any(&httpd->answers, tv_now_ns())
                                   : tv_answer_queue_take(&httpd->answers, tv_now_ns());
    return answer ? tv_exchange_of_answer(answer) : NULL;
}

/* One worker at a time does what requests left: all of it waits for the same store, and the other
 * workers are to answer. */
static struct tv_http_rest *take_rest(struct tv_httpd *httpd)
{
    struct tv_http_rest *rest = httpd->does_rest ? NULL : httpd->first_rest;
    if (!rest)
        return NULL;
    httpd->first_rest = rest->next;
    if (!httpd->first_rest)
        httpd->last_rest = NULL;
    httpd->does_rest = true;
    return rest;
}

/* Waits for the next job; false: the server ends, and no job is left for this worker. */
static bool take_job(struct tv_httpd *httpd, struct job *job)
{
    *job = (struct job){NULL, NULL};
    pthread_mutex_lock(&httpd->lock);
    for (;;) {
        job->rest = take_rest(httpd);
        job->exchange = job->rest ? NULL : take_exchange(httpd);
        if (job->rest || job->exchange || httpd->is_ending)
            break;
        pthread_cond_wait(&httpd->job_came, &httpd->lock);
    }
    /* One more worker may find something to do, which was not told to anybody. */
    if (httpd->answers.waiting.count)
        pthread_cond_signal(&httpd->job_came);
    pthread_mutex_unlock(&httpd->lock);
    return job->rest || job->exchange;
}

static void do_rest(struct tv_httpd *httpd, struct tv_http_rest *rest)
{
    rest->run(rest->ctx);
    pthread_mutex_lock(&httpd->lock);
    httpd->does_rest = false;
    httpd->under_way--;
    pthread_mutex_unlock(&httpd->lock);
}

bool tv_request_workers_answer(struct tv_exchange *exchange)
{
    const struct tv_http_service *service = exchange->httpd->service;
    struct tv_http_response *response = &exchange->response;
    service->answer(service->ctx, &exchange->request, response);
    exchange->stage = TV_EXCHANGE_ANSWERED;
    if (response->kind == TV_HTTP_BODY_FILE &&
        !tv_file_source_take(&exchange->httpd->readers, response)) {
        tv_http_drop_body(response);
        response->is_broken = true;
    }
    if (response->kind != TV_HTTP_BODY_SOURCE || exchange->request.method == TV_HTTP_HEAD)
        return false;
    if (!tv_body_sender_make(exchange)) {
        response->is_broken = true;
        return false;
    }
    const struct tv_http_source *source = &exchange->sender->source;
    if (!source->calls->begin)
        return false;
    const struct tv_http_reader reader = tv_body_sender_reader(exchange->sender);
    return !source->calls->begin(source->ctx, &reader);
}

/* Makes the answer. Returns whether it has a source that is to be awaited. */
static bool answer_or_skip(struct tv_exchange *exchange)
{
    if (!tv_answer_is_for_nobody(exchange))
        return tv_request_workers_answer(exchange);
    tv_answer_refuse(exchange, TV_ANSWER_GONE);
    return false;
}

/* Takes back what a cut answer has filled in: it begins anew. */
static void forget_answer(struct tv_exchange *exchange)
{
    tv_http_drop_body(&exchange->response);
    exchange->response.status = 500;
    tv_exchange_restore_fields(exchange);
    exchange->stage = TV_EXCHANGE_WAITING;
}

/* Takes the exchange out of the queue, unless it was cut so that others come first: then it goes
 * back, and true is returned. An answer that was made all the same is sent. */
static bool end_or_go_back(struct tv_exchange *exchange, enum tv_answer_cut *cut)
{
    struct tv_httpd *httpd = exchange->httpd;
    struct tv_answer *answer = &exchange->answer;
    pthread_mutex_lock(&httpd->lock);
    tv_answer_queue_end(&httpd->answers, answer);
    *cut = exchange->response.status == 503 ? answer->cut : TV_ANSWER_NOT_CUT;
    httpd->late += *cut == TV_ANSWER_LATE;
    bool goes_back = *cut == TV_ANSWER_AGAIN && !httpd->is_ending;
    if (goes_back) {
        forget_answer(exchange);
        tv_answer_queue_add(&httpd->answers, answer);
    }
    pthread_mutex_unlock(&httpd->lock);
    return goes_back;
}

/* Asks the service where the body goes. */
static void open_body(struct tv_exchange *exchange)
{
    struct tv_httpd *httpd = exchange->httpd;
    const struct tv_http_service *service = httpd->service;
    tv_waits_begin(&exchange->waits);
    tv_waits_note(TV_WAIT_THREAD, exchange->answer.came_ns);
    exchange->take =
        service->open(service->ctx, &exchange->request, &exchange->body_sink, &exchange->response);
    tv_exchange_refuse_long(exchange);
    tv_waits_begin(NULL);
    exchange->stage = TV_EXCHANGE_OPENED;
    pthread_mutex_lock(&httpd->lock);
    tv_answer_queue_end(&httpd->answers, &exchange->answer);
    pthread_mutex_unlock(&httpd->lock);
    MHD_resume_connection(exchange->connection);
}

/* Whatever this waits for is noted with the request. */
static bool answer_and_note(struct tv_exchange *exchange)
{
    tv_waits_begin(&exchange->waits);
    tv_waits_note(TV_WAIT_THREAD, exchange->answer.came_ns);
    bool is_awaited = answer_or_skip(exchange);
    tv_waits_begin(NULL);
    return is_awaited;
}

static void serve(struct tv_exchange *exchange)
{
    enum tv_answer_cut cut;
    if (exchange->stage == TV_EXCHANGE_OPENING) {
        open_body(exchange);
        return;
    }
    bool is_awaited = answer_and_note(exchange);
    if (end_or_go_back(exchange, &cut))
        return;
    if (cut != TV_ANSWER_NOT_CUT)
        tv_answer_refuse(exchange, cut);
    if (!is_awaited || !tv_body_sender_sleep(exchange->sender, TV_BODY_SENDER_FROM_SUSPENDED))
        MHD_resume_connection(exchange->connection);
}

/* All answers lead to tv_reply_send on the library's thread, to which the exchange belongs then. */
static void *work(void *arg)
{
    struct tv_httpd *httpd = arg;
    struct job job;
    while (take_job(httpd, &job)) {
        tv_random_sleep();
        if (job.rest)
            do_rest(httpd, job.rest);
        else
            serve(job.exchange);
    }
    return NULL;
}

/* Starts as many workers for short answers as for long ones, and one that tidies up after requests,
 * so that no kind of work waits for another. */
void tv_request_workers_start(struct tv_httpd *httpd)
{
    httpd->worker_count =
        tv_threads_start(httpd->workers, 2 * httpd->settings.workers + 1, work, httpd);
}

void tv_request_workers_join(struct tv_httpd *httpd)
{
    tv_threads_join(httpd->workers, httpd->worker_count);
}
