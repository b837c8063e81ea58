// How far a page of the trace is, and what can be done next.

import { formatBytes } from "../../base/format";
import type { PageFile } from "../../model/page/single-file";

type Phase =
  | { readonly kind: "idle" }
  | { readonly kind: "making"; readonly abort: AbortController }
  | { readonly kind: "made"; readonly file: PageFile }
  | { readonly kind: "saved"; readonly file: PageFile }
  | { readonly kind: "failed"; readonly reason: string };

export const IDLE: Phase = { kind: "idle" };

export function HowFar({ phase, isRedacted }: { phase: Phase; isRedacted: boolean }) {
  switch (phase.kind) {
    case "idle":
      return (
        <p class="muted">
          {isRedacted
            ? "Title and note are written as they are; the view goes along without its names."
            : "Whoever has the page has this part of the trace."}
        </p>
      );
    case "making":
      return <p role="status">Making the page…</p>;
    case "failed":
      return <p role="alert">There is no page: {phase.reason}.</p>;
    case "made":
      return (
        <p role="status">
          <bdi>{phase.file.name}</bdi> is made, {formatBytes(phase.file.blob.size)}, and not saved
          yet.
        </p>
      );
    case "saved":
      return (
        <p role="status">
          The browser saves <bdi>{phase.file.name}</bdi>, {formatBytes(phase.file.blob.size)}.
        </p>
      );
  }
}

export function Act({ phase, leave }: { phase: Phase; leave: () => void }) {
  if (phase.kind === "making")
    return (
      <button type="button" class="button" onClick={(event) => event.detail < 2 && leave()}>
        Cancel
      </button>
    );
  const file = phase.kind === "made" || phase.kind === "saved" ? phase.file : null;
  return (
    <button type="submit" class="button main">
      {file === null ? "Make the page" : `Save ${formatBytes(file.blob.size)}`}
    </button>
  );
}
