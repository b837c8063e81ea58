// The files that were opened last: a press leads to the trace, and Back returns.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { RecentFile } from "../../model/page/recent";
import { useApp, useProgram } from "../shared/context";
import { RecentFiles } from "./recent-files";
import { DialogFrame } from "../dialogs/dialog";

export function RecentDialog() {
  const { store } = useApp();
  const program = useProgram();
  const files = useSignal<readonly RecentFile[] | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    program.recent(abort.signal).then(
      (found) => (files.value = found.files),
      () => (files.value = []),
    );
    return () => abort.abort();
  }, []);
  return (
    <DialogFrame title="Recent files">
      {files.value === null ? null : files.value.length === 0 ? (
        <p class="muted">No file was opened here yet.</p>
      ) : (
        <div onClick={() => (store.dialog.value = null)}>
          <RecentFiles files={files.value} />
        </div>
      )}
    </DialogFrame>
  );
}
