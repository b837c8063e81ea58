// The columns of the tree of two calls: calls, inclusive and exclusive time of both on the clock in use, and the change.

import { formatCount, signOf } from "../../base/format";
import { signedMs } from "../before";
import { countColumn, textColumn, timeColumn } from "../table/column-kinds";
import type { TableColumn } from "../table/table";
import type { Measure } from "../trace";
import { callWords, MEASURE_WORDS } from "../words";
import {
  pairCalls,
  pairChange,
  pairTime,
  type PairNode,
  type PairRow,
  type PairSide,
} from "./pair-tree";

const SIDE_WORDS: Readonly<Record<PairSide, { readonly label: string; readonly of: string }>> = {
  this: { label: "This", of: "in this call" },
  other: { label: "Other", of: "in the other call" },
};
const SPACES = "  ";

type Kind = "inclusive" | "exclusive";
const SHORT: Readonly<Record<Kind, string>> = { inclusive: "incl", exclusive: "excl" };

function nodeOf(row: PairRow): PairNode | undefined {
  return row.kind === "node" ? row.node : undefined;
}

function told<T>(row: PairRow, get: (node: PairNode) => T | undefined): T | undefined {
  const node = nodeOf(row);
  return node === undefined ? undefined : get(node);
}

// What is certain of the calls; of samples, which are no calls, only who has any.
function pairVerdict(node: PairNode, isSampled: boolean): string {
  if (node.isOfTwo === true) return "two methods";
  if (node.this === null) return "other alone";
  if (node.other === null) return "this alone";
  const [own, other] = [node.this?.calls, node.other?.calls];
  if (isSampled || own === undefined || other === undefined) return "";
  const more = own - other;
  return more === 0 ? "same calls" : `calls ${signOf(more)}${formatCount(Math.abs(more))}`;
}

function sideTime(side: PairSide, kind: Kind, measure: Measure): TableColumn<PairRow> {
  const { label, word } = MEASURE_WORDS[measure];
  const { label: who, of } = SIDE_WORDS[side];
  return timeColumn<PairRow>({
    id: `${side}-${SHORT[kind]}`,
    label: `${who} ${SHORT[kind]} ${label}, ms`,
    title: `${kind} ${word} ${of}, ms`,
    csv: `${side}_${kind}_${measure}_ns`,
    width: 132,
    measure,
    get: (row) => told(row, (node) => pairTime(node, side, kind, measure)),
  });
}

// Sorted by its size: what changed most stands first, whichever call has more.
function change(kind: Kind, measure: Measure): TableColumn<PairRow> {
  const { label, word } = MEASURE_WORDS[measure];
  const get = (row: PairRow): number | undefined =>
    told(row, (node) => pairChange(node, kind, measure));
  return {
    id: `change-${SHORT[kind]}`,
    label: `± ${SHORT[kind]} ${label}, ms`,
    title: `${kind} ${word}: this call less the other one, ms; sorted by its size`,
    csv: `change_${kind}_${measure}_ns`,
    width: 116,
    isUsual: true,
    value: get,
    sortedBy: (row) => {
      const ns = get(row);
      return ns === undefined ? undefined : Math.abs(ns);
    },
    text: (row) => signedMs(get(row)),
  };
}

function sideCalls(side: PairSide, isSampled: boolean): TableColumn<PairRow> {
  const { label, of } = SIDE_WORDS[side];
  const words = callWords(isSampled);
  return countColumn<PairRow>({
    id: `${side}-calls`,
    label: `${label} ${words.many}`,
    title: `How many ${words.many} along this path ${of}`,
    csv: `${side}_calls`,
    width: 96,
    get: (row) => told(row, (node) => pairCalls(node, side)),
  });
}

export function pairColumns(measure: Measure, isSampled: boolean): TableColumn<PairRow>[] {
  return [
    textColumn<PairRow>({
      id: "name",
      label: "Name",
      title: "Class, method and signature",
      csv: "method",
      get: (row) => told(row, ({ method }) => SPACES.repeat(row.depth) + method.method),
    }),
    {
      ...textColumn<PairRow>({
        id: "differs",
        label: "Differs",
        title: isSampled
          ? "Which call it was seen in; samples are no calls"
          : "Counts of calls are certain; sorted by how many more or fewer",
        width: 108,
        get: (row) => told(row, (node) => pairVerdict(node, isSampled)),
      }),
      sortedBy: (row) =>
        told(row, (node) => {
          const [own, other] = [pairCalls(node, "this"), pairCalls(node, "other")];
          return own === undefined || other === undefined ? undefined : Math.abs(own - other);
        }),
    },
    sideTime("this", "inclusive", measure),
    sideTime("other", "inclusive", measure),
    change("inclusive", measure),
    sideCalls("this", isSampled),
    sideCalls("other", isSampled),
    sideTime("this", "exclusive", measure),
    sideTime("other", "exclusive", measure),
    change("exclusive", measure),
  ];
}
