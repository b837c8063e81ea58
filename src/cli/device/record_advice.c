/*
 * Advice around the recording of an app: the size of the buffer before, what was full or distorted
 * after; see cli/device/record_advice.h. A buffer's need is a rate times the duration. The rate is
 * that of the app's last recording, else that of busy apps.
 *
 * Rates are kept in a file of the user's state: a line for each device, package and kind of
 * recording, the newest first, RATES_KEPT lines at most. The file is replaced whole and not locked:
 * of two recordings that end together one rate is lost, and only advice suffers.
 */
#include "cli/device/record_advice.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory/buffer.h"
#include "base/units.h"
#include "os/file/paths.h"

/* Traces of busy apps, by their length and the time that they tell of: every call takes up to
 * 4.7 MB a second (three of ART: 0.02, 3.5, 4.7), samples up to 0.11 MB (four: 0.006, 0.03, 0.05,
 * 0.11). docs/devices.md names them. */
#define CALLS_BYTES_PER_S UINT64_C(4700000)
#define SAMPLES_BYTES_PER_S UINT64_C(110000)
#define MIB ((uint64_t)1 << 20)

#define RATES_FILE "device-rates"
#define RATES_MOST ((size_t)64 << 10)
#define RATES_KEPT 100u

/* What a line of the file begins with. */
static int key_of(char key[TV_PATH_CAP], const char *serial, const char *package, bool is_sampled)
{
    int len =
        snprintf(key, TV_PATH_CAP, "%s %s %s ", serial, package, is_sampled ? "samples" : "calls");
    return len > 0 && len < TV_PATH_CAP ? len : 0;
}

static enum tv_code read_rates(char path[TV_PATH_CAP], struct tv_buffer *text)
{
    TV_TRY(tv_path_state(path, RATES_FILE, NULL));
    return tv_file_read_small(path, RATES_MOST, text, NULL);
}

/* Rates of earlier recordings stand in a file of the user, one line for each device, app and way of
 * recording; without one, the rate of a busy app is assumed. */
struct tv_record_rate tv_record_rate_of(const struct tv_cli *cli, const char *serial,
                                        const char *package, bool is_sampled)
{
    struct tv_record_rate rate = {.bytes_per_s =
                                      is_sampled ? SAMPLES_BYTES_PER_S : CALLS_BYTES_PER_S};
    char path[TV_PATH_CAP], key[TV_PATH_CAP];
    struct tv_buffer text;
    struct tv_str line;
    size_t key_len = (size_t)key_of(key, serial, package, is_sampled);
    tv_buffer_init(&text, cli->alloc);
    if (key_len && read_rates(path, &text) == TV_OK) {
        struct tv_str rest = tv_buffer_view(&text);
        while (!rate.is_of_app && tv_str_split(&rest, '\n', &line)) {
            uint64_t value;
            if (tv_str_starts_with(line, (struct tv_str){key, key_len}) &&
                tv_str_to_u64((struct tv_str){line.at + key_len, line.len - key_len}, 10, &value))
                rate = (struct tv_record_rate){.bytes_per_s = value, .is_of_app = true};
        }
    }
    tv_buffer_release(&text);
    return rate;
}

/* The page shows which buffer a duration needs before anything is recorded, so all durations that
 * it offers are computed here. */
