import assert from "node:assert/strict";
import test from "node:test";
import {
  colourIndex,
  CPU_STEPS,
  cpuIndex,
  cpuPaletteFor,
  paletteFor,
  type Palette,
  type Shade,
} from "./colour";

type Triple = readonly [number, number, number];

// `#rrggbb` or `rgb(r,g,b)` as linear light.
function linear(colour: string): Triple {
  const parts = /^#/.test(colour)
    ? [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16))
    : (colour.match(/\d+/g) ?? []).map(Number);
  const light = (part: number): number =>
    part <= 10.31475 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4;
  return [light(parts[0] ?? 0), light(parts[1] ?? 0), light(parts[2] ?? 0)];
}

function dot(a: Triple, b: Triple): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function contrast(a: string, b: string): number {
  const weights: Triple = [0.2126, 0.7152, 0.0722];
  const [x, y] = [dot(weights, linear(a)), dot(weights, linear(b))];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

// How people without one kind of cone see linear light (Machado, Oliveira, Fernandes 2009).
const SIGHT: Record<string, readonly [Triple, Triple, Triple]> = {
  "all cones": [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

// A place in OKLab, where equal distances look about equal (Ottosson 2020).
function place(light: Triple): Triple {
  const root = (weights: Triple): number => Math.cbrt(dot(weights, light));
  const cones: Triple = [
    root([0.4122214708, 0.5363325363, 0.0514459929]),
    root([0.2119034982, 0.6806995451, 0.1073969566]),
    root([0.0883024619, 0.2817188376, 0.6299787005]),
  ];
  return [
    dot([0.2104542553, 0.793617785, -0.0040720468], cones),
    dot([1.9779984951, -2.428592205, 0.4505937099], cones),
    dot([0.0259040371, 0.7827717662, -0.808675766], cones),
  ];
}

function seen(colour: string, sight: readonly [Triple, Triple, Triple]): Triple {
  const light = linear(colour);
  const clip = (value: number): number => Math.min(1, Math.max(0, value));
  return place([
    clip(dot(sight[0], light)),
    clip(dot(sight[1], light)),
    clip(dot(sight[2], light)),
  ]);
}

const SHADES: readonly Shade[] = ["light", "dark"];
// Two colours nearer than this are hard to tell apart; neighbours in rank stand beside each other.
const APART = 0.045;
const NEIGHBOURS_APART = 0.06;

for (const shade of SHADES)
  for (const [name, sight] of Object.entries(SIGHT))
    test(`the ${shade} calm colours can be told apart with ${name}`, () => {
      const { fills } = paletteFor("calm", shade);
      const places = fills.map((fill) => seen(fill, sight));
      places.forEach((a, i) =>
        places.forEach((b, j) => {
          if (j <= i) return;
          const gap = Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
          const isNear = Math.min(j - i, fills.length - (j - i)) <= 2;
          const least = isNear ? NEIGHBOURS_APART : APART;
          assert.ok(gap >= least, `${fills[i]} and ${fills[j]}: ${gap.toFixed(3)}`);
        }),
      );
    });

function assertReadable(palette: Palette, least: number): void {
  assert.equal(palette.fills.length, palette.inks.length);
  palette.fills.forEach((fill, ix) => {
    const ratio = contrast(fill, palette.inks[ix] ?? "");
    assert.ok(ratio >= least, `${palette.inks[ix]} on ${fill}: ${ratio.toFixed(2)}`);
  });
}

test("names can be read on every colour", () => {
  for (const shade of SHADES) {
    assertReadable(paletteFor("calm", shade), 4.5);
    assertReadable(cpuPaletteFor(shade), 4.5);
    // The old viewer's colours are what they are; the better of the two inks is taken.
    assertReadable(paletteFor("classic", shade), 3.9);
  }
});

test("the CPU scale only ever gets darker, or lighter in the dark", () => {
  for (const shade of SHADES) {
    const all = SIGHT["all cones"];
    assert.ok(all !== undefined);
    const steps = cpuPaletteFor(shade)
      .fills.slice(0, CPU_STEPS)
      .map((fill) => seen(fill, all)[0]);
    const sign = shade === "light" ? -1 : 1;
    for (let i = 1; i < steps.length; i++)
      assert.ok(sign * ((steps[i] ?? 0) - (steps[i - 1] ?? 0)) > -0.01, `step ${i}`);
  }
});

test("a packed share has a step; none has its own", () => {
  assert.equal(cpuIndex(0), 0);
  assert.equal(cpuIndex(127), CPU_STEPS / 2);
  assert.equal(cpuIndex(254), CPU_STEPS - 1);
  assert.equal(cpuIndex(255), CPU_STEPS);
});

test("methods take colours round robin by rank, or one for each package", () => {
  assert.equal(colourIndex(12, null, "rank", 10), 2);
  assert.equal(colourIndex(3, "a.b.C", "package", 10), colourIndex(7, "a.b.D", "package", 10));
  assert.equal(colourIndex(12, "a.b.C", "cpu", 10), 2, "tables keep the method's colour");
});

test("colours go round by rank, and stay with a package", () => {
  assert.equal(colourIndex(12, null, "rank", 10), 2);
  assert.equal(colourIndex(1, "a.b.C", "package", 10), colourIndex(99, "a.b.D", "package", 10));
  assert.equal(paletteFor("classic", "light").fills.length, 16);
  assert.equal(paletteFor("calm", "dark").inks.length, 10);
});
