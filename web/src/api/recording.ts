// Devices and recordings, which only the program on this computer has (docs/api.md, "Recording").

import type {
  Abilities,
  AppList,
  AppProcess,
  Device,
  DeviceList,
  JavaList,
  JavaProgram,
  ProcessList,
  Rate,
} from "../model/page/recordable";
import type { RecordingWish } from "../model/page/recording-choice";
import type { Recording, RecordingStep } from "../model/page/recording";
import { HERE } from "../model/page/recordable";
import { visibleText } from "../base/text";
import { fieldsOf, flagOr, listOf, nameOr, numberOf, numberOr, textOf, textOr } from "./check";
import { otherPage } from "./content";
import { request } from "./request";

export interface RecordingApi {
  // Starts adb's server only where that is asked for.
  devices(isStart: boolean): Promise<DeviceList>;
  processes(serial: string, signal: AbortSignal): Promise<ProcessList>;
  // What is installed there, running or not.
  apps(serial: string, signal: AbortSignal): Promise<AppList>;
  // The Java programs of this computer.
  programs(): Promise<JavaList>;
  look(): Promise<Recording>;
  start(wish: RecordingWish): Promise<Recording>;
  stop(): Promise<Recording>;
  // Shows what a recording that failed has kept.
  openKept(): Promise<Recording>;
}

function decodeDevice(value: unknown, path: string): Device {
  const fields = fieldsOf(value, path);
  const advice = textOr(fields, "advice", "");
  return {
    serial: textOf(fields, "serial"),
    isReady: flagOr(fields, "ready", false),
    state: nameOr(fields, "state", ""),
    model: nameOr(fields, "model", ""),
    advice: advice === "" ? null : visibleText(advice),
  };
}

function decodeBuffer(value: unknown): readonly [number, number] {
  const [durationS, mb] = Array.isArray(value) ? value : [];
  return [Number(durationS) || 0, Number(mb) || 0];
}

function decodeRate(value: unknown, path: string): Rate {
  const fields = fieldsOf(value, path);
  return {
    isSampled: flagOr(fields, "sampled", false),
    bytesPerS: numberOr(fields, "bytes_per_s", 0),
    isOfApp: flagOr(fields, "of_app", false),
    buffers: listOf(fields["buffers"] ?? [], `${path}.buffers`, decodeBuffer),
  };
}

function decodeRates(fields: Readonly<Record<string, unknown>>): readonly Rate[] {
  return listOf(fields["rates"] ?? [], "rates", decodeRate);
}

function decodeProcess(value: unknown, path: string): AppProcess {
  const fields = fieldsOf(value, path);
  const uptime = numberOr(fields, "uptime_s", -1);
  return {
    pid: numberOf(fields, "pid"),
    name: nameOr(fields, "name", ""),
    isDebuggable: flagOr(fields, "debuggable", false),
    user: numberOr(fields, "user", 0),
    uptimeS: uptime < 0 ? null : uptime,
    rates: decodeRates(fields),
  };
}

function decodeAbilities(fields: Readonly<Record<string, unknown>>): Abilities {
  const of = listOf(fields["abilities"] ?? [], "abilities", (one, path) => {
    const ability = fieldsOf(one, path);
    return {
      name: nameOr(ability, "name", ""),
      since: nameOr(ability, "since", ""),
      has: flagOr(ability, "has", true),
    };
  });
  return { android: nameOr(fields, "android", ""), of };
}

function problemIn(fields: Readonly<Record<string, unknown>>): string | null {
  const problem = nameOr(fields, "problem", "");
  return problem === "" ? null : problem;
}

function decodeDevices(value: unknown): DeviceList {
  const fields = fieldsOf(value, "devices");
  return {
    devices: listOf(fields["devices"] ?? [], "devices", decodeDevice),
    problem: problemIn(fields),
  };
}

function decodeProcesses(value: unknown): ProcessList {
  const fields = fieldsOf(value, "processes");
  return {
    processes: listOf(fields["processes"] ?? [], "processes", decodeProcess),
    abilities: decodeAbilities(fields),
    hasProfileable: flagOr(fields, "lists_profileable", true),
    problem: problemIn(fields),
  };
}

function decodeApps(value: unknown): AppList {
  const fields = fieldsOf(value, "apps");
  return {
    apps: listOf(fields["apps"] ?? [], "apps", (one, path) => {
      const app = fieldsOf(one, path);
      return { name: nameOr(app, "name", ""), rates: decodeRates(app) };
    }),
    abilities: decodeAbilities(fields),
    problem: problemIn(fields),
  };
}

