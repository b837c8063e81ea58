// What opens the dialog that records: a button in the bar when a device is there, and a choice of the start page.

import { useEffect } from "preact/hooks";
import { deviceLabel } from "../../model/page/recording";
import { useApp, useProgram } from "../shared/context";

export function RecordButton() {
  const { store } = useApp();
  const { recorder } = useProgram();
  const can = store.can.value.record === true;
  useEffect(() => {
    if (can) recorder?.watch();
  }, [can]);
  if (!can || recorder === null) return null;
  const isRunning = recorder.isRunning.value;
  if (!recorder.hasDevice.value && !isRunning) return null;
  return (
    <button
      class="button"
      aria-haspopup="dialog"
      title="Record an app on a device"
      onClick={() => (store.dialog.value = "record")}
    >
      <i class="record-dot" /> {isRunning ? "Recording…" : "Record"}
    </button>
  );
}

export function RecordChoice() {
  const { store } = useApp();
  const { recorder } = useProgram();
  const device = recorder?.devices.value?.devices.find(({ isReady }) => isReady);
  return (
    <button class="start-card" onClick={() => (store.dialog.value = "record")}>
      <b>Record an app</b>
      <span class="muted">
        {device === undefined
          ? "On an Android device or emulator that adb knows."
          : `On ${deviceLabel(device)}.`}
      </span>
    </button>
  );
}
