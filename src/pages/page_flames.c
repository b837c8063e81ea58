/* All flame graphs of a trace on one page, a picture for each thread, as AFlame's page had them. */
#include "pages/frame.h"
#include "pages/say.h"

/* So many threads, the busiest first, have a picture; of a trace with more, others have a link:
 * each picture is a document of its own, which a browser has to draw. */
#define PICTURES 16u

static void write_address(struct tv_frame *frame, const struct tv_told_trace *trace,
                          const struct tv_told_thread *thread)
{
    TV_MARKUP(&frame->out, "{}/trace/{}/", frame->site->base, trace->id);
    tv_out_add(&frame->out, "%u.svg", thread->tid);
}

static struct tv_str name_of(const struct tv_told_thread *thread)
{
    return thread->name.len ? thread->name : TV_STR("unnamed thread");
}

static struct tv_str say_calls(char room[TV_SAY_MOST], const struct tv_told_thread *thread)
{
    return thread->is_sampled ? tv_say_count(room, thread->calls, "run", "runs")
                              : tv_say_count(room, thread->calls, "call", "calls");
}

static void write_picture(struct tv_frame *frame, const struct tv_told_trace *trace,
                          const struct tv_told_thread *thread)
{
    char calls[TV_SAY_MOST];
    tv_out_add(&frame->out, "<section aria-labelledby=\"t%u\">\n<h2 id=\"t%u\">", thread->tid,
               thread->tid);
    TV_MARKUP(&frame->out, "{} <span class=\"quiet\">{}</span> <a href=\"", name_of(thread),
              say_calls(calls, thread));
    write_address(frame, trace, thread);
    TV_MARKUP(&frame->out,
              "\">open alone<span class=\"unseen\">: {}</span></a></h2>\n"
              "<object type=\"image/svg+xml\" aria-label=\"Flame graph of {}\" data=\"",
              name_of(thread), name_of(thread));
    write_address(frame, trace, thread);
    tv_frame_add(frame, "\"></object>\n</section>\n");
}

static void write_link(struct tv_frame *frame, const struct tv_told_trace *trace,
                       const struct tv_told_thread *thread)
{
    char calls[TV_SAY_MOST];
    tv_frame_add(frame, "<li><a href=\"");
    write_address(frame, trace, thread);
    TV_MARKUP(&frame->out, "\">{}</a> <span class=\"quiet\">{}</span></li>\n", name_of(thread),
              say_calls(calls, thread));
}

/* Threads without calls are left out; how many these are is told. */
static void write_threads(struct tv_frame *frame, const struct tv_told_trace *trace,
                          const struct tv_told_thread *threads, size_t thread_count)
{
    char count[TV_SAY_MOST];
    uint64_t shown = 0;
    for (size_t i = 0; i < thread_count; i++) {
        if (!threads[i].calls)
            continue;
        if (shown == PICTURES)
            tv_frame_add(frame, "<h2>More threads</h2>\n<ul class=\"threads\">\n");
        if (shown++ < PICTURES)
            write_picture(frame, trace, &threads[i]);
        else
            write_link(frame, trace, &threads[i]);
    }
    if (shown > PICTURES)
        tv_frame_add(frame, "</ul>\n");
    if (!shown)
        tv_frame_add(frame, "<p class=\"notice\">No thread of this trace has calls.</p>\n");
    else if (shown < thread_count)
        TV_MARKUP(&frame->out, "<p class=\"quiet\">Not shown: {} without {}.</p>\n",
                  tv_say_count(count, thread_count - shown, "thread", "threads"),
                  threads->is_sampled ? TV_STR("runs") : TV_STR("calls"));
}

enum tv_code tv_page_write_flames(const struct tv_told_site *site,
                                  const struct tv_told_trace *trace,
                                  const struct tv_told_thread *threads, size_t thread_count,
                                  struct tv_sink sink, struct tv_error *err)
{
    struct tv_frame frame;
    tv_frame_begin(&frame, site,
                   &(struct tv_frame_head){TV_STR("Flame graphs"), "flames", TV_FRAME_ELSEWHERE, 0},
                   sink);
    TV_MARKUP(&frame.out, "<h1>Flame graphs: {}</h1>\n", tv_frame_name_of(trace));
    tv_frame_facts(&frame, trace);
    tv_frame_labels(&frame, trace);
    TV_MARKUP(
        &frame.out,
        "<p class=\"actions\"><a class=\"button\" href=\"{}/trace/{}/\">Open in the viewer</a>"
        "</p>\n",
        site->base, trace->id);
    write_threads(&frame, trace, threads, thread_count);
    return tv_frame_end(&frame, err);
}
