/*
 * A flame graph as a picture; see export/flame/flame_svg.h.
 *
 * Sizes are measured first, because the height and the lines of notes stand in the head of the SVG.
 * Then each box is written with its tooltip and, where it has room, a label. Names come from a
 * trace, and are escaped as markup where they are written.
 */
#include "export/flame/flame_svg.h"

#include "base/text/markup.h"
#include "export/flame/flame_label.h"

/* Pixels. The page around the boxes, a row with the gap above it, and a line of text. */
#define PAD 10u
#define ROW 16u
#define GAP 1u
#define LINE 16u
#define HEAD 36u
#define FOOT 34u
/* Between the left edge of a box and its name. */
#define LABEL_PAD 3u
/* How wide a character is on average, tenths of a pixel: 0.59 of a font of 12 pixels. */
#define CHARACTER_TENTHS 71u

/* A picture being written. */
struct picture {
    const struct tv_flame_svg *svg;
    struct tv_out *out;
    uint64_t total;
    double scale;  /* tenths of pixels for one of the tree's value */
    uint32_t top;  /* where the boxes begin */
    uint32_t foot; /* the line below them, in which the script says what is pointed at */
    uint32_t height;
};

static bool has_left_out(const struct tv_flame_svg *svg)
{
    return svg->boxes->too_narrow || svg->boxes->over_the_limit;
}

/* What is gone has one colour, which a note explains. */
static bool has_legend(const struct tv_flame_svg *svg)
{
    return svg->diff && svg->diff->opts.view != TV_FLAME_DIFF_GONE;
}

/* Positions follow from the width, the levels and the notes, and are computed once, since they
 * stand in the head before the boxes. */
static void measure(struct picture *picture)
{
    const struct tv_flame_svg *svg = picture->svg;
    picture->total = svg->tree->frames[TV_STACK_ROOT].value;
    if (picture->total)
        picture->scale = tv_flame_box_width(svg->width) * 10 / (double)picture->total;
    picture->top = HEAD + (svg->subtitle.len ? LINE : 0);
    picture->foot = picture->top + svg->boxes->level_count * ROW + FOOT / 2;
    picture->height = picture->foot + FOOT / 2 +
                      ((uint32_t)svg->note_count + has_left_out(svg) + has_legend(svg)) * LINE;
}

/* The style of all pictures. Colours that no light or dark changes stand at the boxes. */
static const char style[] =
    "svg{color-scheme:light dark;background:#eee}"
    "text{font:12px Verdana,\"DejaVu Sans\",sans-serif}"
    "#title{font-size:17px;text-anchor:middle}"
    "#subtitle{text-anchor:middle;fill:#555}"
    ".note{fill:#555}"
    "#matched{text-anchor:end}"
    "#boxes text{pointer-events:none}"
    "#boxes g{outline:none}"
    "#boxes g:hover rect{stroke:#000;stroke-width:.5}"
    "#boxes .added{stroke:#7a3b00;stroke-dasharray:3 2}"
    "#boxes .lost{stroke:#0b3a75;stroke-dasharray:3 2}"
    "#legend rect{stroke:#888;stroke-width:.5}"
    "@media(prefers-color-scheme:dark){"
    "svg{background:#15171d}#top{stop-color:#20232b}#bottom{stop-color:#15171d}"
    "text{fill:#e8eaf0}#subtitle,.note{fill:#a9afbd}"
    "#boxes text{fill:#000}"
    "#boxes g:hover rect{stroke:#fff;stroke-width:1}"
    "}";

static void write_package_colours(struct tv_out *out, const char *const *colours)
{
    for (unsigned i = 0; i < TV_PACKAGE_COLOURS; i++)
        tv_out_add(out, ".p%u{fill:%s}", i, colours[i]);
}

/* Colours of packages are classes with a light and a dark set, since they follow the scheme of
 * whoever looks. */
