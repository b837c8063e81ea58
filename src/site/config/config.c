/*
 * The site's configuration at its defaults; see site/config/config.h. The defaults stand in the
 * table of settings (site/config/setting_value.h), as texts that are read like any other value.
 */
#include "site/config/config.h"

#include "site/config/setting_value.h"

void tv_site_config_init(struct tv_site_config *config, const struct tv_alloc *alloc)
{
    *config =
        (struct tv_site_config){.upload_secret = "", .webhook_secret = "", .webhook_rules = ""};
    tv_arena_init(&config->texts, alloc);
    for (size_t i = 0; i < TV_SITE_SETTING_COUNT; i++)
        tv_setting_reset(config, &tv_site_settings[i]);
}

enum tv_code tv_site_config_keep(struct tv_site_config *config, struct tv_str text,
                                 const char **kept, struct tv_error *err)
{
    struct tv_str copy;
    TV_TRY(tv_arena_keep(&config->texts, text, &copy, err));
    *kept = copy.at;
    return TV_OK;
}

enum tv_count_rule tv_site_config_rule(const struct tv_site_config *config)
{
    return config->rows == TV_ROWS_LISTED ? TV_COUNT_LISTED : TV_COUNT_ASKED;
}

void tv_site_config_release(struct tv_site_config *config)
{
    tv_arena_release(&config->texts);
    config->upload_secret = config->webhook_secret = config->webhook_rules = "";
}
