/* Workers and their queue; see http/request_workers.h. */
#include "http/request_workers.h"

#include <signal.h>

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

/* The next request for a worker, or NULL when the server ends and no request is left. */
static struct tv_exchange *take_job(struct tv_httpd *httpd)
{
    pthread_mutex_lock(&httpd->lock);
    while (!httpd->first_job && !httpd->is_ending)
        pthread_cond_wait(&httpd->job_came, &httpd->lock);
    struct tv_exchange *exchange = httpd->first_job;
    if (exchange) {
        httpd->first_job = exchange->next;
        if (!httpd->first_job)
            httpd->last_job = NULL;
    }
    pthread_mutex_unlock(&httpd->lock);
    return exchange;
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

/* All lead to tv_reply_send on the library's thread, to which the exchange belongs then. */
static void *work(void *arg)
{
    struct tv_httpd *httpd = arg;
    struct tv_exchange *exchange;
    while ((exchange = take_job(httpd)) != NULL) {
        tv_random_sleep();
        if (!tv_request_workers_answer(exchange) ||
            !tv_body_sender_sleep(exchange->sender, TV_BODY_SENDER_FROM_SUSPENDED))
            MHD_resume_connection(exchange->connection);
    }
    return NULL;
}

/* Two workers at least: one may wait, as for the first trace, while a client asks another question.
 * Signals are the main thread's. */
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
