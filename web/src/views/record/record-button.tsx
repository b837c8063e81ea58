// What opens the dialog that records: a button in the bar when there is something to record, and a choice of the start page.

import { useEffect } from "preact/hooks";
import { deviceLabel } from "../../model/page/recordable";
import { useApp, useProgram } from "../shared/context";

export function RecordButton() {
  const { store } = useApp();
  const { recorder } = useProgram();
  // The first answer tells whether a site is behind the page, which records nothing and has no such addresses.
  const isKnown = store.phase.value.kind !== "connecting";
  const can = isKnown && store.can.value.record === true;
  useEffect(() => {
    if (can) recorder?.watch();
  }, [can]);
  if (!can || recorder === null) return null;
  const isRunning = recorder.isRunning.value;
  // In a narrow window its place is kept, so that nothing moves when it comes.
  if (!recorder.hasSomething.value && !isRunning) return <span class="record-place" />;
  return (
    <button
      class="button record-button"
      aria-haspopup="dialog"
      title="Record an app on a device, or a Java program"
      onClick={() => (store.dialog.value = "record")}
    >
      <i class="record-dot" /> <span>{isRunning ? "Recording…" : "Record"}</span>
    </button>
  );
}

export function RecordChoice() {
  const { store } = useApp();
  const { recorder } = useProgram();
  const device = recorder?.devices.value?.devices.find(({ isReady }) => isReady);
  const hasPrograms = recorder?.hasSomething.value === true;
  return (
    <button class="start-card" onClick={() => (store.dialog.value = "record")}>
      <b>Record an app</b>
      <span class="muted">
        {device !== undefined
          ? `On ${deviceLabel(device)}.`
          : hasPrograms
            ? "A Java program of this computer, or an app on an Android device."
            : "On an Android device or emulator that adb knows."}
      </span>
    </button>
  );
}
