/* Shows a page to the user in a browser. */
#ifndef TV_OS_PROCESS_BROWSER_H
#define TV_OS_PROCESS_BROWSER_H

#include "base/compiler.h"
#include "base/error.h"

enum tv_browser_style {
    TV_BROWSER_TAB, /* the user's browser */
    TV_BROWSER_APP, /* a window without address bar, where a Chromium is there; else a tab */
};

/* Starts a browser on `url` without waiting for it: $BROWSER, xdg-open, or one of the usual names.
 * TV_ERR_NOT_FOUND when there is no browser, or no screen to show it on. TV_OK means that a browser
 * was started, not that it works. */
enum tv_code tv_browser_open(const char *url, enum tv_browser_style style,
                             struct tv_error *err) TV_MUST_CHECK;

#endif