function decodeProgram(value: unknown, path: string): JavaProgram {
  const fields = fieldsOf(value, path);
  const advice = nameOr(fields, "advice", "");
  return {
    pid: numberOf(fields, "pid"),
    name: nameOr(fields, "name", ""),
    user: nameOr(fields, "user", ""),
    java: nameOr(fields, "java", ""),
    uptimeS: numberOr(fields, "uptime_s", 0),
    advice: flagOr(fields, "ready", false) ? null : advice,
  };
}

function decodePrograms(value: unknown): JavaList {
  const fields = fieldsOf(value, "processes");
  const problem = problemIn(fields);
  return {
    programs: listOf(fields["processes"] ?? [], "processes", decodeProgram),
    problem: flagOr(fields, "recorder", false) ? problem : nameOr(fields, "advice", problem ?? ""),
  };
}

function decodeStep(value: unknown): RecordingStep | null {
  if (value === undefined) return null;
  const fields = fieldsOf(value, "progress");
  return {
    phase: textOr(fields, "phase", ""),
    ms: numberOr(fields, "ms", 0),
    bytes: numberOr(fields, "bytes", 0),
    buffer: numberOr(fields, "buffer", 0),
    done: numberOr(fields, "done", 0),
    of: numberOr(fields, "of", 0),
    isWaiting: flagOr(fields, "waiting", false),
    text: nameOr(fields, "text", ""),
    neededMb: numberOr(fields, "needed_mb", 0),
  };
}

const STATES = ["idle", "running", "done", "failed"] as const;

function decodeRecording(value: unknown): Recording {
  const fields = fieldsOf(value, "recording");
  return {
    state: STATES.find((state) => state === fields["state"]) ?? "idle",
    elapsedMs: numberOr(fields, "elapsed_ms", 0),
    isStopped: flagOr(fields, "stopped", false),
    text: nameOr(fields, "text", ""),
    file: nameOr(fields, "file", ""),
    folder: nameOr(fields, "folder", ""),
    step: decodeStep(fields["progress"]),
    page: otherPage(value),
  };
}

async function ask<T>(
  address: string,
  init: RequestInit,
  decode: (value: unknown) => T,
): Promise<T> {
  const response = await request(`api/${address}`, init);
  return decode(await response.json());
}

function wishText(wish: RecordingWish): string {
  const query = new URLSearchParams({ name: wish.name, mode: wish.mode });
  if (wish.pid !== null) query.set("pid", String(wish.pid));
  else {
    query.set("begin", wish.begin);
    query.set("package", wish.name);
    if (wish.activity !== "") query.set("activity", wish.activity);
  }
  if (wish.serial !== HERE) query.set("serial", wish.serial);
  if (wish.serial !== HERE && wish.mode !== "stream" && wish.bufferMb > 0)
    query.set("buffer_mb", String(wish.bufferMb));
  if (wish.durationS > 0) query.set("duration_s", String(wish.durationS));
  return query.toString();
}

export function createRecordingApi(): RecordingApi {
  const put = (query: string): Promise<Recording> =>
    ask(`recording?${query}`, { method: "PUT" }, decodeRecording);
  // The program asks devices one question at a time, and refuses a second one meanwhile.
  let last: Promise<unknown> = Promise.resolve();
  const askInTurn = <T>(question: () => Promise<T>): Promise<T> => {
    const mine = last.then(question, question);
    last = mine;
    return mine;
  };
  return {
    devices: (isStart) =>
      askInTurn(() => ask(isStart ? "devices?start=1" : "devices", {}, decodeDevices)),
    processes: (serial, signal) =>
      askInTurn(() =>
        ask(`processes?serial=${encodeURIComponent(serial)}`, { signal }, decodeProcesses),
      ),
    apps: (serial, signal) =>
      askInTurn(() =>
        ask(`processes?serial=${encodeURIComponent(serial)}&installed=1`, { signal }, decodeApps),
      ),
    programs: () => askInTurn(() => ask("processes", {}, decodePrograms)),
    look: () => ask("recording", {}, decodeRecording),
    start: (wish) => put(wishText(wish)),
    stop: () => put("stop=1"),
    openKept: () => put("open=1"),
  };
}