static void write_style(struct picture *picture)
{
    struct tv_out *out = picture->out;
    tv_out_add(out, "<style>");
    tv_out_text(out, tv_str_from(style));
    if (picture->svg->palette == TV_PALETTE_PACKAGE) {
        write_package_colours(out, tv_package_colours_light);
        tv_out_add(out, "@media(prefers-color-scheme:dark){");
        write_package_colours(out, tv_package_colours_dark);
        tv_out_add(out, "}");
    }
    tv_out_add(out, "</style>\n");
}

static void write_background(struct picture *picture)
{
    /* Changes are coloured, so nothing behind them is. */
    static const struct tv_background of_changes = {"#ffffff", "#f3f4f7"};
    struct tv_background colours =
        picture->svg->diff ? of_changes : tv_palette_background(picture->svg->palette);
    tv_out_add(picture->out,
               "<linearGradient id=\"background\" x2=\"0\" y2=\"1\">"
               "<stop id=\"top\" offset=\"5%%\" stop-color=\"%s\"/>"
               "<stop id=\"bottom\" offset=\"95%%\" stop-color=\"%s\"/></linearGradient>\n"
               "<rect width=\"100%%\" height=\"100%%\" fill=\"url(#background)\"/>\n",
               colours.top, colours.bottom);
}

/* A line of text, with an id or a class. */
static void write_line(struct picture *picture, const char *attributes, uint32_t x, uint32_t y,
                       struct tv_str text)
{
    tv_out_add(picture->out, "<text %s x=\"%u\" y=\"%u\">", attributes, x, y);
    tv_markup_name(picture->out, text);
    tv_out_add(picture->out, "</text>\n");
}

/* Writes the head of a picture inside a page. */
static void write_head_in_page(struct picture *picture)
{
    const struct tv_flame_svg *svg = picture->svg;
    tv_out_add(picture->out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
               "viewBox=\"0 0 %u %u\" font-family=\"Verdana, DejaVu Sans, sans-serif\" "
               "font-size=\"12\" fill=\"#000\">\n",
               svg->width, picture->height, svg->width, picture->height);
    write_background(picture);
    write_line(picture, "font-size=\"17\"", PAD, 24, svg->title);
    if (svg->subtitle.len)
        write_line(picture, "fill=\"#555\"", PAD, 24 + LINE, svg->subtitle);
}

/* The data-... attributes are for the script of the picture. */
static void write_head(struct picture *picture)
{
    const struct tv_flame_svg *svg = picture->svg;
    struct tv_out *out = picture->out;
    tv_out_add(out,
               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
               "viewBox=\"0 0 %u %u\" data-total=\"%llu\" data-roots=\"%s\" "
               "data-fit=\"%s\" data-foot=\"%u\">\n<title>",
               svg->width, picture->height, svg->width, picture->height,
               (unsigned long long)picture->total,
               svg->roots == TV_FLAME_ROOTS_ABOVE ? "above" : "below",
               svg->fit == TV_FLAME_FIT_WINDOW ? "window" : "fixed", picture->foot);
    tv_markup_name(out, svg->title);
    tv_out_add(out, "</title>\n");
    write_style(picture);
    write_background(picture);
    write_line(picture, "id=\"title\"", svg->width / 2, 24, svg->title);
    if (svg->subtitle.len)
        write_line(picture, "id=\"subtitle\"", svg->width / 2, 24 + LINE, svg->subtitle);
}

/* 12.345, without zeros at the end. */
static void write_value(struct picture *picture, uint64_t value)
{
    const struct tv_flame_svg *svg = picture->svg;
    struct tv_out *out = picture->out;
    uint64_t rest = value % svg->unit_of;
    tv_out_count(out, value / svg->unit_of);
    if (rest)
        tv_out_add(out, ".");
    for (uint64_t place = svg->unit_of / 10; rest && place; place /= 10) {
        tv_out_add(out, "%u", (unsigned)(rest / place));
        rest %= place;
    }
    tv_out_add(out, " ");
    tv_markup_text(out, svg->unit);
}

