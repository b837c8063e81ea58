/* One setting: its row of the table, its value as text to the field of the config, and back. */
#ifndef TV_SITE_CONFIG_SETTING_VALUE_H
#define TV_SITE_CONFIG_SETTING_VALUE_H

#include "base/memory/buffer.h"
#include "site/config/settings.h"

struct tv_setting {
    const char *name;
    enum tv_setting_kind kind;
    size_t field; /* offset in struct tv_site_config */
    const char *initial;
    uint64_t least;
    uint64_t most;
    const char *argument;
};

extern const struct tv_setting tv_site_settings[TV_SITE_SETTING_COUNT];

/* Sets the field to its default. A text is the one in the table. */
void tv_setting_reset(struct tv_site_config *config, const struct tv_setting *setting);
/* Reads the text into the field. TV_ERR_ARGUMENT: it is no such value, and the error says what the
 * value must be. */
enum tv_code tv_setting_read(struct tv_site_config *config, const struct tv_setting *setting,
                             struct tv_str text, struct tv_error *err) TV_MUST_CHECK;
/* Appends the value as text that tv_setting_read takes. */
enum tv_code tv_setting_write(const struct tv_site_config *config, const struct tv_setting *setting,
                              struct tv_buffer *out, struct tv_error *err) TV_MUST_CHECK;

#endif
