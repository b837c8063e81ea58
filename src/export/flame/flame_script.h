/*
 * The script that makes a flame graph's picture one to work with: zoom, search, keyboard, a link to
 * what is shown. web/tools/build.mjs makes it of web/src/picture, flame_script.S puts it into the
 * binary. Without it a picture has its tooltips, which are the browser's.
 */
#ifndef TV_EXPORT_FLAME_FLAME_SCRIPT_H
#define TV_EXPORT_FLAME_FLAME_SCRIPT_H

#include "base/str.h"

/* The text of the script; empty where the build had no node. */
struct tv_str tv_flame_script(void);

#endif
