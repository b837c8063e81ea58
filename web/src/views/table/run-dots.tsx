// The runs of both sides as dots on one line from nothing to the longest: the old ones above, the new ones below.

import { runDots, runsText, type RunValues } from "../../model/run-values";

const WIDTH = 112;
const HEIGHT = 20;
const RADIUS = 2.5;
const EDGE = RADIUS + 0.5;

export function RunDots({ values }: { values: RunValues }) {
  const x = (at: number): number => EDGE + at * (WIDTH - 2 * EDGE);
  const y = { old: 0.3 * HEIGHT, new: 0.7 * HEIGHT };
  return (
    <>
      <svg class="run-dots" width={WIDTH} height={HEIGHT} aria-hidden="true">
        <line x1={EDGE} x2={WIDTH - EDGE} y1={HEIGHT / 2} y2={HEIGHT / 2} />
        {runDots(values).map(({ side, at }, ix) => (
          <circle key={ix} class={side} cx={x(at).toFixed(2)} cy={y[side]} r={RADIUS} />
        ))}
      </svg>
      <span class="sr-only">{runsText(values)}</span>
    </>
  );
}

// The dots in place of a text; undefined: the text.
export function drawnRuns(values: RunValues | undefined) {
  return values === undefined ? undefined : <RunDots values={values} />;
}