/* 12.34%, or <0.01%: hundredths are enough, and whole numbers have no locale. */
static void write_share(struct picture *picture, uint64_t value)
{
    double share = picture->total ? (double)value / (double)picture->total : 0;
    unsigned hundredths = (unsigned)(share * 10000 + 0.5);
    if (value == picture->total)
        tv_out_add(picture->out, "100%%");
    else if (value && !hundredths)
        tv_out_add(picture->out, "&lt;0.01%%");
    else
        tv_out_add(picture->out, "%u.%02u%%", hundredths / 100, hundredths % 100);
}

/* +1.2 ms, or a share: +0.34%. */
static void write_change(struct picture *picture, const struct tv_flame_diff_frame *frame)
{
    const struct tv_flame_diff *diff = picture->svg->diff;
    bool is_more = frame->new_value >= frame->old_value;
    if (!diff->opts.is_by_share) {
        tv_out_text(picture->out, is_more ? TV_STR("+") : TV_STR("-"));
        write_value(picture, is_more ? frame->new_value - frame->old_value
                                     : frame->old_value - frame->new_value);
        return;
    }
    double share = diff->new_total ? (double)frame->new_value / (double)diff->new_total : 0;
    share -= diff->old_total ? (double)frame->old_value / (double)diff->old_total : 0;
    unsigned hundredths = (unsigned)((share < 0 ? -share : share) * 10000 + 0.5);
    tv_out_add(picture->out, "%s%u.%02u%%", share < 0 ? "-" : "+", hundredths / 100,
               hundredths % 100);
}

static void write_calls(struct picture *picture, uint64_t calls)
{
    if (!calls)
        return;
    tv_out_add(picture->out, ", ");
    tv_out_count(picture->out, calls);
    tv_out_add(picture->out, picture->svg->is_sampled ? " run" : " call");
    tv_out_add(picture->out, calls == 1 ? "" : "s");
}

/* What the other side has of a frame: `; old 1.2 ms, 3 calls; +0.4 ms`. */
static void write_other(struct picture *picture, uint32_t frame)
{
    const struct tv_flame_diff *diff = picture->svg->diff;
    const struct tv_flame_diff_frame of = tv_flame_diff_sides(diff, frame);
    bool is_new_drawn = diff->opts.view == TV_FLAME_DIFF_NEW;
    struct tv_out *out = picture->out;
    if (diff->opts.view == TV_FLAME_DIFF_GONE) {
        tv_out_text(out,
                    of.is_new ? TV_STR("; of calls from here that are gone") : TV_STR("; gone"));
        return;
    }
    if (is_new_drawn ? !of.is_old : !of.is_new) {
        tv_out_text(out, is_new_drawn ? TV_STR("; added: ") : TV_STR("; gone: "));
    } else {
        tv_out_text(out, is_new_drawn ? TV_STR("; old ") : TV_STR("; new "));
        write_value(picture, is_new_drawn ? of.old_value : of.new_value);
        write_calls(picture, is_new_drawn ? of.old_calls : of.new_calls);
        tv_out_text(out, TV_STR("; "));
    }
    write_change(picture, &of);
}

/* A title inside the group is what browsers show as a tooltip, even where scripts are off. */
static void write_tooltip(struct picture *picture, uint32_t place, struct tv_str name)
{
    const struct tv_stack_frame *frame = &picture->svg->tree->frames[place];
    struct tv_out *out = picture->out;
    tv_out_add(out, "<title>");
    tv_markup_name(out, name);
    tv_out_add(out, " (");
    write_value(picture, frame->value);
    tv_out_add(out, ", ");
    write_share(picture, frame->value);
    write_calls(picture, frame->calls);
    if (picture->svg->diff)
        write_other(picture, place);
    tv_out_add(out, ")</title>");
}

/* Colours of packages are classes of the style, so that they can follow a dark background; others
 * stand at the box. */
