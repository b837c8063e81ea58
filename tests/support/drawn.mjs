// As drawn.py, for scripts of node: which of many cases a run takes that differ in data alone. Without --all one of three, drawn
// by their names; where none is, the first.
import { createHash } from "node:crypto";

const DRAWN_OF = 3;

const isAll = () => process.argv.includes("--all");

function isDrawn(name) {
  const hash = createHash("sha256").update(name).digest();
  return hash.readUInt32LE(0) % DRAWN_OF === 0;
}

export function drawnByName(cases, nameOf) {
  const some = isAll() ? cases : cases.filter((one) => isDrawn(nameOf(one)));
  return some.length > 0 ? some : cases.slice(0, 1);
}

// Of cases of several kinds, so that each kind keeps one.
export function drawnOfEach(cases, nameOf, kindOf) {
  const kinds = new Map();
  for (const one of cases) kinds.set(kindOf(one), [...(kinds.get(kindOf(one)) ?? []), one]);
  return [...kinds.values()].flatMap((some) => drawnByName(some, nameOf));
}

// Of cases that are not known beforehand, each when its turn comes: the first, and of the others those that are drawn.
export function drawnInTurn() {
  let count = 0;
  return (name) => {
    count += 1;
    return count === 1 || isAll() || isDrawn(name);
  };
}
