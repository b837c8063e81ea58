"""How fast a quantity grows: exponents of power laws, from points that bench/growth measured.

A straight line of slope k on logarithmic axes is y = c x^k: 1 is linear, 0 is no growth. What grows faster than
linearly outgrows all else, so it shows at the large end; a step on the way there is a cache that no longer holds what
it held.
"""

import math

# Above 1 stand caches and noise.
STEEPEST = 1.1


def exponent(points):
    """The slope of the straight line of least squares through the logarithms of (x, y)."""
    logs = [(math.log(x), math.log(y)) for x, y in points]
    mean_x = sum(x for x, _ in logs) / len(logs)
    mean_y = sum(y for _, y in logs) / len(logs)
    square = sum((x - mean_x) ** 2 for x, _ in logs)
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / square


def at_the_end(points):
    """Of the last three points: two alone would be mostly noise."""
    return exponent(points[-3:])


def series(axis, key):
    return [(point["x"], point[key]) for point in axis["points"]]


def rows(axes, order):
    """One for each axis that has points enough."""
    made = []
    for name in order:
        axis = axes.get(name)
        if axis is None or len(axis["points"]) < 3:
            continue
        row = {"axis": name, "from": axis["points"][0]["x"], "to": axis["points"][-1]["x"]}
        for key in ("user_s", "peak_bytes"):
            row[key] = exponent(series(axis, key))
            row[key + "_end"] = at_the_end(series(axis, key))
        row["worst"] = max(row[key + part] for key in ("user_s", "peak_bytes") for part in ("", "_end"))
        row["is_steep"] = row["worst"] > STEEPEST
        made.append(row)
    return made


def power_of_ten(value):
    """10^7, 5 x 10^8, 30,000."""
    digits = str(value).rstrip("0")
    power = len(str(value)) - 1
    if len(digits) > 1 or power < 4:
        return format(value, ",")
    ten = "10" + "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] for digit in str(power))
    return ten if digits == "1" else digits + " × " + ten


def table(made):
    lines = ["| against | from | to | time, overall | time, at the end | memory, overall | memory, at the end | |",
             "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |"]
    for row in made:
        lines.append("| %s | %s | %s | %.2f | %.2f | %.2f | %.2f | %s |" % (
            row["axis"], power_of_ten(row["from"]), power_of_ten(row["to"]), row["user_s"], row["user_s_end"],
            row["peak_bytes"], row["peak_bytes_end"], "**steeper than linear**" if row["is_steep"] else "linear or less"))
    return "\n".join(lines)
