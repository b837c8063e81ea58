// The transforms of stacks in flame graph and trees, by menu and by key.

import { packageOf, shortName, sourceClassOf } from "../../model/names";
import { opLabel, withOp, type MethodOpKind, type Op } from "../../model/ops";
import type { App } from "../../state/page/app";
import { item, type MenuItem } from "../../state/page/menu";

function addOp(app: App, op: Op): void {
  const { store } = app;
  store.ops.value = withOp(store.ops.peek(), op);
  store.flamePath.value = [];
  store.announce.value = opText(app, op);
}

export function opText(app: App, op: Op): string {
  return opLabel(op, (rank) => {
    const method = app.store.names.get(rank);
    return method === undefined ? undefined : shortName(method);
  });
}

function undoOp(app: App): void {
  app.store.ops.value = app.store.ops.peek().slice(0, -1);
}

interface Transform {
  readonly key: string;
  readonly kind: MethodOpKind;
  readonly label: string;
}

const TRANSFORMS: readonly Transform[] = [
  { key: "f", kind: "focus", label: "Focus on the method" },
  { key: "m", kind: "merge", label: "Merge the method into its callers" },
  { key: "r", kind: "recursion", label: "Collapse its recursion" },
  { key: "d", kind: "drop", label: "Drop all stacks with it" },
];
const COLLAPSE_KEY = "c";
const UNDO_KEY = "u";

function packageAt(app: App, rank: number): string {
  const method = app.store.names.get(rank);
  return method === undefined ? "" : packageOf(sourceClassOf(method));
}

export function transformItems(app: App, rank: number): MenuItem[] {
  const inside = packageAt(app, rank);
  return [
    ...TRANSFORMS.map(({ key, kind, label }) =>
      item(label, () => addOp(app, { kind, rank }), key.toUpperCase()),
    ),
    ...(inside === ""
      ? []
      : [
          item(
            `Collapse package ${inside}`,
            () => addOp(app, { kind: "collapse", package: inside }),
            COLLAPSE_KEY.toUpperCase(),
          ),
        ]),
    ...(app.store.ops.peek().length === 0
      ? []
      : [item("Undo the last transform", () => undoOp(app), UNDO_KEY.toUpperCase())]),
  ];
}

// Runs the transform of a key; tells whether the key has one.
export function transformByKey(app: App, rank: number | null, event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false;
  const key = event.key.toLowerCase();
  if (key === UNDO_KEY && app.store.ops.peek().length > 0) {
    undoOp(app);
    return true;
  }
  if (rank === null) return false;
  const transform = TRANSFORMS.find((one) => one.key === key);
  const inside = packageAt(app, rank);
  if (transform !== undefined) addOp(app, { kind: transform.kind, rank });
  else if (key === COLLAPSE_KEY && inside !== "") addOp(app, { kind: "collapse", package: inside });
  else return false;
  return true;
}
