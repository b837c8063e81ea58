// Record an app on a device, or a Java program: device, process, mode and buffer; then how far the recording is.

import { useEffect, useRef } from "preact/hooks";
import { HERE } from "../../model/page/recordable";
import { isBufferFixed } from "../../model/page/recording-choice";
import { neededMb, type Recording } from "../../model/page/recording";
import type { Recorder } from "../../state/page/recorder";
import { DialogFrame } from "../dialogs/dialog";
import { useApp, useProgram } from "../shared/context";
import { recordedPlace } from "./record-choices";
import { Devices } from "./record-devices";
import { RecordForm } from "./record-form";
import { HowFar } from "./record-progress";

export function RecordDialog() {
  const { recorder } = useProgram();
  return (
    <DialogFrame title="Record an app">
      {recorder === null ? (
        <p class="muted">Only the viewer on your own computer can record.</p>
      ) : (
        <Recording recorder={recorder} />
      )}
    </DialogFrame>
  );
}

function Recording({ recorder }: { recorder: Recorder }) {
  const { store } = useApp();
  const wasRunning = useRef(false);
  const recording = recorder.recording.value;
  const state = recording?.state;
  useEffect(() => recorder.open(), []);
  // The trace takes the place of the dialog, but where a buffer was too small.
  useEffect(() => {
    if (wasRunning.current && state === "done" && neededMb(recording) === null)
      store.dialog.value = null;
    wasRunning.current = state === "running";
  }, [state]);
  const list = recorder.devices.value;
  if (recorder.isRunning.value) return <HowFar recorder={recorder} />;
  return (
    <>
      <Outcome recorder={recorder} recording={recording} />
      {list === null ? (
        <p class="muted" role="status">
          Looking for devices…
        </p>
      ) : (
        <Devices recorder={recorder} list={list} />
      )}
      {recorder.place.value === null ? null : (
        <RecordForm recorder={recorder} place={recorder.place.value} />
      )}
    </>
  );
}

// What became of the last recording.
function Outcome({ recorder, recording }: { recorder: Recorder; recording: Recording | null }) {
  if (recording === null || recording.state === "idle") return null;
  const needed = neededMb(recording);
  if (needed !== null) return <Full recorder={recorder} recording={recording} needed={needed} />;
  if (recording.state === "done")
    return (
      <p class="muted" role="status">
        Recorded: {recording.file} in {recording.folder}{" "}
        <ShowIt recorder={recorder} recording={recording} />
      </p>
    );
  return <HowFar recorder={recorder} />;
}

// Its trace has a page of its own.
function ShowIt({ recorder, recording }: { recorder: Recorder; recording: Recording }) {
  const { page } = recording;
  if (page === null) return null;
  return (
    <button type="button" class="button" onClick={() => recorder.show(page)}>
      Show it
    </button>
  );
}

interface FullProps {
  readonly recorder: Recorder;
  readonly recording: Recording;
  readonly needed: number;
}

// The buffer was full: what came before is shown, and one click records again with enough room.
function Full({ recorder, recording, needed }: FullProps) {
  const again = recorder.again.value;
  const { choice } = recorder;
  const of = recordedPlace(recorder, recorder.place.value ?? HERE);
  const hasBuffers = of.place !== HERE && !isBufferFixed(of);
  return (
    <div class="record-advice" role="alert">
      <p>
        The buffer was full before the end: {recording.file} has what came until then. A buffer of{" "}
        {needed} MB has room.
      </p>
      <ShowIt recorder={recorder} recording={recording} />
      {again === null && !hasBuffers ? null : (
        <button
          type="button"
          class="button main"
          onClick={() => {
            choice.value = { ...choice.peek(), bufferMb: needed };
            again?.(needed);
          }}
        >
          {again === null ? `Take ${needed} MB` : `Record again with ${needed} MB`}
        </button>
      )}
    </div>
  );
}