void tv_record_write_rates(struct tv_json *json, const struct tv_cli *cli, const char *serial,
                           struct tv_str package)
{
    static const unsigned durations_s[] = {1, 5, 10, 30,
                                           60}; /* what the page offers, and between */
    char name[TV_PATH_CAP];
    (void)snprintf(name, sizeof(name), "%.*s", (int)(package.len < 256 ? package.len : 256),
                   package.at);
    tv_json_key(json, "rates");
    tv_json_open_array(json);
    for (int is_sampled = 0; is_sampled < 2; is_sampled++) {
        const struct tv_record_rate rate = tv_record_rate_of(cli, serial, name, is_sampled);
        tv_json_open_object(json);
        tv_json_key_truth(json, "sampled", is_sampled);
        tv_json_key_u64(json, "bytes_per_s", rate.bytes_per_s);
        tv_json_key_truth(json, "of_app", rate.is_of_app);
        tv_json_key(json, "buffers");
        tv_json_open_array(json);
        for (size_t i = 0; i < TV_COUNT_OF(durations_s); i++) {
            tv_json_open_array(json);
            tv_json_u64(json, durations_s[i]);
            tv_json_u64(json, tv_profile_buffer_for(rate.bytes_per_s,
                                                    durations_s[i] * (uint64_t)TV_NS_PER_S));
            tv_json_close_array(json);
        }
        tv_json_close_array(json);
        tv_json_close_object(json);
    }
    tv_json_close_array(json);
}

/* The page greys out what the device's version does not know and says since when it exists, so it
 * gets both. */
void tv_record_write_abilities(struct tv_json *json, unsigned sdk)
{
    char version[TV_PROFILE_VERSION_CAP];
    tv_profile_version(sdk, version);
    tv_json_key_text(json, "android", version);
    tv_json_key(json, "abilities");
    tv_json_open_array(json);
    for (unsigned i = 0; i < TV_PROFILE_ABILITY_COUNT; i++) {
        tv_profile_version(tv_profile_abilities[i].sdk, version);
        tv_json_open_object(json);
        tv_json_key_text(json, "name", tv_profile_abilities[i].name);
        tv_json_key_text(json, "since", version);
        tv_json_key_truth(json, "has", tv_profile_knows(sdk, i));
        tv_json_close_object(json);
    }
    tv_json_close_array(json);
}

/* Puts the rate first in the file, in place of the older one with the same key. Failures are passed
 * over: the rate is only missed by advice. */
void tv_record_rate_keep(const struct tv_cli *cli, const char *serial, const char *package,
                         bool is_sampled, uint64_t bytes_per_s)
{
    char path[TV_PATH_CAP], key[TV_PATH_CAP], number[32];
    struct tv_buffer old, text;
    struct tv_str line;
    size_t key_len = (size_t)key_of(key, serial, package, is_sampled);
    unsigned count = 1;
    tv_buffer_init(&old, cli->alloc);
    tv_buffer_init(&text, cli->alloc);
    enum tv_code code = key_len ? tv_path_state(path, RATES_FILE, NULL) : TV_ERR_LIMIT;
    if (code == TV_OK && tv_file_read_small(path, RATES_MOST, &old, NULL) != TV_OK)
        old.len = 0; /* there is none yet, or it is not ours: it begins anew */
    int len = snprintf(number, sizeof(number), "%" PRIu64 "\n", bytes_per_s);
    if (code == TV_OK)
        code = tv_buffer_append(&text, key, key_len, NULL);
    if (code == TV_OK)
        code = tv_buffer_append(&text, number, (size_t)len, NULL);
    struct tv_str rest = tv_buffer_view(&old);
    while (code == TV_OK && count < RATES_KEPT && tv_str_split(&rest, '\n', &line)) {
        if (!line.len || tv_str_starts_with(line, (struct tv_str){key, key_len}))
            continue;
        code = tv_buffer_append(&text, line.at, line.len, NULL);
        if (code == TV_OK)
            code = tv_buffer_append(&text, "\n", 1, NULL);
        count++;
    }
    if (code == TV_OK)
        code = tv_file_replace(path, tv_buffer_view(&text), NULL);
    (void)code;
    tv_buffer_release(&text);
    tv_buffer_release(&old);
}

/* Advice before the recording, only where the buffer will be full too early; what is advised
 * depends on what the device's version can do. */
