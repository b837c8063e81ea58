/* What to say before and after an app was recorded: buffers, distortion, and how to be allowed. */
#ifndef TV_CLI_DEVICE_RECORD_ADVICE_H
#define TV_CLI_DEVICE_RECORD_ADVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "adb/profile.h"
#include "base/text/json.h"
#include "cli/cli.h"
#include "cli/device/device.h"
#include "cli/wording.h"

/* The bytes that a recording of an app makes each second: as it was the last time on this device,
 * or where there was none, as busy apps do. */
struct tv_record_rate {
    uint64_t bytes_per_s;
    bool is_of_app;
};
struct tv_record_rate tv_record_rate_of(const struct tv_cli *cli, const char *serial,
                                        const char *package, bool is_sampled);
/* Writes the key "rates": of all calls and of samples of an app how many bytes a second they make,
 * whether the app has told, and the buffers, in MiB, that some durations need, in seconds. */
void tv_record_write_rates(struct tv_json *json, const struct tv_cli *cli, const char *serial,
                           struct tv_str package);
/* Writes the keys "android" and "abilities": the device's version, and which options of recordings
 * it has, or since which version others have them. */
void tv_record_write_abilities(struct tv_json *json, unsigned sdk);
/* Remembers what a recording took. What goes wrong is of no importance. */
void tv_record_rate_keep(const struct tv_cli *cli, const char *serial, const char *package,
                         bool is_sampled, uint64_t bytes_per_s);

/* Before: the buffer that the duration needs, where the recording has less. */
void tv_record_advise_buffer(const struct tv_cli *cli, const char *package,
                             const struct tv_profile_wish *wish, unsigned sdk,
                             const struct tv_record_rate *rate, uint64_t duration_ns);
/* After an overflow: the MiB of the buffer that would have had room; 0: it did not overflow, or
 * Android has none so large. *is_guess: the trace does not tell, and twice the buffer may do. */
unsigned tv_record_needed_buffer(const struct tv_profile_wish *wish, unsigned sdk,
                                 const struct tv_device_trace *trace, bool *is_guess);
/* After: `command`, which gives that buffer, and whether recording distorts. */
void tv_record_advise_after(const struct tv_cli *cli, const char *package,
                            const struct tv_profile_wish *wish, unsigned sdk,
                            const struct tv_device_trace *trace, const char *command);
/* "500 ms", with what stands between number and unit: a time that was given, and says it whole. */
void tv_record_add_duration(struct tv_text *text, uint64_t time_ns, const char *between);
/* How an app becomes one that can be recorded. */
void tv_record_advise_permission(const struct tv_cli *cli, const char *package, unsigned sdk);

#endif
