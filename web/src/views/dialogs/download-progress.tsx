// How far a download is, and what became of it.

import {
  changeWords,
  outcomeWords,
  progressWords,
  type ExportProgress,
} from "../../model/page/download";
import { useApp } from "../shared/context";

export function HowFar() {
  const phase = useApp().downloads.phase.value;
  switch (phase.kind) {
    case "idle":
      return (
        <p class="muted">The browser saves the file, and shows it in its list of downloads.</p>
      );
    case "asking":
      return <p role="status">Asking…</p>;
    case "refused":
      return <p role="alert">There is no file: {phase.reason}.</p>;
    case "running":
      return <Running name={phase.name} progress={phase.progress} />;
    case "over":
      return (
        <div role={phase.progress.state === "failed" ? "alert" : "status"}>
          <p>{outcomeWords(phase.name, phase.progress)}</p>
          {phase.progress.changes.map((one) => (
            <p class="muted" key={one.text}>
              {changeWords(one)}
            </p>
          ))}
        </div>
      );
  }
}

function Running({ name, progress }: { name: string; progress: ExportProgress | null }) {
  const share =
    progress !== null && progress.of > 0 ? Math.min(1, progress.done / progress.of) : null;
  return (
    <div>
      <p role="status">
        <bdi>{name}</bdi> · {progress === null ? "beginning" : progressWords(progress)}
      </p>
      <progress aria-label={`Download of ${name}`} {...(share === null ? {} : { value: share })} />
    </div>
  );
}
