/*
 * Waits for the end of a recording on a device, and renews a line on the terminal meanwhile; see
 * cli/record/record_app.h. The loop wakes five times a second for the line and the keys, and asks
 * the device once a second for the file's length and for the process: each question is a round trip
 * over USB.
 *
 * A device that stops answering does not end the wait, since the recording goes on there. The wait
 * ends with the duration, a key or a signal, the end of the process, or the end of the program that
 * reads the progress.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/units.h"
#include "cli/device/record_advice.h"
#include "cli/record/record_app.h"
#include "cli/terminal/status_line.h"
#include "cli/wording.h"
#include "os/clock.h"

#define TICK_MS 200u
#define LOOK_NS TV_NS_PER_S /* how often the device is asked */
#define MIB ((uint64_t)1 << 20)

/* What is known of the recording between two looks at the device. */
struct watching {
    struct tv_recorded_app *app;
    struct tv_record_rate rate;
    uint64_t len; /* of the file on the device */
    uint64_t looked_ns;
    bool is_gone; /* the device */
    struct tv_status_line line;
};

/* "12.3 s, 4.1 MB; any key ends it", behind the app's name. The device does not say how full a
 * buffer in memory is. The line guesses the share from the rate of the app's last recording;
 * without such a rate the line has only the buffer's size. */
static void make_line(const struct watching *watching, uint64_t passed_ns, struct tv_text *line)
{
    const struct tv_recorded_app *app = watching->app;
    tv_text_add(line, "%.1f s, ", (double)passed_ns / 1e9);
    if (app->wish.is_streamed || watching->len) {
        tv_text_add_size(line, watching->len);
    } else {
        unsigned mib = app->wish.buffer_mib ? app->wish.buffer_mib : TV_PROFILE_BUFFER_MIB;
        double used = (double)watching->rate.bytes_per_s * (double)passed_ns / 1e9 /
                      (double)((uint64_t)mib * MIB);
        if (watching->rate.is_of_app)
            tv_text_add(line, "about %.0f %% of %u MiB", 100.0 * (used < 1 ? used : 1), mib);
        else
            tv_text_add(line, "in a buffer of %u MiB", mib);
    }
    tv_text_add(line, "; %s",
                watching->is_gone    ? "the device is gone"
                : app->stop.has_keys ? "any key ends it"
                                     : "Ctrl-C ends it");
}

/* The line is made anew each time; what it shows has changed anyway. */
static void show(struct watching *watching, uint64_t passed_ns)
{
    struct tv_text line;
    tv_text_init(&line, watching->app->cli->alloc);
    make_line(watching, passed_ns, &line);
    tv_status_line_show(&watching->line, tv_str_from(watching->app->package), tv_text_view(&line));
    tv_text_release(&line);
}

/* Tells a program that started this recording how far it is (cli/record/record_progress.h). The
 * length in a buffer in memory is a guess from the app's rate, as in the line for people. */
static void tell(const struct watching *watching, uint64_t passed_ns)
{
    struct tv_recorded_app *app = watching->app;
    struct tv_record_step step = {
        .phase = "recording", .passed_ns = passed_ns, .bytes = watching->len};
    if (!app->wish.is_streamed) {
        step.buffer_len =
            MIB * (app->wish.buffer_mib ? app->wish.buffer_mib : TV_PROFILE_BUFFER_MIB);
        if (!step.bytes && watching->rate.is_of_app)
            step.bytes = (uint64_t)((double)watching->rate.bytes_per_s * (double)passed_ns / 1e9);
    }
    tv_record_tell(&app->device.teller, app->cli, &step);
}

/* Asks the device for the length of the file and for the process, and notes on stderr when the
 * device goes and when it is back. The process has ended only where the device answered and its
 * list lacks the number. */
static void look(struct watching *watching)
{
    struct tv_recorded_app *app = watching->app;
    struct tv_adb_stat stat = {.is_there = false};
    struct tv_str name;
    char number[24];
    uint64_t pid;
    enum tv_code code =
        tv_adb_stat(&app->device.adb, &app->device.target, app->remote, &stat, NULL);
    if (code == TV_OK)
        code = tv_device_processes(&app->device, &app->answer, NULL);
    bool is_gone = code != TV_OK;
    if (is_gone != watching->is_gone) {
        tv_status_line_clear(&watching->line);
        tv_cli_note(app->cli, app->device.target.model,
                    is_gone ? "it does not answer: connect it again; it goes on recording"
                            : "it is back");
        watching->is_gone = is_gone;
    }
    if (is_gone)
        return;
    watching->len = stat.len;
    (void)snprintf(number, sizeof(number), "%" PRIu64, app->pid);
    app->has_ended =
        app->answer.len > 0 &&
        !tv_profile_find_process(tv_buffer_view(&app->answer), tv_str_from(number), &pid, &name);
}

/* Ends when the time is over, the app has ended, the user wants it, or the program that listened
 * has gone. The device is asked once a second, the line is drawn more often, so that its clock
 * runs. */
void tv_app_watch(struct tv_recorded_app *app)
{
    struct watching watching = {.app = app,
                                .line = {.cli = app->cli},
                                .rate = tv_record_rate_of(app->cli, app->device.target.serial,
                                                          app->package, app->wish.sampling_us > 0)};
    const uint64_t duration_ns = app->asked->duration_ns;
    for (;;) {
        uint64_t passed_ns = tv_passed_ns(app->begun_ns, tv_now_ns());
        if (app->has_ended || (duration_ns && passed_ns >= duration_ns))
            break;
        show(&watching, passed_ns);
        tell(&watching, passed_ns);
        if (app->device.teller.is_unheard)
            break;
        uint64_t left_ms = duration_ns ? (duration_ns - passed_ns) / 1000000 + 1 : TICK_MS;
        if (tv_stop_request_wait(&app->stop, left_ms < TICK_MS ? (unsigned)left_ms : TICK_MS) !=
            TV_STOP_NOT)
            break;
        if (tv_passed_ns(watching.looked_ns, tv_now_ns()) >= LOOK_NS) {
            look(&watching);
            watching.looked_ns = tv_now_ns();
        }
    }
    app->ended_ns = tv_now_ns();
    tv_status_line_clear(&watching.line);
    if (app->has_ended)
        tv_cli_note(app->cli, app->package, "it ended, and the recording with it");
}
