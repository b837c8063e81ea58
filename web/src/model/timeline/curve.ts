// The curve of one thread in the overview: of each stretch of the axis, how much was on the CPU and how much waited.

import { isolated } from "../../base/text";
import { formatShare } from "../../base/format";
import { hasMeasure, type Thread, type TraceInfo } from "../trace";
import type { RowLayout } from "./rows";

export interface Curve {
  readonly thread: number;
  // For each of equal stretches, in ns: the time within calls of the thread, and the CPU time of these calls.
  readonly called: readonly number[];
  readonly cpu: readonly number[];
}

// A trace without both clocks has no curve, and samples tell whole intervals alone.
export function hasCurve(info: Pick<TraceInfo, "clocks" | "sampled">): boolean {
  return hasMeasure(info, "wait") && !info.sampled;
}

// The one thread that is chosen, else the first of the rows that has calls.
export function curveThread(
  chosen: ReadonlySet<number> | null,
  { rows }: Pick<RowLayout, "rows">,
): Thread | null {
  const [only] = chosen?.size === 1 ? [...chosen] : [];
  const found =
    rows.find(({ thread }) => thread.id === only) ?? rows.find(({ thread }) => thread.calls > 0);
  return found?.thread ?? null;
}

// Heights of a stretch as shares of its length: what was on the CPU stands below what waited.
export function curveShares(
  { called, cpu }: Curve,
  span: number,
): { readonly cpu: number; readonly wait: number }[] {
  const length = span / Math.max(1, called.length);
  return called.map((ns, ix) => {
    const busy = Math.min(1, (cpu[ix] ?? 0) / length);
    return { cpu: busy, wait: Math.max(0, Math.min(1, ns / length) - busy) };
  });
}

function sum(list: readonly number[]): number {
  return list.reduce((all, one) => all + one, 0);
}

// "main: 86 % of the time on the CPU, 9 % waiting in calls"
export function curveText(curve: Curve, name: string, span: number): string {
  const cpu = sum(curve.cpu);
  const wait = Math.max(0, sum(curve.called) - cpu);
  return `${isolated(name)}: ${formatShare(cpu, span)} of the time on the CPU, ${formatShare(wait, span)} waiting in calls`;
}
