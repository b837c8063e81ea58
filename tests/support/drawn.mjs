// As drawn.py, for scripts of node: which of many cases a run takes that differ in data alone. Without --all one of three, drawn
// by their names; where none is, the first.
import { createHash } from "node:crypto";

const DRAWN_OF = 3;

function isDrawn(name) {
  const hash = createHash("sha256").update(name).digest();
  return hash.readUInt32LE(0) % DRAWN_OF === 0;
}

export function drawnByName(cases, nameOf) {
  const some = process.argv.includes("--all")
    ? cases
    : cases.filter((one) => isDrawn(nameOf(one)));
  return some.length > 0 ? some : cases.slice(0, 1);
}
