/*
 * How far a recording is, for programs; see cli/device/record_progress.h.
 *
 * The page that started a recording runs this program as a child and reads its standard output: one
 * object of JSON a line, one line for each step. People are told on standard error, so both can be
 * on at once. A reader that has gone is not an error: the recording goes on, and nothing more is
 * written.
 */
#include "cli/device/record_progress.h"

#include <signal.h>
#include <stdio.h>

#include "base/memory/buffer.h"
#include "base/text/json.h"
#include "base/units.h"
#include "os/clock.h"

#define PULL_NS (100 * TV_NS_PER_MS)

/* Members that say nothing at this step are left out: the page shows what is there. */
static void write_step(struct tv_json *json, const struct tv_record_step *step)
{
    tv_json_open_object(json);
    tv_json_key_text(json, "phase", step->phase);
    if (step->passed_ns) {
        tv_json_key_u64(json, "ms", step->passed_ns / TV_NS_PER_MS);
        tv_json_key_u64(json, "bytes", step->bytes);
        tv_json_key_u64(json, "buffer", step->buffer_len);
    }
    if (step->of) {
        tv_json_key_u64(json, "done", step->done);
        tv_json_key_u64(json, "of", step->of);
        tv_json_key_truth(json, "waiting", step->is_waiting);
    }
    if (step->needed_mib)
        tv_json_key_u64(json, "needed_mb", step->needed_mib);
    tv_json_close_object(json);
}

void tv_record_tell_begin(struct tv_record_teller *teller, const char *progress)
{
    teller->is_on = progress != NULL;
    if (teller->is_on)
        (void)signal(SIGPIPE, SIG_IGN);
}

/* Flushed at once, since a line that waits in a buffer tells nobody anything. */
void tv_record_tell(struct tv_record_teller *teller, const struct tv_cli *cli,
                    const struct tv_record_step *step)
{
    struct tv_buffer line;
    struct tv_json json;
    if (!teller->is_on || teller->is_unheard)
        return;
    tv_buffer_init(&line, cli->alloc);
    tv_json_init(&json, tv_buffer_sink(&line));
    write_step(&json, step);
    /* Without memory for a line nobody is told; the next line may come. */
    if (tv_json_finish(&json, NULL) == TV_OK) {
        (void)fwrite(line.bytes, 1, line.len, cli->out);
        teller->is_unheard = fflush(cli->out) != 0;
    }
    tv_buffer_release(&line);
}

/* At most ten lines a second, but every change of state and the last one. */
void tv_record_tell_pull(struct tv_record_teller *teller, const struct tv_cli *cli, uint64_t done,
                         uint64_t of, bool is_waiting)
{
    const uint64_t now_ns = tv_now_ns();
    const bool is_news = is_waiting != teller->was_waiting || done == of;
    if (!is_news && tv_passed_ns(teller->said_ns, now_ns) < PULL_NS)
        return;
    teller->said_ns = now_ns;
    teller->was_waiting = is_waiting;
    tv_record_tell(teller, cli,
                   &(struct tv_record_step){
                       .phase = "pulling", .done = done, .of = of, .is_waiting = is_waiting});
}