void tv_record_advise_buffer(const struct tv_cli *cli, const char *package,
                             const struct tv_profile_wish *wish, unsigned sdk,
                             const struct tv_record_rate *rate, uint64_t duration_ns)
{
    const unsigned has = wish->buffer_mib ? wish->buffer_mib : TV_PROFILE_BUFFER_MIB;
    const unsigned needed = tv_profile_buffer_for(rate->bytes_per_s, duration_ns);
    const char *as = rate->is_of_app ? "as it did the last time" : "as busy apps do";
    if (wish->is_streamed || !duration_ns || needed <= has)
        return;
    if (!tv_profile_knows(sdk, TV_PROFILE_BUFFER))
        tv_cli_note(
            cli, package, "at %.1f MB a second, %s, its 8 MiB are full after %.1f s: record less%s",
            (double)rate->bytes_per_s / 1e6, as, (double)(has * MIB) / (double)rate->bytes_per_s,
            wish->sampling_us ? "" : ", or give --sampling 1ms");
    else
        tv_cli_note(cli, package,
                    "at %.1f MB a second, %s, %.0f s need a buffer of %u MiB, and it has %u: give "
                    "--buffer %um%s",
                    (double)rate->bytes_per_s / 1e6, as, (double)duration_ns / TV_NS_PER_S, needed,
                    has, needed,
                    !tv_profile_knows(sdk, TV_PROFILE_STREAMING) || wish->sampling_us
                        ? ""
                        : ", or --streaming");
}

/* The least power of two, in MiB, that has room for so many bytes. */
static unsigned mib_for(uint64_t bytes)
{
    return tv_profile_buffer_for(bytes, (uint64_t)TV_NS_PER_S * 4 / 5);
}

/* Says what would have had room, and returns it in MiB; 0: this Android has no larger buffer. Where
 * the trace does not say how much it needed, twice the buffer is proposed. */
static unsigned advise_room(const struct tv_cli *cli, const char *package,
                            const struct tv_profile_wish *wish, unsigned sdk,
                            const struct tv_device_trace *trace)
{
    char sampling[48] = "";
    const unsigned had = wish->buffer_mib ? wish->buffer_mib : TV_PROFILE_BUFFER_MIB;
    unsigned needed = trace->buffer_len ? mib_for(trace->buffer_len) : had * 2;
    if (!tv_profile_knows(sdk, TV_PROFILE_BUFFER)) {
        tv_cli_note(cli, package,
                    "the buffer was full, and this version has no larger one: record less%s",
                    wish->sampling_us ? "" : ", or give --sampling 1ms");
        return 0;
    }
    if (wish->sampling_us)
        (void)snprintf(sampling, sizeof(sampling), " --sampling %lluus",
                       (unsigned long long)wish->sampling_us);
    needed = needed > had ? needed : had * 2;
    tv_cli_note(cli, package, "the buffer was full: `traceview record%s --buffer %um %s` has room",
                sampling, needed, package);
    return needed;
}

/* Advice after the recording, when it is known what was lost: how large the buffer should have
 * been, or that calls cost too much. */
unsigned tv_record_advise_after(const struct tv_cli *cli, const char *package,
                                const struct tv_profile_wish *wish, unsigned sdk,
                                const struct tv_device_trace *trace)
{
    const unsigned needed = trace->has_overflow ? advise_room(cli, package, wish, sdk, trace) : 0;
    if (trace->own_share >= 0.5)
        tv_cli_note(cli, package,
                    "some %.0f %% of the time is recording itself, so short methods look longer "
                    "than they are: --sampling 1ms distorts less",
                    100.0 * trace->own_share);
    return needed;
}

/* Newer versions of Android let an app be profiled without being debuggable. */
void tv_record_advise_permission(const struct tv_cli *cli, const char *package, unsigned sdk)
{
    tv_cli_note(cli, package,
                tv_profile_knows(sdk, TV_PROFILE_PROFILEABLE)
                    ? "install a debug build, or put <profileable android:shell=\"true\"/> into "
                      "<application> of its AndroidManifest.xml, which slows nothing down"
                    : "install a debug build: <application android:debuggable=\"true\"> in its "
                      "AndroidManifest.xml, which debug builds have");
}
