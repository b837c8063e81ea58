// Which calls moved to other callers, on which paths of the tree calls changed, and which threads differ. A press on a method
// selects it.

import {
  callersText,
  movedText,
  pathCallsText,
  pathText,
  shortName,
  threadsText,
  threadText,
  toldThreads,
} from "../../model/changes/callers";
import type { CallerChanges, Changes, SideWords } from "../../model/changes/changes";
import { useApp } from "../shared/context";
import { Folded } from "./folded";
import { selectMethod } from "./change-actions";

// How many are shown at once; the others are folded.
const OPEN = 3;

export function Callers({ changes, words }: { changes: Changes; words: SideWords }) {
  const { callers } = changes;
  if (callers === null || changes.inBoth === 0) return null;
  const threads = toldThreads(changes);
  return (
    <section class="changes-callers" aria-label="Callers and threads">
      <p>{callersText(callers, words)}</p>
      <Moved changes={changes} callers={callers} words={words} />
      <Paths callers={callers} words={words} />
      {threads.length === 0 ? null : (
        <>
          <p>{threadsText(threads)}</p>
          <Folded label="Threads that differ" most={OPEN} of={threads}>
            {(thread) => (
              <span class="insight-text">
                <code>{thread.name === "" ? "(no name)" : thread.name}</code> {threadText(thread)}.
              </span>
            )}
          </Folded>
        </>
      )}
    </section>
  );
}

function Moved({
  changes,
  callers,
  words,
}: {
  changes: Changes;
  callers: CallerChanges;
  words: SideWords;
}) {
  const app = useApp();
  return (
    <Folded label="Calls with other callers" most={OPEN} of={callers.movedList}>
      {(moved) => (
        <button class="link insight-text" onClick={() => selectMethod(app, moved.method)}>
          <code title={moved.method}>{shortName(moved.method)}</code>{" "}
          {movedText(moved, changes, words)}.
        </button>
      )}
    </Folded>
  );
}

function Paths({ callers, words }: { callers: CallerChanges; words: SideWords }) {
  const app = useApp();
  return (
    <Folded label="Paths on which calls changed" most={OPEN} of={callers.paths}>
      {(path) => (
        <button
          class="link insight-text"
          title={path.path.join("\n")}
          onClick={() => selectMethod(app, path.path[path.path.length - 1] ?? "")}
        >
          <code>{pathText(path)}</code> {pathCallsText(path, words)}.
        </button>
      )}
    </Folded>
  );
}
