// Colours of methods. The default palette is calm, and any two of its colours can be told apart by
// people who lack one kind of cone, neighbours best: a test holds the distances. The classic one is the
// old viewer's.

import { hashText } from "../base/math";
import { packageOf } from "./names";

export type PaletteName = "calm" | "classic";
export type ColourBy = "rank" | "package" | "cpu";
export const COLOURING_NAMES: Record<ColourBy, string> = {
  rank: "method",
  package: "package",
  cpu: "CPU share",
};
export type Shade = "light" | "dark";

const CALM_LIGHT = [
  "#979dec",
  "#c3945e",
  "#eca1bf",
  "#afb3fe",
  "#9be0ac",
  "#d0b668",
  "#ddc1f6",
  "#e085a3",
  "#f2c788",
  "#89bedc",
];

const CALM_DARK = [
  "#7f84d1",
  "#aa7c45",
  "#d188a5",
  "#969ae3",
  "#82c693",
  "#b69d4f",
  "#c3a7dc",
  "#c56c8b",
  "#d7ae6f",
  "#70a5c2",
];

const CLASSIC = [
  "rgb(90,90,255)",
  "rgb(0,240,0)",
  "rgb(255,0,0)",
  "rgb(0,255,255)",
  "rgb(255,80,255)",
  "rgb(200,200,0)",
  "rgb(40,0,200)",
  "rgb(150,255,150)",
  "rgb(150,0,0)",
  "rgb(30,150,150)",
  "rgb(200,200,255)",
  "rgb(0,120,0)",
  "rgb(255,150,150)",
  "rgb(140,80,140)",
  "rgb(150,100,50)",
  "rgb(70,70,70)",
];

// The classic colours on which dark text cannot be read.
const CLASSIC_DARK_FILLS: ReadonlySet<number> = new Set([0, 2, 6, 8, 11, 13, 14, 15]);

// Colours from waiting to busy; the last one is for calls without a CPU share, such as those of no
// length.
const CPU_LIGHT = [
  "#d5dce8",
  "#e0dbce",
  "#ebdab2",
  "#f0cc93",
  "#f0b971",
  "#eea654",
  "#e89248",
  "#e27f3c",
  "#eceef2",
];

// The steps leave out shades on which neither light nor dark text can be read.
const CPU_DARK = [
  "#434c60",
  "#53565f",
  "#645f5a",
  "#716555",
  "#9c7a4c",
  "#b2874c",
  "#c8944f",
  "#dea45a",
  "#343a46",
];

const DARK_FILLS_OF_CPU: ReadonlySet<number> = new Set([0, 1, 2, 3, 8]);

export interface Palette {
  readonly fills: readonly string[];
  readonly inks: readonly string[];
}

export function paletteFor(name: PaletteName, shade: Shade): Palette {
  if (name === "classic")
    return {
      fills: CLASSIC,
      inks: CLASSIC.map((_, ix) => (CLASSIC_DARK_FILLS.has(ix) ? "#ffffff" : "#101319")),
    };
  const fills = shade === "dark" ? CALM_DARK : CALM_LIGHT;
  const ink = shade === "dark" ? "#0d1016" : "#1b2233";
  return { fills, inks: fills.map(() => ink) };
}

export function cpuPaletteFor(shade: Shade): Palette {
  if (shade === "light") return { fills: CPU_LIGHT, inks: CPU_LIGHT.map(() => "#1b2233") };
  return {
    fills: CPU_DARK,
    inks: CPU_DARK.map((_, ix) => (DARK_FILLS_OF_CPU.has(ix) ? "#eef0f5" : "#0d1016")),
  };
}

// The number of steps of the scale, without the colour for an unknown share.
export const CPU_STEPS = CPU_LIGHT.length - 1;

// The step of a CPU share as the program packs it: 0 to 254, and 255 for an unknown share.
export function cpuIndex(share: number): number {
  return share >= 255 ? CPU_STEPS : Math.min(CPU_STEPS - 1, Math.floor((share * CPU_STEPS) / 254));
}

// The place in the palette of a name, which is the same one in every trace.
export function nameIndex(name: string, colours: number): number {
  return hashText(name) % colours;
}

// The place in the palette of a method.
export function colourIndex(
  rank: number,
  className: string | null,
  by: ColourBy,
  colours: number,
): number {
  if (by === "package" && className !== null) return nameIndex(packageOf(className), colours);
  return rank % colours;
}
