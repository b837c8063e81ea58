// Recording from the page. It outlives the traces that are shown: the one that is recorded takes the place of the one
// before it.

import { computed, effect, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { RecordingApi } from "../api/recording";
import {
  FIRST_CHOICE,
  type DeviceList,
  type ProcessList,
  type Recording,
  type RecordingChoice,
  type RecordingWish,
} from "../model/page/recording";
import { createLoader, messageOf, type Loaded } from "./loader";

export interface Recorder {
  // Null: nobody has looked yet.
  readonly devices: ReadonlySignal<DeviceList | null>;
  readonly hasDevice: ReadonlySignal<boolean>;
  readonly isRunning: ReadonlySignal<boolean>;
  // The device whose processes are listed.
  readonly serial: Signal<string | null>;
  readonly processes: ReadonlySignal<Loaded<ProcessList>>;
  readonly recording: ReadonlySignal<Recording | null>;
  // Kept from one recording to the next.
  readonly choice: Signal<RecordingChoice>;
  // Why the last request was refused.
  readonly problem: ReadonlySignal<string | null>;
  // Looks whether there is a device, now and whenever the window is come back to. Starts nothing.
  watch(): void;
  // Keeps the lists up to date, until the function that comes back is called.
  open(): () => void;
  // Asks for the processes anew.
  refresh(): void;
  start(wish: RecordingWish): void;
  stop(): void;
  openKept(): void;
}

// The first picture goes before.
const FIRST_LOOK_MS = 1500;
const DEVICES_MS = 2500;
const RECORDING_MS = 600;

export function createRecorder(api: RecordingApi): Recorder {
  const devices = signal<DeviceList | null>(null);
  const serial = signal<string | null>(null);
  const isOpen = signal(false);
  const turn = signal(0);
  const recording = signal<Recording | null>(null);
  const problem = signal<string | null>(null);
  const isRunning = computed(() => recording.value?.state === "running");
  const ready = computed(() => devices.value?.devices.filter((device) => device.isReady) ?? []);
  let isLooking = false;
  let isWatching = false;
  let timer = 0;

  // The device that was chosen, as long as it is there.
  effect(() => {
    const there = ready.value.map((device) => device.serial);
    const chosen = serial.peek();
    if (chosen === null || !there.includes(chosen)) serial.value = there[0] ?? null;
  });

  const lookForDevices = async (isStart: boolean): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    try {
      devices.value = await api.devices(isStart);
    } catch (reason) {
      // What is known stays: another window may be asking.
      if (isStart && devices.peek() === null)
        devices.value = { devices: [], problem: messageOf(reason) };
    }
    isLooking = false;
  };

  const keepDevices = async (): Promise<void> => {
    while (isOpen.peek()) {
      if (!isRunning.peek()) await lookForDevices(true);
      await new Promise((resolve) => self.setTimeout(resolve, DEVICES_MS));
    }
  };

  const take = (now: Recording): void => {
    recording.value = now;
    self.clearTimeout(timer);
    if (now.state === "running") timer = self.setTimeout(follow, RECORDING_MS);
  };

  const follow = (): void => {
    api.look().then(take, (reason: unknown) => {
      problem.value = messageOf(reason);
      timer = self.setTimeout(follow, RECORDING_MS);
    });
  };

  const send = (request: Promise<Recording>): void => {
    problem.value = null;
    request.then(take, (reason: unknown) => (problem.value = messageOf(reason)));
  };

  return {
    devices,
    hasDevice: computed(() => ready.value.length > 0),
    isRunning,
    serial,
    processes: createLoader(
      () =>
        isOpen.value && !isRunning.value && serial.value !== null
          ? { serial: serial.value, turn: turn.value }
          : null,
      (question, abort) => api.processes(question.serial, abort),
    ),
    recording,
    choice: signal(FIRST_CHOICE),
    problem,
    watch: () => {
      if (isWatching) return;
      isWatching = true;
      self.setTimeout(() => void lookForDevices(false), FIRST_LOOK_MS);
      self.addEventListener("focus", () => void lookForDevices(false));
    },
    open: () => {
      isOpen.value = true;
      turn.value += 1;
      problem.value = null;
      follow();
      void keepDevices();
      return () => (isOpen.value = false);
    },
    refresh: () => (turn.value += 1),
    start: (wish) => send(api.start(wish)),
    stop: () => send(api.stop()),
    openKept: () => send(api.openKept()),
  };
}
