"""How fast a quantity grows: exponents of power laws, from points that bench/growth measured.

A straight line of slope k on logarithmic axes is y = c x^k: 1 is linear, 0 is no growth. What grows faster than
linearly shows in its last steps at the latest, so they are looked at one by one.
"""

import math

# Above 1 stand a cache that no longer holds what it held, and noise.
STEEPEST = 1.1


def exponent(points):
    """The slope of the straight line of least squares through the logarithms of (x, y)."""
    logs = [(math.log(x), math.log(y)) for x, y in points]
    mean_x = sum(x for x, _ in logs) / len(logs)
    mean_y = sum(y for _, y in logs) / len(logs)
    square = sum((x - mean_x) ** 2 for x, _ in logs)
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / square


def steepest(points):
    """The largest exponent of any three neighbours: two alone would be mostly noise."""
    width = min(3, len(points))
    return max(exponent(points[at:at + width]) for at in range(len(points) - width + 1))


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
        for key in ("cpu_s", "peak_bytes"):
            row[key] = exponent(series(axis, key))
            row[key + "_steepest"] = steepest(series(axis, key))
        row["is_steep"] = max(row["cpu_s_steepest"], row["peak_bytes_steepest"]) > STEEPEST
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
    lines = ["| against | from | to | time, overall | time, steepest | memory, overall | memory, steepest | |",
             "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |"]
    for row in made:
        lines.append("| %s | %s | %s | %.2f | %.2f | %.2f | %.2f | %s |" % (
            row["axis"], power_of_ten(row["from"]), power_of_ten(row["to"]), row["cpu_s"], row["cpu_s_steepest"],
            row["peak_bytes"], row["peak_bytes_steepest"], "**steeper than linear**" if row["is_steep"] else "linear or less"))
    return "\n".join(lines)
