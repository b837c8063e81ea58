// Zooming and transforming the flame graph.

import { flamePath } from "../model/flame";
import { packageOf } from "../model/names";
import type { App } from "../state/app";
import { item, LINE, type MenuItem } from "../state/menu";
import { methodItems } from "./method-actions";

// The path from the whole graph's root to a box. A zoomed graph begins with the box zoomed to.
export function fullPath(app: App, ix: number): number[] {
  const answer = app.flame.answer.peek().value;
  const above = app.store.flamePath.peek();
  if (answer === null) return [...above];
  const inside = flamePath(answer, ix);
  const roots = answer.depth.filter((depth) => depth === 0).length;
  const isRepeated = above.length > 0 && roots === 1 && inside[0] === above[above.length - 1];
  return [...above, ...(isRepeated ? inside.slice(1) : inside)];
}

export function zoomFlame(app: App, ix: number): void {
  app.store.flamePath.value = fullPath(app, ix);
}

export function addOp(app: App, op: string): void {
  const ops = app.store.ops.peek();
  if (!ops.includes(op)) app.store.ops.value = [...ops, op];
  app.store.flamePath.value = [];
}

export function flameItems(app: App, ix: number, rank: number): MenuItem[] {
  const method = app.store.names.get(rank);
  const inside = method === undefined ? "" : packageOf(method.class);
  return [
    item("Zoom to this box", () => zoomFlame(app, ix)),
    LINE,
    item("Focus on the method", () => addOp(app, `focus:${rank}`)),
    item("Merge the method into its callers", () => addOp(app, `merge:${rank}`)),
    item("Collapse its recursion", () => addOp(app, `recursion:${rank}`)),
    item("Drop all stacks with it", () => addOp(app, `drop:${rank}`)),
    ...(inside === ""
      ? []
      : [item(`Collapse package ${inside}`, () => addOp(app, `collapse:${inside}`))]),
    ...(method === undefined ? [] : [LINE, ...methodItems(app, method)]),
  ];
}

const OP_NAMES: Readonly<Record<string, string>> = {
  focus: "focus",
  merge: "merge",
  recursion: "recursion of",
  drop: "without",
  collapse: "collapsed",
};

// An op in words, for its breadcrumb.
export function opLabel(app: App, op: string): string {
  const cut = op.indexOf(":");
  const what = op.slice(cut + 1);
  const kind = op.slice(0, cut);
  const method = /^\d+$/.test(what) ? app.store.names.get(Number(what)) : undefined;
  return `${OP_NAMES[kind] ?? kind} ${method?.name ?? what}`;
}
