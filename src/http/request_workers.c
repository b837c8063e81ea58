/*
 * Workers and their queue; see http/request_workers.h.
 *
 * A queue of exchanges, linked through the exchanges themselves, under the server's lock. An
 * exchange in the queue belongs to the workers and its connection is suspended; after the resume it
 * is the library's again, and the worker must not touch it. When the server ends, requests that are
 * in the queue are still answered, and no more come in.
 */
#include "http/request_workers.h"

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>

#include "http/body_sender.h"
#include "os/memory/fault.h"
#include "os/random_sleep.h"

bool tv_request_workers_add(struct tv_exchange *exchange)
{
    struct tv_httpd *httpd = exchange->httpd;
    pthread_mutex_lock(&httpd->lock);
    if (httpd->is_ending) {
        pthread_mutex_unlock(&httpd->lock);
        return false;
    }
    exchange->next = NULL;
    if (httpd->last_job)
        httpd->last_job->next = exchange;
    else
        httpd->first_job = exchange;
    httpd->last_job = exchange;
    pthread_cond_signal(&httpd->job_came);
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
    struct tv_exchange *exchange = httpd->first_job;
    if (!exchange)
        return NULL;
    httpd->first_job = exchange->next;
    if (!httpd->first_job)
        httpd->last_job = NULL;
    return exchange;
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

/* Whether nobody waits for the answer any more: the client has closed its side. A client that
 * closes only that side, and still listens, is taken for one that went away, as proxies do. What
 * changes something is done all the same: a client may ask for it and go. */
static bool is_for_nobody(const struct tv_exchange *exchange)
{
    char byte;
    if (exchange->request.method != TV_HTTP_GET && exchange->request.method != TV_HTTP_HEAD)
        return false;
    ssize_t got = recv(exchange->request.connection, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

/* Makes the answer. Returns whether it has a source that is to be awaited. */
static bool answer_or_skip(struct tv_exchange *exchange)
{
    if (!is_for_nobody(exchange))
        return tv_request_workers_answer(exchange);
    tv_http_refuse(&exchange->response, 503, "the client has gone");
    exchange->stage = TV_EXCHANGE_ANSWERED;
    return false;
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
        else if (!answer_or_skip(job.exchange) ||
                 !tv_body_sender_sleep(job.exchange->sender, TV_BODY_SENDER_FROM_SUSPENDED))
            MHD_resume_connection(job.exchange->connection);
    }
    return NULL;
}

/* At least two workers, so that one may wait, as for the first trace, while another answers the
 * next question. Signals are held back: they are the main thread's. */
void tv_request_workers_start(struct tv_httpd *httpd)
{
    sigset_t old;
    tv_fault_hold_signals(&old);
    while (httpd->worker_count < httpd->settings.workers &&
           pthread_create(&httpd->workers[httpd->worker_count], NULL, work, httpd) == 0)
        httpd->worker_count++;
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void tv_request_workers_join(struct tv_httpd *httpd)
{
    for (unsigned i = 0; i < httpd->worker_count; i++)
        (void)pthread_join(httpd->workers[i], NULL);
}
