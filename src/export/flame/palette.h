/*
 * Colours of the boxes of a flame graph, by the names of their frames alone: equal names have equal
 * colours, in every graph.
 *
 * The palettes have the names and the hues of flamegraph.pl's: a hue each, or by what the name says
 * of its language. `package` is none of its: frames of one Java package have one colour, of the ten
 * that the page has, which differ by light and dark.
 */
#ifndef TV_EXPORT_FLAME_PALETTE_H
#define TV_EXPORT_FLAME_PALETTE_H

#include <stdint.h>

#include "base/str.h"

enum tv_palette {
    TV_PALETTE_HOT,
    TV_PALETTE_MEM,
    TV_PALETTE_IO,
    TV_PALETTE_RED,
    TV_PALETTE_GREEN,
    TV_PALETTE_BLUE,
    TV_PALETTE_AQUA,
    TV_PALETTE_YELLOW,
    TV_PALETTE_PURPLE,
    TV_PALETTE_ORANGE,
    TV_PALETTE_JAVA,
    TV_PALETTE_JS,
    TV_PALETTE_PERL,
    TV_PALETTE_WAKEUP,
    TV_PALETTE_CHAIN,
    TV_PALETTE_PACKAGE,
};

/* Their names, in their order; ends with NULL. */
extern const char *const tv_palette_words[];

struct tv_rgb {
    uint8_t red, green, blue;
};

/* The colour of a name. Not for TV_PALETTE_PACKAGE. */
struct tv_rgb tv_palette_colour(enum tv_palette palette, struct tv_str name);

#define TV_PACKAGE_COLOURS 10u
/* Which of the colours of packages a name has. */
unsigned tv_package_colour(struct tv_str name);
/* The colours of packages, "#979dec". */
extern const char *const tv_package_colours_light[TV_PACKAGE_COLOURS];
extern const char *const tv_package_colours_dark[TV_PACKAGE_COLOURS];

/* The background, from top to bottom. */
struct tv_background {
    const char *top, *bottom;
};

struct tv_background tv_palette_background(enum tv_palette palette);

#endif
