// Recording from the page. What was recorded is shown here where nothing was, else on a page of its own, to which the page
// that began the recording leads.

import { computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { RecordingApi } from "../../api/recording";
import {
  hasSomething,
  HERE,
  placesOf,
  type AppList,
  type DeviceList,
  type JavaList,
  type ProcessList,
} from "../../model/page/recordable";
import {
  FIRST_CHOICE,
  type RecordingChoice,
  type RecordingWish,
} from "../../model/page/recording-choice";
import { neededMb, type Recording } from "../../model/page/recording";
import { createLoader, messageOf, type Loaded } from "../loader";
import { goToPage } from "./other-page";

export interface Recorder {
  // Null: nobody has looked yet.
  readonly devices: ReadonlySignal<DeviceList | null>;
  // The Java programs of this computer; null: nobody has looked yet.
  readonly java: ReadonlySignal<JavaList | null>;
  // Whether there is something to record.
  readonly hasSomething: ReadonlySignal<boolean>;
  // Where something can be recorded, with what that is called.
  readonly places: ReadonlySignal<readonly (readonly [string, string])[]>;
  // The one whose processes are listed; null: there is none.
  readonly place: ReadonlySignal<string | null>;
  readonly isRunning: ReadonlySignal<boolean>;
  readonly processes: ReadonlySignal<Loaded<ProcessList>>;
  // What is installed there, while an app is to be started.
  readonly apps: ReadonlySignal<Loaded<AppList>>;
  readonly recording: ReadonlySignal<Recording | null>;
  // What is typed to find a process.
  readonly query: Signal<string>;
  // Kept from one recording to the next.
  readonly choice: Signal<RecordingChoice>;
  // Why the last request was refused.
  readonly problem: ReadonlySignal<string | null>;
  // Looks whether there is a device, now and whenever the window is come back to. Starts nothing.
  watch(): void;
  // Keeps the lists up to date, until the function that comes back is called.
  open(): () => void;
  choosePlace(place: string): void;
  // Asks for the processes anew.
  refresh(): void;
  start(wish: RecordingWish): void;
  // Starts the last recording again with another buffer; null: this page has started none.
  readonly again: ReadonlySignal<((bufferMb: number) => void) | null>;
  stop(): void;
  openKept(): void;
  // Leads to the page of what was recorded.
  show(page: string): void;
}

// The first picture goes before.
const FIRST_LOOK_MS = 1500;
const DEVICES_MS = 2500;
const RECORDING_MS = 600;

export function createRecorder(api: RecordingApi): Recorder {
  const devices = signal<DeviceList | null>(null);
  const java = signal<JavaList | null>(null);
  const chosen = signal<string | null>(null);
  const isOpen = signal(false);
  const turn = signal(0);
  const recording = signal<Recording | null>(null);
  const lastWish = signal<RecordingWish | null>(null);
  const choice = signal(FIRST_CHOICE);
  const query = signal("");
  const problem = signal<string | null>(null);
  const isRunning = computed(() => recording.value?.state === "running");
  const places = computed(() => placesOf(devices.value, java.value));
  // The place that was chosen, as long as it is there.
  const place = computed(() => {
    const there = places.value.map(([one]) => one);
    return there.find((one) => one === chosen.value) ?? there[0] ?? null;
  });
  // Whether this page began what is recorded.
  let isMine = false;
  let isLooking = false;
  let isWatching = false;
  let timer = 0;

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
    try {
      java.value = await api.programs();
    } catch (reason) {
      if (java.peek() === null) java.value = { programs: [], problem: messageOf(reason) };
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
    if (isMine && now.page !== null && neededMb(now) === null) {
      isMine = false;
      goToPage(now.page);
    }
    self.clearTimeout(timer);
    if (now.state === "running") timer = self.setTimeout(follow, RECORDING_MS);
  };

  const follow = (): void => {
    api.look().then(take, (reason: unknown) => {
      problem.value = messageOf(reason);
      timer = self.setTimeout(follow, RECORDING_MS);
    });
  };

  // Another page of this viewer may have started a recording.
  const lookOnce = (): void => void api.look().then(take, () => undefined);

  const send = (request: Promise<Recording>): void => {
    problem.value = null;
    request.then(take, (reason: unknown) => {
      problem.value = messageOf(reason);
      lookOnce();
    });
  };

  // The device whose lists are wanted.
  const listedSerial = (): string | null =>
    isOpen.value && !isRunning.value && place.value !== HERE ? place.value : null;

  const start = (wish: RecordingWish): void => {
    lastWish.value = wish;
    isMine = true;
    send(api.start(wish));
  };

  return {
    devices,
    java,
    hasSomething: computed(() => hasSomething(devices.value, java.value)),
    places,
    place,
    isRunning,
    processes: createLoader(
      () => {
        const serial = listedSerial();
        return serial === null ? null : { serial, turn: turn.value };
      },
      (question, abort) => api.processes(question.serial, abort),
    ),
    apps: createLoader(
      () => {
        const serial = choice.value.begin === "now" ? null : listedSerial();
        return serial === null ? null : { serial, turn: turn.value };
      },
      (question, abort) => api.apps(question.serial, abort),
    ),
    recording,
    query,
    choice,
    problem,
    watch: () => {
      if (isWatching) return;
      isWatching = true;
      self.setTimeout(() => {
        lookOnce();
        void lookForDevices(false);
      }, FIRST_LOOK_MS);
      self.addEventListener("focus", () => void lookForDevices(false));
    },
    open: () => {
      isOpen.value = true;
      turn.value += 1;
      query.value = "";
      problem.value = null;
      follow();
      void keepDevices();
      return () => (isOpen.value = false);
    },
    choosePlace: (one) => (chosen.value = one),
    refresh: () => {
      turn.value += 1;
      void lookForDevices(true);
    },
    start,
    again: computed(() => {
      const wish = lastWish.value;
      return wish === null ? null : (bufferMb) => start({ ...wish, bufferMb });
    }),
    stop: () => send(api.stop()),
    openKept: () => {
      isMine = true;
      send(api.openKept());
    },
    show: goToPage,
  };
}