static void write_fill(struct picture *picture, uint32_t frame, struct tv_str name)
{
    enum tv_palette palette = picture->svg->palette;
    const struct tv_flame_diff *diff = picture->svg->diff;
    if (diff) {
        struct tv_rgb of = tv_flame_diff_colour(tv_flame_diff_change(diff, frame));
        tv_out_add(picture->out, " fill=\"#%02x%02x%02x\"", of.red, of.green, of.blue);
        const struct tv_flame_diff_frame sides = tv_flame_diff_sides(diff, frame);
        if (!sides.is_old || !sides.is_new)
            tv_out_add(picture->out, " class=\"%s\"", sides.is_new ? "added" : "lost");
        return;
    }
    if (palette == TV_PALETTE_PACKAGE) {
        tv_out_add(picture->out, " class=\"p%u\"", tv_package_colour(name));
        return;
    }
    struct tv_rgb colour = tv_palette_colour(palette, name);
    tv_out_add(picture->out, " fill=\"#%02x%02x%02x\"", colour.red, colour.green, colour.blue);
}

/* Positions are in tenths of a pixel. A label that does not fit is cut (flame_label.h), or left
 * out. */
static void write_label(struct picture *picture, uint64_t x, uint64_t width, uint32_t y,
                        struct tv_str name)
{
    struct tv_out *out = picture->out;
    size_t room =
        width > LABEL_PAD * 20u ? (size_t)(width - LABEL_PAD * 20u) / CHARACTER_TENTHS : 0;
    struct tv_flame_label label = tv_flame_label_fit(name, room);
    if (!label.text.len)
        return;
    x += LABEL_PAD * 10u;
    tv_out_add(out, "<text x=\"%llu.%llu\" y=\"%u.5\">", (unsigned long long)x / 10,
               (unsigned long long)x % 10, y + 10);
    tv_markup_text(out, label.text);
    tv_out_add(out, label.is_cut ? "..</text>" : "</text>");
}

static uint64_t tenths(const struct picture *picture, uint64_t value)
{
    return (uint64_t)((double)value * picture->scale + PAD * 10 + 0.5);
}

/* The script lays boxes out anew from the numbers in `data-at`: level, left edge, value. */
static void write_box(struct picture *picture, const struct tv_flame_picture_box *box)
{
    const struct tv_flame_svg *svg = picture->svg;
    const struct tv_stack_frame *frame = &svg->tree->frames[box->frame];
    struct tv_out *out = picture->out;
    struct tv_str name = tv_stack_tree_name_of(svg->tree, box->frame);
    uint32_t row =
        svg->roots == TV_FLAME_ROOTS_ABOVE ? box->level : svg->boxes->level_count - 1 - box->level;
    uint32_t y = picture->top + row * ROW + GAP;
    uint64_t x = tenths(picture, frame->start);
    uint64_t width = tenths(picture, frame->start + frame->value) - x;
    tv_out_add(out, "<g data-at=\"%u %llu %llu\">", box->level, (unsigned long long)frame->start,
               (unsigned long long)frame->value);
    write_tooltip(picture, box->frame, name);
    tv_out_add(out, "<rect x=\"%llu.%llu\" y=\"%u\" width=\"%llu.%llu\" height=\"%u\" rx=\"2\"",
               (unsigned long long)x / 10, (unsigned long long)x % 10, y,
               (unsigned long long)width / 10, (unsigned long long)width % 10, ROW - GAP);
    write_fill(picture, box->frame, name);
    tv_out_add(out, "/>");
    write_label(picture, x, width, y, name);
    tv_out_add(out, "</g>\n");
}

/* What is left out, in words: how many boxes for which reason, and how much was spent in them,
 * which is a part of the boxes below them. */
