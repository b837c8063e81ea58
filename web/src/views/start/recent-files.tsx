// The files that were opened last.

import { formatBytes } from "../../base/format";
import { formatAge, type RecentFile } from "../../model/page/recent";
import { canCompare } from "../../state/page/compared";
import { useApp, useProgram } from "../shared/context";

export function RecentFiles({ files }: { files: readonly RecentFile[] }) {
  const program = useProgram();
  const canBeCompared = canCompare(useApp().store);
  const now = Date.now() / 1000;
  return (
    <section class="start-recent" aria-label="Recent files">
      <h3>Recent</h3>
      <ul>
        {files.map((file) => (
          <li key={file.id} class={canBeCompared ? "with-compare" : ""}>
            <button
              title={file.folder === "" ? file.name : `${file.folder}/${file.name}`}
              onClick={() => program.openRecent(file.id, file.name)}
            >
              <b class="clip">{file.name}</b>
              <span class="muted clip">{file.folder}</span>
              <span class="muted number">{formatBytes(file.bytes)}</span>
              <span class="muted number">{formatAge(file.openedSeconds, now)}</span>
            </button>
            {canBeCompared ? (
              <button
                class="link"
                title={`Opens ${file.name}, compared with the trace that is shown, which is the old one then`}
                onClick={() => program.compareRecent(file.id, file.name)}
              >
                Compare
              </button>
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  );
}
