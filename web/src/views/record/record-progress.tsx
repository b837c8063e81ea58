// How far a recording is, and why it failed.

import { failureWords, pulledShare, stepWords, type Recording } from "../../model/page/recording";
import type { Recorder } from "../../state/page/recorder";

export function HowFar({ recorder }: { recorder: Recorder }) {
  const recording = recorder.recording.value;
  if (recording === null) return null;
  if (recording.state === "failed") return <Failed recorder={recorder} recording={recording} />;
  const isPulled = recording.step?.phase === "pulling";
  const share = pulledShare(recording);
  return (
    <div class="download record">
      <p class="record-step" role="status">
        {isPulled || recording.isStopped ? null : <i class="record-dot" />}
        {stepWords(recording)}
      </p>
      <progress
        aria-label="Pulled"
        max={1}
        {...(share === null ? {} : { value: share })}
        hidden={!isPulled && !recording.isStopped}
      />
      {recording.text === "" ? null : <p class="muted small">{recording.text}</p>}
      <footer>
        <p role="alert">{recorder.problem.value ?? ""}</p>
        <button
          type="button"
          class="button main"
          disabled={recording.isStopped || isPulled}
          onClick={recorder.stop}
        >
          Stop and open
        </button>
      </footer>
    </div>
  );
}

function Failed({ recorder, recording }: { recorder: Recorder; recording: Recording }) {
  return (
    <div class="record-failed" role="alert">
      <p>{failureWords(recording)}</p>
      {recording.file === "" ? null : (
        <p>
          What was recorded is in {recording.folder}/{recording.file}.{" "}
          <button type="button" class="button" onClick={recorder.openKept}>
            Open it
          </button>
        </p>
      )}
    </div>
  );
}
