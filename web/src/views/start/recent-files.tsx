// The files that were opened last.

import { formatBytes } from "../../base/format";
import { formatAge, type RecentFile } from "../../model/page/recent";
import { useProgram } from "../shared/context";

export function RecentFiles({ files }: { files: readonly RecentFile[] }) {
  const program = useProgram();
  const now = Date.now() / 1000;
  return (
    <section class="start-recent" aria-label="Recent files">
      <h3>Recent</h3>
      <ul>
        {files.map((file) => (
          <li key={file.id}>
            <button
              title={file.folder === "" ? file.name : `${file.folder}/${file.name}`}
              onClick={() => program.openRecent(file.id, file.name)}
            >
              <b class="clip">{file.name}</b>
              <span class="muted clip">{file.folder}</span>
              <span class="muted number">{formatBytes(file.bytes)}</span>
              <span class="muted number">{formatAge(file.openedSeconds, now)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
