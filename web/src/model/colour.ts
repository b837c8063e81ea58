// Colours of methods. The default palette is calm and its neighbours differ in lightness as well as
// hue, so that people who see few hues can still tell them apart; the classic one is the old viewer's.

import { hashText } from "../base/math";
import { packageOf } from "./names";

export type PaletteName = "calm" | "classic";
export type ColourBy = "rank" | "package";
export type Shade = "light" | "dark";

const CALM_LIGHT = [
  "#8aa0f0",
  "#74c7b8",
  "#eab27a",
  "#d597cd",
  "#a9c973",
  "#ec93a6",
  "#78bce8",
  "#d3bd68",
  "#b3a0e6",
  "#88cf9a",
];

const CALM_DARK = [
  "#7c93e8",
  "#5fb8a8",
  "#d99a5b",
  "#c078b8",
  "#8fb35a",
  "#d9738a",
  "#5ba8d9",
  "#b9a24e",
  "#9d87d8",
  "#6fbf83",
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

// Classic colours that dark text cannot be read on.
const CLASSIC_DARK_FILLS = new Set([0, 2, 6, 8, 9, 11, 13, 14, 15]);

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

// The place in the palette of a method.
export function colourIndex(
  rank: number,
  className: string | null,
  by: ColourBy,
  colours: number,
): number {
  if (by === "package" && className !== null) return hashText(packageOf(className)) % colours;
  return rank % colours;
}
