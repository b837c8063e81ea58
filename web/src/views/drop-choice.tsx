// What becomes of a file that is held over the page: on the left half it is opened, on the right one it is compared with the
// trace that is shown.

import type { Dropped } from "../state/page/app";
import { canCompare } from "../state/page/compared";
import { useApp } from "./shared/context";

const halvesOf = (holdsTwo: boolean): readonly (readonly [Dropped, string, string])[] => [
  ["open", "Open it", holdsTwo ? "in place of this trace" : "on a page of its own"],
  ["compare", "Compare it with this trace", "which is the old one then"],
];

export function DropHalves() {
  const app = useApp();
  const dropped = app.dropped.value;
  if (dropped === null || !canCompare(app.store)) return null;
  return (
    <div class="drop-halves" aria-hidden="true">
      {halvesOf(app.store.can.value.holdsTwo === true).map(([half, label, note]) => (
        <div key={half} class={half === dropped ? "chosen" : ""}>
          <b>{label}</b>
          <span>{note}</span>
        </div>
      ))}
    </div>
  );
}
