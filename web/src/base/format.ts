// Numbers as text. One place, so that the same number looks the same in every panel.

// Writes a number as Intl.NumberFormat does in English, with at least `least` decimals and at most
// `most`. Intl takes milliseconds to set up for each set of options, which the first picture cannot
// spare.
export function decimal(value: number, least: number, most: number): string {
  const [whole = "", part = ""] = value.toFixed(most).split(".");
  const digits = part.replace(/0+$/, "").padEnd(least, "0");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return digits === "" ? grouped : `${grouped}.${digits}`;
}

const COMPACT: readonly (readonly [number, string])[] = [
  [1e12, "T"],
  [1e9, "B"],
  [1e6, "M"],
  [1e3, "K"],
];

// A count in three digits and a letter: 3.54M.
function compact(value: number): string {
  const rounded = Number(value.toPrecision(3));
  const [size, letter] = COMPACT.find(([least]) => rounded >= least) ?? [1, ""];
  return `${decimal(rounded / size, 0, 2)}${letter}`;
}

export function formatCount(value: number): string {
  return decimal(value, 0, 0);
}

interface Unit {
  readonly name: string;
  readonly ns: number;
}

const SECOND: Unit = { name: "s", ns: 1e9 };
const MILLI: Unit = { name: "ms", ns: 1e6 };
const MICRO: Unit = { name: "µs", ns: 1e3 };
const NANO: Unit = { name: "ns", ns: 1 };

function unitFor(ns: number): Unit {
  const size = Math.abs(ns);
  if (size >= SECOND.ns) return SECOND;
  if (size >= MILLI.ns) return MILLI;
  if (size >= MICRO.ns) return MICRO;
  return NANO;
}

