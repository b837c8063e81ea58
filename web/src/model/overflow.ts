// A full buffer, in words.

import { formatBytes, formatDuration } from "../base/format";

// What a full buffer cost: how much of the run is missing, and which buffer would have held it.
export interface Overflow {
  readonly run: number;
  readonly missing: number;
  readonly bufferBytes: number;
}

export function overflowText(overflow: Overflow): string {
  const { run, missing, bufferBytes } = overflow;
  const share = run > 0 ? Math.min(100, (missing / run) * 100) : 0;
  const part = share >= 1 ? `${Math.round(share)} %` : share > 0 ? "less than 1 %" : "";
  const lost =
    part === ""
      ? "The buffer was full: calls after that moment are missing."
      : `The buffer was full: about ${part} of the run is missing, the last ${formatDuration(missing)} of ${formatDuration(run)}.`;
  return bufferBytes > 0
    ? `${lost} A buffer of ${formatBytes(bufferBytes)} would have held it.`
    : lost;
}
