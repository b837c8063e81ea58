// What can be recorded, an app on a device or a Java program of this computer, and what there is to choose of it.

import { bestMatches } from "./palette";

export interface Device {
  readonly serial: string;
  readonly isReady: boolean;
  readonly state: string;
  readonly model: string;
  // What to do with a device that cannot be used.
  readonly advice: string | null;
}

export interface DeviceList {
  readonly devices: readonly Device[];
  // Why there is no list.
  readonly problem: string | null;
}

// How fast recordings of an app grow, and the buffers, in MiB, that some durations need, in seconds; 0: Android has none so large.
export interface Rate {
  readonly isSampled: boolean;
  readonly bytesPerS: number;
  // Else it is that of busy apps.
  readonly isOfApp: boolean;
  readonly buffers: readonly (readonly [number, number])[];
}

// What recordings on a device can be, by its Android.
export interface Abilities {
  // "Android 14"; empty: it has not told.
  readonly android: string;
  readonly of: readonly Ability[];
}

interface Ability {
  // "sampling"
  readonly name: string;
  // "Android 6"
  readonly since: string;
  readonly has: boolean;
}

// An app that is installed on a device, running or not.
export interface InstalledApp {
  readonly name: string;
  readonly rates: readonly Rate[];
}

export interface AppList {
  readonly apps: readonly InstalledApp[];
  readonly abilities: Abilities;
  readonly problem: string | null;
}

export interface AppProcess {
  readonly pid: number;
  readonly name: string;
  readonly isDebuggable: boolean;
  readonly user: number;
  readonly uptimeS: number | null;
  readonly rates: readonly Rate[];
}

export interface ProcessList {
  readonly processes: readonly AppProcess[];
  readonly abilities: Abilities;
  // Before Android 12 a device lists debuggable processes only.
  readonly hasProfileable: boolean;
  readonly problem: string | null;
}

// A Java program of this computer.
export interface JavaProgram {
  readonly pid: number;
  readonly name: string;
  readonly user: string;
  // "17.0.13"; empty: it does not tell.
  readonly java: string;
  readonly uptimeS: number;
  // Why it cannot be recorded.
  readonly advice: string | null;
}

export interface JavaList {
  readonly programs: readonly JavaProgram[];
  // Why none of them can be recorded: the recorder is missing, for one.
  readonly problem: string | null;
}

// Where the process is that is recorded: the serial number of a device, or this computer.
export const HERE = "";

// The places where something can be recorded, with what they are called: devices first.
export function placesOf(
  devices: DeviceList | null,
  java: JavaList | null,
): readonly (readonly [string, string])[] {
  const ready = devices?.devices.filter((device) => device.isReady) ?? [];
  const places = ready.map((device) => [device.serial, deviceLabel(device)] as const);
  const isRecorderHere = java !== null && java.problem === null;
  return isRecorderHere ? [...places, [HERE, "This computer: Java programs"] as const] : places;
}

// Whether there is something to record without starting it first.
export function hasSomething(devices: DeviceList | null, java: JavaList | null): boolean {
  return placesOf(devices, java).some(
    ([place]) => place !== HERE || java?.programs.some((program) => program.advice === null),
  );
}

// A row of the list to choose from.
export interface Recordable {
  // Null: an app that is to be started.
  readonly pid: number | null;
  readonly name: string;
  readonly kind: string;
  readonly rates: readonly Rate[];
  readonly uptimeS: number | null;
  // Why it cannot be chosen.
  readonly advice: string | null;
}

export function recordableApp(process: AppProcess): Recordable {
  const { pid, name, uptimeS, user, rates } = process;
  const kind = process.isDebuggable ? "debuggable" : "profileable";
  const whole = user === 0 ? kind : `${kind}, user ${user}`;
  return { pid, name, uptimeS, rates, kind: whole, advice: null };
}

export function recordableProgram(program: JavaProgram): Recordable {
  const { pid, name, uptimeS, advice } = program;
  return {
    pid,
    name,
    uptimeS,
    rates: [],
    kind: program.java === "" ? "Java" : `Java ${program.java}`,
    advice,
  };
}

// A package's name, as Java and Android have them: at least two words with a dot between them.
const PACKAGE = /^[A-Za-z]\w*(\.[A-Za-z]\w*)+$/;

// The apps that can be started: those that are installed, and the name that was typed where it may be another's.
export function startable(list: AppList, typed: string): readonly Recordable[] {
  const row = (name: string, kind: string, rates: readonly Rate[]): Recordable => {
    return { pid: null, name, kind, rates, uptimeS: null, advice: null };
  };
  const rows = list.apps.map(({ name, rates }) => row(name, "installed", rates));
  const isOther = PACKAGE.test(typed) && list.apps.every(({ name }) => name !== typed);
  return isOther ? [...rows, row(typed, "as typed", [])] : rows;
}

export function deviceLabel(device: Device): string {
  const model = device.model.replaceAll("_", " ");
  return model === "" ? device.serial : `${model} (${device.serial})`;
}

export function matchingProcesses<T extends { readonly name: string }>(
  processes: readonly T[],
  query: string,
): readonly T[] {
  return bestMatches(processes, query, ({ name }) => name);
}

export function uptimeWords(seconds: number | null): string {
  if (seconds === null) return "";
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}
