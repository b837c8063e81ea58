// Where the ruler has its ticks: steps of 1, 2 or 5 times a power of ten, as in the old viewer.

interface Ticks {
  readonly step: number;
  readonly values: readonly number[];
}

export function niceStep(rough: number): number {
  if (!(rough > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const lead = rough / power;
  const nice = lead <= 1 + 1e-9 ? 1 : lead <= 2 + 1e-9 ? 2 : lead <= 5 + 1e-9 ? 5 : 10;
  return Math.max(1, nice * power);
}

// Ticks from `from` to `to` where neighbours are at least `gapPx` apart on `widthPx` pixels.
export function ticksFor(from: number, to: number, widthPx: number, gapPx: number): Ticks {
  const span = Math.max(1, to - from);
  const step = niceStep((span * gapPx) / Math.max(1, widthPx));
  const values: number[] = [];
  const first = Math.ceil(from / step);
  const last = Math.floor(to / step);
  for (let i = first; i <= last && values.length < 1000; i++) values.push(i * step);
  return { step, values };
}
