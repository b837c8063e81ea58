// Which of several files that were given at once are the old side.

import { useSignal } from "@preact/signals";
import { formatBytes, plural } from "../../base/format";
import { DATE_STYLE } from "../../model/words";
import { inTime, oldCount, sidesProblem } from "../../model/page/sides";
import { useApp } from "../shared/context";
import { DialogFrame } from "./dialog";

export function SidesDialog() {
  const { store, session } = useApp();
  const files = inTime(store.given.value);
  const old = useSignal<ReadonlySet<File>>(new Set(files.slice(0, oldCount(files))));
  const problem = sidesProblem(old.value.size, files.length);
  const toggle = (file: File): void => {
    const next = new Set(old.peek());
    if (!next.delete(file)) next.add(file);
    old.value = next;
  };
  const compare = (): void => {
    const isOld = (file: File): boolean => old.peek().has(file);
    store.dialog.value = null;
    session.openSides(
      files.filter(isOld),
      files.filter((file) => !isOld(file)),
    );
  };
  return (
    <DialogFrame title="Which are the old ones?">
      <p>
        The {plural(files.length, "file")} are compared: those marked here are runs of the old side,
        the others of the new one.
      </p>
      <ul class="sides-list" aria-label="Old files">
        {files.map((file, ix) => (
          <li key={ix}>
            <label>
              <input type="checkbox" checked={old.value.has(file)} onChange={() => toggle(file)} />
              <span class="clip" title={file.name}>
                {file.name}
              </span>
              <span class="muted">{old.value.has(file) ? "old" : "new"}</span>
              <span class="muted">
                {formatBytes(file.size)}, {changedText(file.lastModified)}
              </span>
            </label>
          </li>
        ))}
      </ul>
      <div class="sides-foot">
        <span class="muted" role="status">
          {problem ?? `${old.value.size} old, ${files.length - old.value.size} new`}
        </span>
        <button class="button main" autofocus disabled={problem !== null} onClick={compare}>
          Compare
        </button>
      </div>
    </DialogFrame>
  );
}

function changedText(time: number): string {
  return new Date(time).toLocaleString(undefined, DATE_STYLE);
}
