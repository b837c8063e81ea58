/*
 * The page's settings, as one JSON object in a file; see server/settings.h.
 *
 * The file is read for each request, since another viewer may have changed it, and replaced in one
 * step. Its content is the page's affair: here it must only be one JSON object of bounded length.
 */
#include "server/settings.h"

#include "os/file/paths.h"
#include "server/guard.h"
#include "server/json_check.h"

void tv_settings_send(const struct tv_viewer *viewer, struct tv_http_response *response)
{
    enum tv_code code = TV_ERR_NOT_FOUND;
    struct tv_error err = {.code = TV_OK};
    if (viewer->settings_path)
        code = tv_file_read_small(viewer->settings_path, TV_LIMIT_BODY, &response->owned, &err);
    if (code == TV_OK && tv_json_is_object(tv_buffer_view(&response->owned))) {
        tv_http_send(response, 200, "application/json", "no-store");
        return;
    }
    /* A file that is missing, damaged or not readable means the page's defaults. What is wrong with
     * it is told when the page writes settings. */
    tv_http_say(response, 200, "application/json", "{}\n");
}

void tv_settings_keep(const struct tv_viewer *viewer, struct tv_str body,
                      struct tv_http_response *response)
{
    struct tv_error err = {.code = TV_OK};
    if (!tv_json_is_object(body))
        tv_http_refuse(response, 400, "settings must be a JSON object");
    else if (!viewer->settings_path)
        tv_http_refuse(response, 500, "no folder for settings: set HOME");
    else if (tv_file_replace(viewer->settings_path, body, &err) != TV_OK)
        tv_http_refuse(response, 500, err.text);
    else
        tv_settings_send(viewer, response);
}
