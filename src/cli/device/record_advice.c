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
#include "cli/wording.h"
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

static bool may_stream(const struct tv_profile_wish *wish, unsigned sdk)
{
    return tv_profile_knows(sdk, TV_PROFILE_STREAMING) && !wish->sampling_us;
}

/* The largest unit that says the time whole, so that a duration of 5, which is milliseconds, is not
 * told as 0.0 s. */
void tv_record_add_duration(struct tv_text *text, uint64_t time_ns, const char *between)
{
    static const struct {
        uint64_t ns;
        const char *name;
    } units[] = {{TV_NS_PER_S, "s"}, {TV_NS_PER_MS, "ms"}, {TV_NS_PER_US, "us"}, {1, "ns"}};
    size_t unit = 0;
    while (time_ns % units[unit].ns)
        unit++;
    tv_text_add(text, "%llu%s%s", (unsigned long long)(time_ns / units[unit].ns), between,
                units[unit].name);
}

/* Advice before the recording, only where the buffer will be full too early; what is advised
 * depends on what the device's version can do. */
void tv_record_advise_buffer(const struct tv_cli *cli, const char *package,
                             const struct tv_profile_wish *wish, unsigned sdk,
                             const struct tv_record_rate *rate, uint64_t duration_ns)
{
    const unsigned has = wish->buffer_mib ? wish->buffer_mib : TV_PROFILE_BUFFER_MIB;
    const unsigned needed = tv_profile_buffer_for(rate->bytes_per_s, duration_ns);
    const char *sampling = wish->sampling_us ? "" : ", or give --sampling 1ms";
    struct tv_text text;
    if (wish->is_streamed || !duration_ns || (needed && needed <= has))
        return;
    tv_text_init(&text, cli->alloc);
    tv_text_add(&text, "at %.1f MB a second, %s, ", (double)rate->bytes_per_s / 1e6,
                rate->is_of_app ? "as it did the last time" : "as busy apps do");
    if (!tv_profile_knows(sdk, TV_PROFILE_BUFFER)) {
        tv_text_add(&text, "its 8 MiB are full after %.1f s: record less%s",
                    (double)(has * MIB) / (double)rate->bytes_per_s, sampling);
    } else {
        tv_record_add_duration(&text, duration_ns, " ");
        if (needed)
            tv_text_add(&text, " need a buffer of %u MiB, and it has %u: give --buffer %um%s",
                        needed, has, needed, may_stream(wish, sdk) ? ", or --streaming" : "");
        else
            tv_text_add(&text, " have no room in any buffer of Android: %s%s",
                        may_stream(wish, sdk) ? "give --streaming, or record less" : "record less",
                        sampling);
    }
    tv_cli_note(cli, package, "%.*s", (int)tv_text_view(&text).len, tv_text_view(&text).at);
    tv_text_release(&text);
}

/* The least power of two, in MiB, that has room for `bytes`. */
static unsigned mib_for(uint64_t bytes)
{
    return tv_profile_buffer_for(bytes, (uint64_t)TV_NS_PER_S * 4 / 5);
}

/* Where the trace does not say how much it needed, twice the buffer is proposed. */
unsigned tv_record_needed_buffer(const struct tv_profile_wish *wish, unsigned sdk,
                                 const struct tv_device_trace *trace, bool *is_guess)
{
    const unsigned had = wish->buffer_mib ? wish->buffer_mib : TV_PROFILE_BUFFER_MIB;
    const unsigned told = trace->buffer_len ? mib_for(trace->buffer_len) : had;
    *is_guess = told && told <= had;
    if (!trace->has_overflow || !tv_profile_knows(sdk, TV_PROFILE_BUFFER))
        return 0;
    const unsigned needed = *is_guess ? had * 2 : told;
    return needed <= TV_PROFILE_BUFFER_MOST_MIB ? needed : 0;
}

static void tell_overflow(const struct tv_cli *cli, const char *package,
                          const struct tv_profile_wish *wish, unsigned sdk)
{
    const char *sampling = wish->sampling_us ? "" : ", or give --sampling 1ms";
    if (!tv_profile_knows(sdk, TV_PROFILE_BUFFER))
        tv_cli_note(cli, package,
                    "the buffer was full, and this version has no larger one: record less%s",
                    sampling);
    else
        tv_cli_note(cli, package, "the buffer was full, and Android has no larger one: %s%s",
                    may_stream(wish, sdk) ? "give --streaming, or record less" : "record less",
                    sampling);
}

/* Advice after the recording, when it is known what was lost: how large the buffer should have
 * been, or that calls cost too much. */
void tv_record_advise_after(const struct tv_cli *cli, const char *package,
                            const struct tv_profile_wish *wish, unsigned sdk,
                            const struct tv_device_trace *trace, const char *command)
{
    bool is_guess;
    if (tv_record_needed_buffer(wish, sdk, trace, &is_guess))
        tv_cli_note(cli, package, "the buffer was full: `%s` %s", command,
                    is_guess ? "may have room" : "has room");
    else if (trace->has_overflow)
        tell_overflow(cli, package, wish, sdk);
    if (trace->own_share >= 0.5)
        tv_cli_note(cli, package,
                    "some %.0f %% of the time is recording itself, so short methods look longer "
                    "than they are: --sampling 1ms distorts less",
                    100.0 * trace->own_share);
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
