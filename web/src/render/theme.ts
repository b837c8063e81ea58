// The colours of the page as the canvas needs them, read once per theme from the style sheet.

import { cpuPaletteFor, paletteFor, type Palette, type PaletteName } from "../model/colour";

export interface Theme {
  readonly isDark: boolean;
  readonly panel: string;
  readonly line: string;
  readonly ink: string;
  readonly dim: string;
  readonly accent: string;
  readonly selection: string;
  readonly hatch: string;
  readonly shade: string;
  readonly onAccent: string;
  readonly mark: string;
  readonly late: string;
  readonly lateFill: string;
  readonly font: string;
  readonly palette: Palette;
  readonly cpu: Palette;
}

export function readTheme(element: Element, isDark: boolean, palette: PaletteName): Theme {
  const style = getComputedStyle(element);
  const get = (name: string): string => style.getPropertyValue(name).trim();
  return {
    isDark,
    panel: get("--panel"),
    line: get("--line"),
    ink: get("--ink"),
    dim: get("--dim"),
    accent: get("--accent"),
    selection: get("--sel"),
    hatch: get("--hatch"),
    shade: get("--shade"),
    onAccent: get("--on-accent"),
    mark: get("--mark"),
    late: get("--bad"),
    lateFill: get("--bad-bg"),
    font: `11.5px ${style.fontFamily}`,
    palette: paletteFor(palette, isDark ? "dark" : "light"),
    cpu: cpuPaletteFor(isDark ? "dark" : "light"),
  };
}

// Sizes the canvas to its box and the screen's density; returns null while it has no size.
export function prepareCanvas(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
): CanvasRenderingContext2D | null {
  if (width <= 0 || height <= 0) return null;
  const density = self.devicePixelRatio || 1;
  const w = Math.round(width * density);
  const h = Math.round(height * density);
  if (canvas.width !== w) canvas.width = w;
  if (canvas.height !== h) canvas.height = h;
  const context = canvas.getContext("2d");
  if (context === null) return null;
  context.setTransform(density, 0, 0, density, 0, 0);
  return context;
}
