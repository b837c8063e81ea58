"""Draws growth as SVG, with nothing but strings: logarithmic on both axes, light or dark as the reader's screen is.

A figure has two panels side by side, time and memory of the full index against one property of the trace.
"""

import math

import fit

WIDTH, HEIGHT = 880, 340
PANEL = {"top": 64, "bottom": 284, "width": 330}
LEFTS = (70, 510)

STYLE = """
text { font: 12px -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; fill: #57606a }
.back { fill: #ffffff } .title { font-size: 15px; font-weight: 600; fill: #1f2328 } .label { fill: #1f2328 }
.grid { stroke: #d8dee4; stroke-width: 1 } .frame { stroke: #afb8c1; stroke-width: 1 }
.first { stroke: #0b62c4; fill: none; stroke-width: 2.25 } .first-dot { fill: #0b62c4 } .first-text { fill: #0b62c4; font-weight: 600 }
.second { stroke: #8a4b08; fill: none; stroke-width: 1.5; stroke-dasharray: 5 4 } .second-text { fill: #8a4b08 }
.linear { stroke: #6e7781; stroke-width: 1; stroke-dasharray: 1 4; stroke-linecap: round }
@media (prefers-color-scheme: dark) {
text { fill: #9198a1 }
.back { fill: #0d1117 } .title, .label { fill: #e6edf3 }
.grid { stroke: #262c36 } .frame { stroke: #59636e }
.first { stroke: #58a6ff } .first-dot, .first-text { fill: #58a6ff }
.second { stroke: #e0a458 } .second-text { fill: #e0a458 }
.linear { stroke: #8b949e }
}
"""


class Scale:
    """Values to places along one axis, from a power of ten at or below the least to one at or above the most."""

    def __init__(self, values, at_least, at_most):
        self.low = math.floor(math.log10(min(values)) + 1e-9)
        self.high = max(math.ceil(math.log10(max(values)) - 1e-9), self.low + 1)
        self.places = (at_least, at_most)

    def place(self, value):
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return self.places[0] + share * (self.places[1] - self.places[0])

    def decades(self):
        return [10.0 ** power for power in range(self.low, self.high + 1)]


def tag(name, text=None, **attributes):
    words = "".join(' %s="%s"' % (key.rstrip("_").replace("_", "-"), value if isinstance(value, str) else "%g" % round(value, 1))
                    for key, value in attributes.items())
    return "<%s%s/>" % (name, words) if text is None else "<%s%s>%s</%s>" % (name, words, text, name)


def short_count(value):
    for unit, name in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= unit:
            return "%g%s" % (value / unit, name)
    return "%g" % value


def short_seconds(value):
    return "%g s" % float("%.3g" % value) if value >= 1 else "%g ms" % float("%.3g" % (value * 1e3))


def short_bytes(value):
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if value >= unit:
            return "%g %s" % (float("%.3g" % (value / unit)), name)
    return "%g B" % value


def path_of(points, across, up):
    return "M" + " L".join("%.1f %.1f" % (across.place(x), up.place(y)) for x, y in points)


def linear_guide(points, across, up):
    """A line of slope 1 through the last point, cut where it leaves the panel."""
    x, y = points[-1]
    lowest = 10.0 ** up.low
    least = 10.0 ** across.low
    from_x = max(least, x * lowest / y)
    return tag("line", class_="linear", x1=across.place(from_x), y1=up.place(y * from_x / x),
               x2=across.place(x), y2=up.place(y))


def end_label(points, across, up, text):
    """The last value, left of its point and above, where a rising line leaves room."""
    x, y = points[-1]
    return tag("text", text, class_="first-text", x=across.place(x), y=up.place(y) - 10, text_anchor="end")


def legend(right, at, first, second):
    """Names with a piece of their lines, from the right end leftwards; a letter is taken to be 6.3 wide."""
    parts = []
    for name, class_ in ((second, "second"), (first, "first")):
        begin = right - 6.3 * len(name)
        parts.append(tag("text", name, class_=class_ + "-text", x=begin, y=at))
        parts.append(tag("path", class_=class_, d="M%.1f %.1f h22" % (begin - 28, at - 4)))
        right = begin - 44
    return "\n".join(parts)


def panel(left, title, axis_name, first, second, show):
    """First and second are (name, points); the first is what the panel is about."""
    right = left + PANEL["width"]
    everything = first[1] + second[1]
    across = Scale([max(1, x) for x, _ in everything], left, right)
    # Room above for the label of the highest point.
    up = Scale([y for _, y in everything] + [1.3 * max(y for _, y in everything)], PANEL["bottom"], PANEL["top"])
    parts = [tag("text", title, class_="label", x=left, y=PANEL["top"] - 10),
             legend(right, PANEL["top"] - 10, first[0], second[0])]
    for value in up.decades():
        at = up.place(value)
        parts.append(tag("line", class_="grid", x1=left, y1=at, x2=right, y2=at))
        parts.append(tag("text", show(value), x=left - 8, y=at + 4, text_anchor="end"))
    for value in across.decades():
        at = across.place(value)
        parts.append(tag("line", class_="grid", x1=at, y1=PANEL["top"], x2=at, y2=PANEL["bottom"]))
        parts.append(tag("text", short_count(value), x=at, y=PANEL["bottom"] + 18, text_anchor="middle"))
    parts.append(tag("line", class_="frame", x1=left, y1=PANEL["bottom"], x2=right, y2=PANEL["bottom"]))
    parts.append(tag("text", axis_name, class_="label", x=(left + right) / 2, y=PANEL["bottom"] + 38, text_anchor="middle"))
    parts.append(linear_guide(first[1], across, up))
    parts.append(tag("path", class_="second", d=path_of(second[1], across, up)))
    parts.append(tag("path", class_="first", d=path_of(first[1], across, up)))
    for x, y in first[1]:
        parts.append(tag("circle", tag("title", "%s: %s" % (format(x, ","), show(y))), class_="first-dot",
                         cx=across.place(x), cy=up.place(y), r=3.2))
    parts.append(end_label(first[1], across, up, show(first[1][-1][1])))
    return "\n".join(parts)


def figure(name, axis):
    series = {key: fit.series(axis, key) for key in ("user_s", "wall_s", "peak_bytes", "bytes")}
    title = "The full index against %s" % name
    summary = "%s. From %s to %s: user CPU time %s to %s, memory at the peak %s to %s." % (
        title, format(axis["points"][0]["x"], ","), format(axis["points"][-1]["x"], ","),
        short_seconds(series["user_s"][0][1]), short_seconds(series["user_s"][-1][1]),
        short_bytes(series["peak_bytes"][0][1]), short_bytes(series["peak_bytes"][-1][1]))
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" '
        'aria-labelledby="title summary">' % (WIDTH, HEIGHT, WIDTH, HEIGHT),
        tag("title", title, id="title"), tag("desc", summary, id="summary"), "<style>%s</style>" % STYLE,
        tag("rect", class_="back", width="100%", height="100%", rx=6),
        tag("text", title, class_="title", x=LEFTS[0], y=28),
        tag("text", axis["fixed"] + ". Dotted: linear.", x=WIDTH - 40, y=28, text_anchor="end"),
        panel(LEFTS[0], "time", name, ("user CPU, all cores", series["user_s"]), ("wall", series["wall_s"]), short_seconds),
        panel(LEFTS[1], "memory", name, ("beyond the file", series["peak_bytes"]), ("the file", series["bytes"]),
              short_bytes),
        "</svg>\n"]
    return "\n".join(parts)
