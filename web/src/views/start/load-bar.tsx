// A thin bar that tells of loading without interrupting: another trace is on its way, or the rest
// of this one, or its file was recorded anew.

import { useEffect, useState } from "preact/hooks";

import type { Progress } from "../../api/events";
import { formatBytes, formatShare } from "../../base/format";
import type { TraceInfo } from "../../model/trace";
import { useApp, useProgram } from "../shared/context";

function verb(step: string): string {
  return step.slice(0, 1).toUpperCase() + step.slice(1);
}

function shareOf(progress: Progress): number | null {
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

// Loading that ends within this time is not shown: the bar would push the picture down and let it
// go again. The note that nobody reads the rest of a trace waits as long: between the start of that
// reading and its first progress the note would be wrong.
const SHORT_MS = 600;

function useIsLasting(isOn: boolean): boolean {
  const [isLasting, setLasting] = useState(false);
  useEffect(() => {
    setLasting(false);
    if (!isOn) return undefined;
    const timer = setTimeout(() => setLasting(true), SHORT_MS);
    return () => clearTimeout(timer);
  }, [isOn]);
  return isOn && isLasting;
}

export function LoadBar() {
  const { store } = useApp();
  const program = useProgram();
  const progress = program.loading.value;
  const part = store.info.value?.part ?? null;
  const isLasting = useIsLasting(progress !== null);
  const isStopped = useIsLasting(progress === null && part !== null);
  if (isStopped && part !== null) return <Part part={part} />;
  if (part !== null) return <Loading progress={progress ?? restOf(part)} part={part} />;
  if (progress !== null && isLasting) return <Loading progress={progress} part={null} />;
  return program.isAnew.value ? <Anew /> : null;
}

type PartOf = NonNullable<TraceInfo["part"]>;

function restOf(part: PartOf): Progress {
  return { done: part.read, of: part.of, step: "reading", file: "" };
}

function shownPart(part: PartOf): string {
  return `first ${formatShare(part.read, part.of)} shown`;
}

function Loading({ progress, part }: { progress: Progress; part: PartOf | null }) {
  const program = useProgram();
  const isRest = part !== null && progress.step === "reading";
  return (
    <div class="load-bar" role="status">
      <span class="clip">
        {isRest ? `The ${shownPart(part)}, reading the rest…` : stepText(progress)}
      </span>
      <ProgressLine progress={progress} />
      <span class="muted">{howFar(progress)}</span>
      <button class="link" onClick={() => program.cancel()}>
        {isRest ? "Stop" : "Cancel"}
      </button>
    </div>
  );
}

// Reading the rest was stopped.
function Part({ part }: { part: PartOf }) {
  const program = useProgram();
  return (
    <div class="load-bar" role="status">
      <span>Only the {shownPart(part)}: every number is of that part.</span>
      <button class="button" onClick={() => program.reload()}>
        Read all
      </button>
    </div>
  );
}

function Anew() {
  const program = useProgram();
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
