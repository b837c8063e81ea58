// Where to record: one to choose among the devices that can be used and this computer, and what to do about the others.

import { HERE, type DeviceList } from "../../model/page/recordable";
import type { Recorder } from "../../state/page/recorder";
import { Choice } from "../dialogs/fields";

const NO_DEVICE =
  "No device is connected. Plug one in and switch on USB debugging in its developer options, or start an emulator: it appears here.";

export function Devices({ recorder, list }: { recorder: Recorder; list: DeviceList }) {
  const places = recorder.places.value;
  const others = list.devices.filter((device) => !device.isReady);
  return (
    <>
      {places.length === 0 ? null : (
        <Choice
          label="Device"
          value={recorder.place.value ?? HERE}
          options={places}
          onChoice={recorder.choosePlace}
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
