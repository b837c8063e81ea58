// A lens in a link: each step has its parameters, and "then" stands between two steps.

import { MAX_PATH, MAX_STEPS, stepsOf, type NamedLens } from "../lens";
import { readCall, readLasting, writeCall, writeLasting } from "../link-parts";

// A lens of which a step names more methods than a link can carry is left out.
export function lensParams(lens: NamedLens | null): [string, string][] {
  const steps = stepsOf(lens);
  if (steps.some((step) => "methods" in step && step.methods.length > MAX_PATH)) return [];
  return steps.flatMap((step, ix): [string, string][] => [
    ...(ix === 0 ? [] : [["then", ""] satisfies [string, string]]),
    ...stepParams(step),
  ]);
}

function stepParams(step: NamedLens): [string, string][] {
  if (step.kind === "within") return [["within", writeCall(step.call)]];
  const lasting: [string, string][] =
    step.lasting === undefined ? [] : [["lasting", writeLasting(step.lasting)]];
  if (step.kind === "search") return [["those", step.text], ...lasting];
  const methods = step.methods.map((name): [string, string] => [
    step.kind === "methods" ? "of" : step.kind,
    name,
  ]);
  const past: [string, string][] =
    step.kind === "methods" || step.past === "" ? [] : [["past", step.past]];
  return [...methods, ...past, ...lasting];
}

// The calls that are selected stand behind the lens, with a parameter between them.
const CHOSEN = "selected";

export function chosenParams(calls: NamedLens | null): [string, string][] {
  const params = lensParams(calls);
  return params.length === 0 ? [] : [[CHOSEN, ""], ...params];
}

// The parameters of a lens, in the order of the link: "then" stands between two steps.
const LENS_KEYS = ["along", "upwards", "of", "those", "within", "past", "lasting", "then"];

export function readLens(params: URLSearchParams): NamedLens | null {
  return readSteps(parted(params)[0]);
}

export function readChosen(params: URLSearchParams): NamedLens | null {
  return readSteps(parted(params)[1]);
}

function parted(params: URLSearchParams): [[string, string][], [string, string][]] {
  const all = [...params];
  const at = all.findIndex(([key]) => key === CHOSEN);
  return at < 0 ? [all, []] : [all.slice(0, at), all.slice(at + 1)];
}

function readSteps(params: readonly [string, string][]): NamedLens | null {
  const steps: URLSearchParams[] = [new URLSearchParams()];
  for (const [key, value] of params) {
    if (key === "then" && steps.length < MAX_STEPS) steps.push(new URLSearchParams());
    else if (LENS_KEYS.includes(key)) steps[steps.length - 1]?.append(key, value);
  }
  let lens: NamedLens | null = null;
  for (const step of steps) {
    const read = readStep(step);
    if (read !== null) lens = lens === null ? read : { ...read, before: lens };
  }
  return lens;
}

function readStep(params: URLSearchParams): NamedLens | null {
  const call = readCall(params.get("within"));
  if (call !== null) return { kind: "within", call };
  const known = readLasting(params.get("lasting"));
  const lasting = known === null ? {} : { lasting: known };
  const text = params.get("those") ?? "";
  if (text !== "") return { kind: "search", text, ...lasting };
  for (const kind of ["along", "upwards"] as const) {
    const methods = params.getAll(kind).slice(0, MAX_PATH);
    if (methods.length > 0) return { kind, methods, past: params.get("past") ?? "", ...lasting };
  }
  const methods = params.getAll("of").slice(0, MAX_PATH);
  return methods.length === 0 ? null : { kind: "methods", methods, ...lasting };
}
