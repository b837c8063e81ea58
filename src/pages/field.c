/* Fields of the forms; see pages/field.h. */
#include "pages/field.h"

#include "pages/say.h"

#define DAY_S ((uint64_t)86400)

void tv_field_line(struct tv_frame *frame, const struct tv_field *field)
{
    struct tv_str name = tv_str_from(field->name);
    TV_MARKUP(&frame->out,
              "<p class=\"field\"><label for=\"{}\">{}</label><input id=\"{}\" name=\"{}\" ", name,
              tv_str_from(field->label), name, name);
    tv_frame_add(frame, field->more);
    TV_MARKUP(&frame->out, " value=\"{}\"></p>\n", field->value);
}

void tv_field_truth(struct tv_frame *frame, const char *name, const char *meaning, bool is_so)
{
    TV_MARKUP(&frame->out,
              "<p class=\"field\"><label for=\"{}\">{}</label><select id=\"{}\" name=\"{}\">"
              "<option value=\"0\">no</option><option value=\"1\"",
              tv_str_from(name), tv_str_from(meaning), tv_str_from(name), tv_str_from(name));
    tv_frame_add(frame,
                 is_so ? " selected>yes</option></select></p>\n" : ">yes</option></select></p>\n");
}

static struct tv_str label_of(const struct tv_told_trace *trace, const char *key)
{
    for (size_t i = 0; trace && i < trace->label_count; i++) {
        if (tv_str_equal(trace->labels[i].key, tv_str_from(key)))
            return trace->labels[i].value;
    }
    return TV_STR("");
}

void tv_field_about(struct tv_frame *frame, const struct tv_told_trace *trace)
{
    static const struct {
        const char *key, *name, *label, *more;
    } labels[] = {
        {"app", "label_app", "App", "maxlength=\"200\" placeholder=\"com.example.shop\""},
        {"build", "label_build", "Build", "maxlength=\"200\" placeholder=\"4711\""},
        {"device", "label_device", "Device", "maxlength=\"200\" placeholder=\"Pixel 8\""},
    };
    tv_field_line(frame, &(struct tv_field){"title", "Title",
                                            "maxlength=\"200\" placeholder=\"What is seen in it\"",
                                            trace ? trace->title : TV_STR("")});
    tv_frame_add(frame, "<p class=\"field\"><label for=\"note\">Note</label>"
                        "<textarea id=\"note\" name=\"note\" rows=\"2\" maxlength=\"4000\">");
    tv_markup_lines(&frame->out, trace ? trace->note : TV_STR(""));
    tv_frame_add(frame, "</textarea></p>\n<div class=\"fields\">\n");
    for (size_t i = 0; i < TV_COUNT_OF(labels); i++)
        tv_field_line(frame, &(struct tv_field){labels[i].name, labels[i].label, labels[i].more,
                                                label_of(trace, labels[i].key)});
    tv_frame_add(frame, "</div>\n");
}

void tv_field_life(struct tv_frame *frame, const struct tv_told_limits *limits, const char *first)
{
    static const unsigned days[] = {1, 7, 30, 90, 365};
    char words[TV_SAY_MOST];
    TV_MARKUP(&frame->out,
              "<p class=\"field\"><label for=\"expires\">Kept for</label>"
              "<select id=\"expires\" name=\"expires\"><option value=\"\">{}</option>",
              tv_str_from(first));
    for (size_t i = 0; i < TV_COUNT_OF(days); i++) {
        if (days[i] * DAY_S > limits->most_kept_s)
            break;
        tv_out_add(&frame->out, "<option value=\"%ud\">", days[i]);
        TV_MARKUP(&frame->out, "{}</option>", tv_say_duration(words, days[i] * DAY_S));
    }
    if (limits->most_kept_s == TV_TOLD_FOREVER)
        tv_frame_add(frame, "<option value=\"never\">until it is deleted</option>");
    tv_frame_add(frame, "</select></p>\n");
}
