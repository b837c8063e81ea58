// What goes on with the trace that is shown: another one is on its way, or its file was recorded
// anew. A thin bar, so that nobody is interrupted.

import type { Progress } from "../api/events";
import { formatBytes } from "../base/format";
import { useProgram } from "./context";

function verb(step: string): string {
  return step.slice(0, 1).toUpperCase() + step.slice(1);
}

export function shareOf(progress: Progress): number | null {
  return progress.of > 0 ? Math.min(1, progress.done / progress.of) : null;
}

export function ProgressLine({ progress }: { progress: Progress }) {
  const share = shareOf(progress);
  return (
    <progress
      aria-label={`${verb(progress.step)} ${progress.file}`}
      max={1}
      {...(share === null ? {} : { value: share })}
    />
  );
}

export function howFar(progress: Progress): string {
  return progress.of > 0
    ? `${formatBytes(progress.done)} of ${formatBytes(progress.of)}`
    : "\u00a0";
}

export function stepText(progress: Progress): string {
  return `${verb(progress.step)} ${progress.file === "" ? "the trace" : progress.file}…`;
}

export function LoadBar() {
  const program = useProgram();
  const progress = program.loading.value;
  if (progress !== null)
    return (
      <div class="load-bar" role="status">
        <span class="clip">{stepText(progress)}</span>
        <ProgressLine progress={progress} />
        <span class="muted">{howFar(progress)}</span>
        <button class="link" onClick={() => program.cancel()}>
          Cancel
        </button>
      </div>
    );
  if (!program.isAnew.value) return null;
  return (
    <div class="load-bar" role="status">
      <span>The file was recorded anew.</span>
      <button class="button" onClick={() => program.reload()}>
        Reload
      </button>
      <button class="icon-button" aria-label="Close" onClick={() => (program.isAnew.value = false)}>
        <i class="cross" />
      </button>
    </div>
  );
}
