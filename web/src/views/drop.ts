// Opens a file that is dropped anywhere on the page, or chosen by Ctrl+O.

import { droppedHandle } from "../api/file-handles";
import { canCompare } from "../state/page/compared";
import type { App, Dropped } from "../state/page/app";

export function attachDrop(app: App): () => void {
  const abort = new AbortController();
  const isFile = (event: DragEvent): boolean =>
    app.store.can.peek().open && [...(event.dataTransfer?.types ?? [])].includes("Files");
  const mark = (dropped: Dropped | null): void => {
    document.documentElement.classList.toggle("dropping", dropped !== null);
    app.dropped.value = dropped;
  };
  const halfOf = (event: DragEvent): Dropped =>
    canCompare(app.store) && event.clientX > self.innerWidth / 2 ? "compare" : "open";
  self.addEventListener(
    "dragover",
    (event) => {
      if (!isFile(event)) return;
      event.preventDefault();
      mark(halfOf(event));
    },
    { signal: abort.signal },
  );
  self.addEventListener("dragleave", (event) => event.relatedTarget === null && mark(null), {
    signal: abort.signal,
  });
  self.addEventListener(
    "drop",
    (event) => {
      mark(null);
      if (!isFile(event)) return;
      event.preventDefault();
      const files = [...(event.dataTransfer?.files ?? [])];
      const first = files[0];
      if (files.length > 1 && halfOf(event) === "compare") app.session.compareFiles(files);
      else if (files.length > 1) app.session.openFiles(files);
      else if (first !== undefined && halfOf(event) === "compare") app.session.compareFile(first);
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
  input.multiple = app.store.can.peek().holdsTwo === true;
  input.addEventListener("change", () => {
    const files = [...(input.files ?? [])];
    if (files.length > 0) app.session.openFiles(files);
  });
  input.click();
}