// Three significant digits: 2.41 s, 61.2 ms. The unit is that of the rounded time, as in tv_text_add_time of
// src/cli/wording.c: what rounds to 1,000 ms is 1.00 s. So is the number of decimals.
export function formatDuration(ns: number): string {
  if (ns === 0) return "0";
  const size = Math.abs(ns);
  if (size >= 90e9) {
    const seconds = Math.round(size / 1e9);
    return `${ns < 0 ? "-" : ""}${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  }
  if (size < 1) return "< 1 ns";
  const rounded = Number(size.toPrecision(3));
  const unit = unitFor(rounded);
  if (unit === NANO) return `${Math.round(ns)} ns`;
  const whole = rounded / unit.ns;
  const digits = whole >= 100 ? 0 : whole >= 10 ? 1 : 2;
  return `${decimal(ns / unit.ns, digits, digits)} ${unit.name}`;
}

// Below this a time has three significant digits.
const SMALL_NS = 1e5;

// A time below SMALL_NS, but not 0: 0.0123, 0.000412. Zeros behind the third decimal are left out.
function smallMs(ns: number): string {
  for (let places = 4; ; places++) {
    // In units of 10^-places ms, by one operation: src/base/numbers/shown_number.c does the same.
    const scaled = places < 6 ? ns / 10 ** (6 - places) : ns * 10 ** (places - 6);
    if (scaled < 100 && places < 12) continue;
    const digits = String(Math.max(1, Math.floor(scaled + 0.5))).padStart(places, "0");
    return `0.${digits.replace(/0+$/, "").padEnd(3, "0")}`;
  }
}

// Milliseconds with three decimals, as in the old viewer's table; with more where less than 0.1 ms
// would lose digits. What is not zero never reads as zero: src/base/numbers/shown_number.h has the same
// rule, and tests/base/shown_numbers.inc the cases of both.
export function formatMs(ns: number): string {
  const size = Math.abs(ns);
  const us = Math.floor(size / MICRO.ns + 0.5);
  const text =
    size > 0 && size < SMALL_NS
      ? smallMs(size)
      : `${Math.floor(us / 1000)}.${String(us % 1000).padStart(3, "0")}`;
  return ns < 0 ? `-${text}` : text;
}

// A number with a point, as those of formatMs, as people read it: 39,752.123. What is copied and compared stays without.
export function grouped(text: string): string {
  return text.replace(/\d+(?=\.\d)/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));
}

// A share in percent with one decimal; "< 0.1" where there is something that would round to nothing.
export function percentText(part: number, whole: number): string {
  const tenths = Math.floor((1000 * Math.abs(part)) / whole + 0.5);
  if (tenths === 0 && part !== 0) return part < 0 ? "> -0.1" : "< 0.1";
  return `${part < 0 ? "-" : ""}${Math.floor(tenths / 10)}.${tenths % 10}`;
}

export function formatPercent(part: number, whole: number): string {
  return whole <= 0 ? "" : `${percentText(part, whole)} %`;
}

// A share in running text: "97 %"; "< 1 %" for a small one, since "0 %" would say that there is
// none.
export function formatShare(part: number, whole: number): string {
  if (whole <= 0 || part <= 0) return "0 %";
  const percent = (part / whole) * 100;
  if (percent < 1) return "< 1 %";
  return `${Math.round(percent)} %`;
}

// The same behind a time, and as a sentence of its own; empty where nothing is 100 %, as of waits, of which there may be none in sum.
export function shareBehind(part: number, whole: number): string {
  return whole > 0 ? ` (${formatShare(part, whole)})` : "";
}

// Empty also where a part is more than the whole, as of waits it may be: the two clocks tick apart.
export function shareOfAll(part: number, whole: number): string {
  return whole > 0 && part <= whole ? `${formatShare(part, whole)} of all` : "";
}

// The number of decimals with which two values that are `step` apart look different.
function decimalsFor(step: number): number {
  return Math.max(0, Math.min(9, -Math.floor(Math.log10(step) + 1e-9)));
}

// A point of time in the unit that suits points `stepNs` apart, as beside the ticks of a ruler.
export function formatAt(
  ns: number,
  stepNs: number,
  spanNs: number,
): { text: string; unit: string } {
  const unit = spanNs >= 2e9 ? SECOND : spanNs >= 2e6 ? MILLI : spanNs >= 2e3 ? MICRO : NANO;
  const digits = decimalsFor(stepNs / unit.ns);
  return { text: decimal(ns / unit.ns, digits, digits), unit: unit.name };
}

// Longer numbers are read worse than those of the next unit with decimals.
const RANGE_MOST = 100_000;

// "612 – 1,105 ms": both ends in one unit, chosen by the span, with as many digits as it deserves. Far from the beginning of
// the trace the unit is a longer one: "414.737 – 415.147 ms".
export function formatRange(from: number, to: number): string {
  const span = Math.max(1, to - from);
  const fitting = span >= 10e9 ? SECOND : span >= 2e6 ? MILLI : span >= 2e3 ? MICRO : NANO;
  const unit =
    [NANO, MICRO, MILLI].find(({ ns }) => ns >= fitting.ns && to / ns < RANGE_MOST) ?? SECOND;
  const digits = Math.min(6, Math.max(0, 2 - Math.floor(Math.log10(span / unit.ns))));
  const show = (ns: number): string => decimal(ns / unit.ns, 0, unit === NANO ? 0 : digits);
  return `${show(from)} – ${show(to)} ${unit.name}`;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(0)} KiB`;
  if (bytes < 1024 ** 3) return `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
  return `${(bytes / 1024 ** 3).toFixed(2)} GiB`;
}

// "1 call", "2 calls".
export function plural(count: number, one: string, many: string = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

// "38× the median", "3.54M×", or nothing where there is no sensible ratio.
export function formatTimes(value: number, of: number): string {
  if (of <= 0 || value <= 0) return "";
  const ratio = value / of;
  if (ratio < 1.5) return "";
  if (ratio >= 1e4) return `${compact(ratio)}×`;
  return `${ratio >= 10 ? formatCount(Math.round(ratio)) : ratio.toFixed(1)}×`;
}

// A true minus, no hyphen; nothing for zero.
export function signOf(difference: number): "+" | "−" | "" {
  return difference > 0 ? "+" : difference < 0 ? "−" : "";
}
