// The devices: one to choose among those that can be used, and what to do about the others.

import { deviceLabel, type DeviceList } from "../../model/page/recording";
import type { Recorder } from "../../state/recorder";
import { Choice } from "../dialogs/fields";

const NO_DEVICE =
  "No device is connected. Plug one in and switch on USB debugging in its developer options, or start an emulator: it appears here.";

export function Devices({ recorder, list }: { recorder: Recorder; list: DeviceList }) {
  const ready = list.devices.filter((device) => device.isReady);
  const others = list.devices.filter((device) => !device.isReady);
  return (
    <>
      {ready.length === 0 ? null : (
        <Choice
          label="Device"
          value={recorder.serial.value ?? ""}
          options={ready.map((device) => [device.serial, deviceLabel(device)] as const)}
          onChoice={(serial) => (recorder.serial.value = serial)}
        />
      )}
      {others.map((device) => (
        <p class="record-advice" role="status" key={device.serial}>
          {device.advice ?? `${device.serial} is ${device.state}`}
        </p>
      ))}
      {list.devices.length > 0 ? null : (
        <p class="record-advice" role="status">
          {list.problem ?? NO_DEVICE}
        </p>
      )}
    </>
  );
}