static void write_left_out(struct picture *picture, uint32_t y)
{
    const struct tv_flame_svg *svg = picture->svg;
    const struct tv_flame_boxes *boxes = svg->boxes;
    struct tv_out *out = picture->out;
    tv_out_add(out, "<text class=\"note\" x=\"%u\" y=\"%u\">Not drawn: ", PAD, y);
    if (boxes->too_narrow) {
        tv_out_count(out, boxes->too_narrow);
        tv_out_add(out, boxes->too_narrow == 1 ? " box" : " boxes");
        tv_out_add(out, " narrower than ");
        tv_markup_text(out, svg->min_width);
    }
    if (boxes->over_the_limit) {
        tv_out_add(out, boxes->too_narrow ? ", and " : "");
        tv_out_count(out, boxes->over_the_limit);
        tv_out_add(out, " more than the ");
        tv_out_count(out, boxes->count);
        tv_out_add(out, " widest");
    }
    tv_out_add(out, "; ");
    write_share(picture, boxes->left_out);
    tv_out_add(out, " of all was spent in them.</text>\n");
}

/* Swatches of the legend on either side of "no change", and the width of one. */
#define SWATCHES 4
#define SWATCH 18u

/* The most that a frame changed, which has the strongest colour. */
static void write_most(struct picture *picture, const char *sign)
{
    const struct tv_flame_diff *diff = picture->svg->diff;
    struct tv_out *out = picture->out;
    tv_out_text(out, tv_str_from(sign));
    if (!diff->opts.is_by_share) {
        write_value(picture, diff->most_ns);
        return;
    }
    unsigned hundredths = (unsigned)(diff->most * 10000 + 0.5);
    tv_out_add(out, "%u.%02u%% of all", hundredths / 100, hundredths % 100);
}

/* Colours from the most less to the most more, between their numbers. The texts are no notes, which
 * the script would cut to the width. */
static void write_legend(struct picture *picture, uint32_t y)
{
    struct tv_out *out = picture->out;
    const uint32_t left = PAD + 190;
    tv_out_add(out, "<g id=\"legend\"><text x=\"%u\" y=\"%u\" text-anchor=\"end\">less: ", left - 6,
               y);
    write_most(picture, "-");
    tv_out_add(out, "</text>");
    for (int i = -SWATCHES; i <= SWATCHES; i++) {
        struct tv_rgb colour = tv_flame_diff_colour((double)i / SWATCHES);
        tv_out_add(out,
                   "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"12\" "
                   "fill=\"#%02x%02x%02x\"/>",
                   left + (uint32_t)(i + SWATCHES) * SWATCH, y - 10, SWATCH, colour.red,
                   colour.green, colour.blue);
    }
    tv_out_add(out, "<text x=\"%u\" y=\"%u\">more: ", left + (2 * SWATCHES + 1) * SWATCH + 6, y);
    write_most(picture, "+");
    tv_out_add(out, "</text></g>\n");
}

/* What was left out is said first, below the boxes that it is missing from. */
static void write_foot(struct picture *picture)
{
    const struct tv_flame_svg *svg = picture->svg;
    uint32_t y = picture->foot + LINE;
    if (has_left_out(svg)) {
        write_left_out(picture, y);
        y += LINE;
    }
    for (size_t i = 0; i < svg->note_count; i++, y += LINE)
        write_line(picture, "class=\"note\"", PAD, y, svg->notes[i]);
    if (has_legend(svg))
        write_legend(picture, y);
}

/* The order of the parts is that of drawing: boxes lie on the background, and what the script adds
 * lies on the boxes. */
void tv_flame_svg_write(const struct tv_flame_svg *svg, struct tv_out *out)
{
    struct picture picture = {.svg = svg, .out = out};
    measure(&picture);
    if (svg->is_part_of_page)
        write_head_in_page(&picture);
    else
        write_head(&picture);
    tv_out_text(out, TV_STR("<g id=\"boxes\">\n"));
    for (size_t i = 0; i < svg->boxes->count; i++)
        write_box(&picture, &svg->boxes->of[i]);
    tv_out_text(out, TV_STR("</g>\n"));
    write_foot(&picture);
    if (svg->script.len) {
        tv_out_text(out, TV_STR("<script><![CDATA[\n"));
        tv_out_text(out, svg->script);
        tv_out_text(out, TV_STR("]]></script>\n"));
    }
    tv_out_text(out, TV_STR("</svg>\n"));
}
