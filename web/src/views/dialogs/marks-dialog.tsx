// The list of marks: name them, go to one, take one away.

import { formatDuration, formatRange } from "../../base/format";
import type { Mark } from "../../model/timeline/marks";
import { threadLabel } from "../../model/trace";
import { useApp } from "../shared/context";
import { showStep } from "../story/story-steps";
import { DialogFrame } from "./dialog";

export function MarksDialog() {
  const app = useApp();
  const { store } = app;
  const marks = store.marks.value;
  return (
    <DialogFrame title="Marks">
      {marks.length === 0 ? (
        <p class="muted">
          No marks yet. Select a range or a call and press <kbd>M</kbd>. Marks go along in the link.
        </p>
      ) : (
        <ul class="marks">
          {marks.map((mark, ix) => (
            <MarkRow
              key={`${mark.from}-${mark.to}-${mark.call?.method ?? ""}`}
              mark={mark}
              ix={ix}
            />
          ))}
        </ul>
      )}
      {marks.length === 0 ? null : (
        <p>
          <button
            class="button"
            onClick={() => {
              store.dialog.value = null;
              showStep(app, { of: "marks", step: 1 });
            }}
          >
            Walk through them
          </button>{" "}
          <span class="muted">A link, and a page that is saved meanwhile, begin there.</span>
        </p>
      )}
    </DialogFrame>
  );
}

function MarkRow({ mark, ix }: { mark: Mark; ix: number }) {
  const { store, marks } = useApp();
  const owner = store.info.value?.threads.find((thread) => thread.id === mark.call?.thread.id);
  const label = mark.text === "" ? `Mark ${ix + 1}` : mark.text;
  const where =
    mark.call === null
      ? formatRange(mark.from, mark.to)
      : `call ${mark.call.ordinal} · ${owner === undefined ? mark.call.thread.id : threadLabel(owner)}`;
  return (
    <li>
      <i class="flag" />
      <input
        type="text"
        spellcheck={false}
        aria-label={`Name of mark ${ix + 1}`}
        placeholder={`Mark ${ix + 1}`}
        value={mark.text}
        onChange={(event) => marks.rename(mark, event.currentTarget.value.trim())}
      />
      <span class="muted mark-where">{where}</span>
      <span class="mark-length">{formatDuration(mark.to - mark.from)}</span>
      <button
        class="button"
        aria-label={`Show ${label}`}
        onClick={() => {
          store.dialog.value = null;
          marks.jump(mark);
        }}
      >
        Show
      </button>
      <button class="icon-button" aria-label={`Remove ${label}`} onClick={() => marks.remove(mark)}>
        <i class="cross" />
      </button>
    </li>
  );
}
