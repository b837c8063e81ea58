// Which run of several a side shows, and another one to choose.

import { oneRunText, type RunsSide } from "../../model/changes/runs";
import { oneOf } from "../../state/page/menu";
import { useApp } from "./context";
import { menuBelow } from "./menu-below";

export function RunChoice({ side }: { side: RunsSide }) {
  const app = useApp();
  const run = app.runs.both.value[side];
  if (run === null) return null;
  const label = side === "old" ? "Runs of the old side" : "Runs of the new side";
  return (
    <button
      class="link run-choice"
      aria-haspopup="menu"
      title={`${run.text}${run.why}; press to show another one`}
      onClick={(event) => menuBelow(app, event.currentTarget, label, () => items(app, side))}
    >
      <span class="muted">{side === "old" ? "Old:" : "New:"}</span>
      <span>
        {run.text}
        <span class="run-why">{run.why}</span>
      </span>
      <i class="caret" />
    </button>
  );
}

function items(app: ReturnType<typeof useApp>, side: RunsSide) {
  const run = app.runs.both.value[side];
  if (run === null) return [];
  return run.files.map((file, ix) =>
    oneOf(
      `${ix + 1}: ${file}`,
      ix === run.shown,
      () => app.runs.show(side, run.names[ix] ?? ""),
      ix === run.typical ? { note: "the most typical" } : {},
    ),
  );
}

// Which run of each side is shown, where there are several; else nothing.
export function OneRunNote() {
  const { runs } = useApp();
  const { old, new: now } = runs.both.value;
  const text = oneRunText(old, now);
  return text === "" ? null : <span class="muted one-run">{text}</span>;
}
