import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import {
  decimal,
  formatAt,
  formatBytes,
  formatCount,
  formatDuration,
  formatMs,
  formatPercent,
  formatRange,
  formatShare,
  formatTimes,
  grouped,
  plural,
  shareBehind,
  shareOfAll,
} from "./format";

test("numbers are written as in English", () => {
  const values = [0, 7, 999, 1000, 1234.5, 0.5, 1.5, 1e6, 123456789.125, -0.25, -4321.5];
  for (const value of values)
    for (const [least, most] of [
      [0, 0],
      [0, 3],
      [2, 2],
      [1, 2],
    ] as const)
      assert.equal(
        decimal(value, least, most),
        value.toLocaleString("en-US", {
          minimumFractionDigits: least,
          maximumFractionDigits: most,
        }),
      );
});

test("large ratios have three digits and a letter", () => {
  const english = new Intl.NumberFormat("en-US", {
    notation: "compact",
    maximumSignificantDigits: 3,
  });
  for (const ratio of [1e4, 12345, 99_950, 999_499, 999_500, 1e6, 3_541_563, 2.5e9, 7.77e12])
    assert.equal(formatTimes(ratio, 1), `${english.format(ratio)}×`);
});

test("durations have three digits and the unit that fits", () => {
  assert.equal(formatDuration(2_410_000_000), "2.41 s");
  assert.equal(formatDuration(61_234_567), "61.2 ms");
  assert.equal(formatDuration(35_900), "35.9 µs");
  assert.equal(formatDuration(120), "120 ns");
  assert.equal(formatDuration(0), "0");
  assert.equal(formatDuration(-1_500_000), "-1.50 ms");
  assert.equal(formatDuration(2_400_000_000_000), "40 min 0 s");
});

test("a duration that rounds up to the next unit is told in it", () => {
  assert.equal(formatDuration(999_999_000), "1.00 s");
  assert.equal(formatDuration(-999_999), "-1.00 ms");
  assert.equal(formatDuration(999_600), "1.00 ms");
  assert.equal(formatDuration(999_400), "999 µs");
  assert.equal(formatDuration(999.6), "1.00 µs");
  assert.equal(formatDuration(9_999_000), "10.0 ms");
  assert.equal(formatDuration(99_960_000), "100 ms");
  assert.equal(formatDuration(119_600_000_000), "2 min 0 s");
  for (let exponent = 0; exponent < 11; exponent += 0.0005)
    assert.doesNotMatch(formatDuration(10 ** exponent), /\d{4}|,|min 60 s/);
});

test("table times are milliseconds with three decimals", () => {
  assert.equal(formatMs(493_123_456), "493.123");
  assert.equal(formatMs(0), "0.000");
});

// The tests run in web.
test("times and shares are shown as the program shows them", () => {
  const table = readFileSync("../tests/base/shown_numbers.inc", "utf8");
  const row = /^(MS|MEAN|PERCENT)\((-?\d+), (?:(\d+), )?"([^"]+)"\)$/gm;
  let count = 0;
  for (const [, kind, value, of, text] of table.matchAll(row)) {
    const shown =
      kind === "MS"
        ? formatMs(Number(value))
        : kind === "MEAN"
          ? formatMs(Number(value) / Number(of))
          : formatPercent(Number(value), Number(of)).replaceAll(/[ %]/g, "");
    assert.equal(shown, text?.replaceAll(",", ""), `${kind} ${value} ${of}`);
    count++;
  }
  assert.ok(count > 40, `${count} rows`);
});

test("nothing that is not zero reads as zero", () => {
  for (let exponent = -6; exponent < 16; exponent += 0.25)
    for (const ns of [10 ** exponent, -(10 ** exponent)]) {
      assert.match(formatMs(ns), /[1-9]/);
      assert.match(formatPercent(ns, 1e15), /[1-9]/);
      assert.match(formatDuration(ns), /[1-9]/);
    }
});

test("percent of nothing is blank, shares never round to a false nought", () => {
  assert.equal(formatPercent(1, 0), "");
  assert.equal(formatPercent(1, 3), "33.3 %");
  assert.equal(formatPercent(-1, 1e6), "> -0.1 %");
  assert.equal(formatPercent(1, 1e6), "< 0.1 %");
  assert.equal(formatPercent(0, 1e6), "0.0 %");
  assert.equal(formatShare(1, 1000), "< 1 %");
  assert.equal(formatShare(0, 1000), "0 %");
  assert.equal(formatShare(97, 100), "97 %");
  assert.equal(shareBehind(1, 1000), " (< 1 %)");
  assert.equal(shareOfAll(97, 100), "97 % of all");
  assert.equal(shareOfAll(100, 100), "100 % of all");
  assert.equal(shareOfAll(105, 100), "");
  for (const whole of [0, -5]) assert.equal(shareBehind(1, whole) + shareOfAll(1, whole), "");
});

test("ranges use one unit for both ends", () => {
  assert.equal(formatRange(612_000_000, 1_105_000_000), "612 – 1,105 ms");
  assert.equal(formatRange(317_944_108, 515_016_902), "318 – 515 ms");
  assert.equal(formatRange(1_000, 1_500), "1,000 – 1,500 ns");
  assert.equal(formatRange(0, 2_410_000_000), "0 – 2,410 ms");
  assert.equal(formatRange(414_737_012, 415_147_012), "414.737 – 415.147 ms");
  assert.equal(formatRange(99_000_000, 99_500_000), "99,000 – 99,500 µs");
  assert.equal(formatRange(600_000_120_000, 600_005_120_000), "600.00012 – 600.00512 s");
  assert.equal(formatRange(400_000_100, 400_000_600), "400.0001 – 400.0006 ms");
});

test("ruler labels differ between neighbours", () => {
  assert.deepEqual(formatAt(620_000_000, 20_000_000, 200_000_000), { text: "620", unit: "ms" });
  assert.deepEqual(formatAt(620_500_000, 500_000, 5_000_000), { text: "620.5", unit: "ms" });
  assert.notEqual(formatAt(1_000_100, 100, 1000).text, formatAt(1_000_200, 100, 1000).text);
});

test("counts, bytes, plurals, ratios", () => {
  assert.equal(formatCount(401_987), "401,987");
  assert.equal(formatBytes(1536), "2 KiB");
  assert.equal(formatBytes(5 * 1024 * 1024), "5.0 MiB");
  assert.equal(plural(1, "call"), "1 call");
  assert.equal(plural(2, "call"), "2 calls");
  assert.equal(formatTimes(380, 10), "38×");
  assert.equal(formatTimes(3_541_563, 1), "3.54M×");
  assert.equal(formatTimes(10, 10), "");
  assert.equal(formatTimes(10, 0), "");
});

test("numbers of tables are read in groups, whatever stands around them", () => {
  assert.equal(grouped(formatMs(339_166_869e3)), "339,166.869");
  assert.equal(grouped("≈ 1234567.001"), "≈ 1,234,567.001");
  assert.equal(grouped("−1000.000"), "−1,000.000");
  assert.deepEqual(["999.999", "0.000412", "56+1414", "1,234", ""].map(grouped), [
    "999.999",
    "0.000412",
    "56+1414",
    "1,234",
    "",
  ]);
});
