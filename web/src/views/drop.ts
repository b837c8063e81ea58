// Opens a file that is dropped anywhere on the page, or chosen by Ctrl+O.

import { droppedHandle } from "../api/file-handles";
import type { App } from "../state/page/app";

export function attachDrop(app: App): () => void {
  const abort = new AbortController();
  const isFile = (event: DragEvent): boolean =>
    app.store.can.peek().open && [...(event.dataTransfer?.types ?? [])].includes("Files");
  const mark = (isOver: boolean): void => {
    document.documentElement.classList.toggle("dropping", isOver);
  };
  self.addEventListener(
    "dragover",
    (event) => {
      if (!isFile(event)) return;
      event.preventDefault();
      mark(true);
    },
    { signal: abort.signal },
  );
  self.addEventListener("dragleave", (event) => event.relatedTarget === null && mark(false), {
    signal: abort.signal,
  });
  self.addEventListener(
    "drop",
    (event) => {
      mark(false);
      if (!isFile(event)) return;
      event.preventDefault();
      const files = [...(event.dataTransfer?.files ?? [])];
      const first = files[0];
      if (files.length > 1)
        app.store.notify("error", "One trace is shown at a time: drop one file.");
      else if (first !== undefined)
        app.session.openFile(first, () => droppedHandle(event.dataTransfer));
    },
    { signal: abort.signal },
  );
  return () => abort.abort();
}

export function chooseFile(app: App): void {
  if (app.session.chooseFile()) return;
  const input = document.createElement("input");
  input.type = "file";
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    if (file !== undefined) app.session.openFile(file);
  });
  input.click();
}
