// The files that were opened last.

import { useSignal } from "@preact/signals";
import { formatBytes } from "../../base/format";
import { formatAge, type RecentFile } from "../../model/page/recent";
import { canCompare, mayCompare } from "../../state/page/compared";
import { useApp, useProgram } from "../shared/context";

export function RecentFiles({ files: listed }: { files: readonly RecentFile[] }) {
  const program = useProgram();
  const forgotten = useSignal<readonly string[]>([]);
  const { forget } = program;
  // A file that the browser gives again stays in the list without its copy.
  const files = listed.filter(({ id }) => !forgotten.value.includes(id));
  const { store } = useApp();
  const canBeCompared = canCompare(store);
  // Without a trace, two of the files can be chosen, the old one first.
  const old = useSignal<RecentFile | null>(null);
  const canChooseTwo = store.phase.value.kind === "empty" && files.length > 1 && mayCompare(store);
  const now = Date.now() / 1000;
  return (
    <section class="start-recent" aria-label="Recent files">
      {/* In the line of the heading: the list stays under the pointer. */}
      <div class="recent-head">
        <h3>Recent</h3>
        <p class="muted" role="status">
          {old.value === null ? null : (
            <>
              <span class="clip">{old.value.name}</span> is the old one: choose the new one
            </>
          )}
        </p>
      </div>
      <ul>
        {files.map((file) => (
          <li
            key={file.id}
            class={canBeCompared || canChooseTwo || file.keptId !== undefined ? "with-compare" : ""}
          >
            <button
              title={file.folder === "" ? file.name : `${file.folder}/${file.name}`}
              onClick={() => program.openRecent(file.id, file.name)}
            >
              <b class="clip">{file.name}</b>
              <span class="muted clip">{file.folder}</span>
              <span class="muted number">{formatBytes(file.bytes)}</span>
              <span class="muted number">{formatAge(file.openedSeconds, now)}</span>
            </button>
            {forget !== null &&
            file.keptId !== undefined &&
            !forgotten.value.includes(file.keptId) ? (
              <button
                class="link"
                aria-label={`Forget ${file.name}`}
                title={`Removes the copy of ${file.name} that this browser keeps for a reload`}
                onClick={(event) => {
                  event.stopPropagation();
                  const { keptId = "" } = file;
                  void forget(keptId).then(() => (forgotten.value = [...forgotten.value, keptId]));
                }}
              >
                Forget
              </button>
            ) : null}
            {canChooseTwo ? (
              <button
                class="link"
                aria-label={`Compare ${file.name}`}
                aria-pressed={old.value?.id === file.id}
                title={compareTitle(old.value, file)}
                onClick={() => {
                  const first = old.value;
                  if (first === null || first.id === file.id)
                    old.value = first === null ? file : null;
                  else program.compareRecents(first, file);
                }}
              >
                Compare
              </button>
            ) : null}
            {canBeCompared ? (
              <button
                class="link"
                aria-label={`Compare ${file.name}`}
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

function compareTitle(old: RecentFile | null, file: RecentFile): string {
  if (old === null) return `Compares ${file.name}, as the old one, with the file chosen next`;
  return old.id === file.id
    ? `${file.name} is the old one; press to choose another`
    : `Opens ${file.name}, compared with ${old.name}, which is the old one`;
}
