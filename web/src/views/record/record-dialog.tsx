// Record an app on a device, or a Java program: device, process, mode and buffer; then how far the recording is.

import { useEffect, useRef } from "preact/hooks";
import {
  BUFFERS_MB,
  DURATIONS_S,
  HERE,
  modeAdvice,
  modesOf,
  type Recording,
  type RecordingChoice,
} from "../../model/page/recording";
import type { Recorder } from "../../state/recorder";
import { DialogFrame } from "../dialogs/dialog";
import { Choice } from "../dialogs/fields";
import { useApp, useProgram } from "../shared/context";
import { Devices } from "./record-devices";
import { chosenProcess, Processes } from "./record-processes";
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
  const state = recorder.recording.value?.state;
  useEffect(() => recorder.open(), []);
  // The trace takes the place of the dialog.
  useEffect(() => {
    if (wasRunning.current && state === "done") store.dialog.value = null;
    wasRunning.current = state === "running";
  }, [state]);
  const list = recorder.devices.value;
  if (recorder.isRunning.value) return <HowFar recorder={recorder} />;
  return (
    <>
      <Outcome recorder={recorder} recording={recorder.recording.value} />
      {list === null ? (
        <p class="muted" role="status">
          Looking for devices…
        </p>
      ) : (
        <Devices recorder={recorder} list={list} />
      )}
      {recorder.place.value === null ? null : (
        <Form recorder={recorder} place={recorder.place.value} />
      )}
    </>
  );
}

// What became of the last recording.
function Outcome({ recorder, recording }: { recorder: Recorder; recording: Recording | null }) {
  if (recording === null || recording.state === "idle") return null;
  if (recording.state === "done")
    return (
      <p class="muted" role="status">
        Recorded: {recording.file} in {recording.folder}
      </p>
    );
  return <HowFar recorder={recorder} />;
}

function Form({ recorder, place }: { recorder: Recorder; place: string }) {
  const { choice } = recorder;
  const { bufferMb, durationS } = choice.value;
  const modes = modesOf(place);
  const mode = modes.some(([one]) => one === choice.value.mode) ? choice.value.mode : "trace";
  const choose = (changed: Partial<RecordingChoice>): void => {
    choice.value = { ...choice.peek(), ...changed };
  };
  const process = chosenProcess(recorder);
  const start = (event: Event): void => {
    event.preventDefault();
    if (process === null) return;
    const name = process.name === "" ? String(process.pid) : process.name;
    recorder.start({ serial: place, pid: process.pid, name, mode, bufferMb, durationS });
  };
  return (
    <form class="download record" onSubmit={start}>
      <Processes recorder={recorder} />
      <div class="record-options">
        <Choice
          label="Mode"
          value={mode}
          options={modes}
          onChoice={(chosen) => choose({ mode: chosen })}
        />
        {mode === "stream" || place === HERE ? null : (
          <Choice
            label="Buffer"
            value={String(bufferMb)}
            options={BUFFERS_MB.map((mb) => [String(mb), `${mb} MB`] as const)}
            onChoice={(mb) => choose({ bufferMb: Number(mb) })}
          />
        )}
        <Choice
          label="Stop"
          value={String(durationS)}
          options={DURATIONS_S.map(
            (s) => [String(s), s === 0 ? "When I say so" : `After ${s} s`] as const,
          )}
          onChoice={(s) => choose({ durationS: Number(s) })}
        />
      </div>
      <p class="muted small">{modeAdvice(mode, place, bufferMb)}</p>
      <footer>
        <p role="alert">{recorder.problem.value ?? ""}</p>
        <button type="submit" class="button main" disabled={process === null}>
          Record
        </button>
      </footer>
    </form>
  );
}
