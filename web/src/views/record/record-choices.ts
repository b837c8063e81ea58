// What there is to choose from: processes of a device, its apps, or the Java programs of this computer.

import {
  HERE,
  recordableApp,
  recordableProgram,
  startable,
  type Recordable,
} from "../../model/page/recordable";
import type { RecordedPlace } from "../../model/page/recording-choice";
import type { Recorder } from "../../state/page/recorder";

export const NOTHING =
  'No process can be recorded. Start an app that is debuggable, or has <profileable android:shell="true"/> in its manifest.';
const NOTHING_INSTALLED = "The user has installed no app. Type the name of its package.";
const NOTHING_HERE = "No Java program runs on this computer. Start one, and it appears here.";

export interface Listed {
  readonly rows: readonly Recordable[];
  // Which processes these are, for their heading.
  readonly legend: string;
  readonly nothing: string;
}

// What was typed to find a process, or to name an app.
export function typed(recorder: Recorder): string {
  return recorder.query.value.trim();
}

export function isStarted(recorder: Recorder): boolean {
  return recorder.place.value !== HERE && recorder.choice.value.begin !== "now";
}

// Null: they are still asked for.
export function listed(recorder: Recorder): Listed | null {
  if (isStarted(recorder)) {
    const list = recorder.apps.value.value;
    if (list === null) return null;
    const rows = startable(list, typed(recorder));
    return { rows, legend: "Installed by the user", nothing: NOTHING_INSTALLED };
  }
  if (recorder.place.value === HERE) {
    const programs = recorder.java.value?.programs;
    if (programs === undefined) return null;
    return {
      rows: programs.map(recordableProgram),
      legend: "Java programs",
      nothing: NOTHING_HERE,
    };
  }
  const list = recorder.processes.value.value;
  if (list === null) return null;
  return {
    rows: list.processes.map(recordableApp),
    legend: list.hasProfileable ? "Debuggable and profileable" : "Debuggable (before Android 12)",
    nothing: NOTHING,
  };
}

export function problemOf(recorder: Recorder): string | null {
  if (recorder.place.value === HERE) return null;
  const { value: list, error } = isStarted(recorder)
    ? recorder.apps.value
    : recorder.processes.value;
  return error ?? list?.problem ?? null;
}

// What recordings there can be, as far as the device has told.
export function recordedPlace(recorder: Recorder, place: string): RecordedPlace {
  const list = isStarted(recorder) ? recorder.apps.value.value : recorder.processes.value.value;
  const begin = place === HERE ? "now" : recorder.choice.value.begin;
  const abilities = place === HERE ? undefined : list?.abilities;
  return { place, begin, abilities: abilities ?? { android: "", of: [] } };
}

export function isChosen(recorder: Recorder, { pid, name }: Recordable): boolean {
  const { choice } = recorder;
  return pid === null ? choice.value.app === name : choice.value.pid === pid;
}

// The process that is chosen, if it is still there.
export function chosenProcess(recorder: Recorder): Recordable | null {
  const rows = listed(recorder)?.rows ?? [];
  return rows.find((one) => isChosen(recorder, one) && one.advice === null) ?? null;
}
