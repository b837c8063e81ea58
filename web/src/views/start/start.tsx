// The page without a trace: drop one, choose one, take one that was opened before, or the example;
// and the page while a trace is read.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Progress } from "../../api/events";
import { formatBytes } from "../../base/format";
import type { StartList } from "../../model/page/recent";
import { useApp, useProgram } from "../shared/context";
import { howFar, ProgressLine, stepText } from "./load-bar";
import { Promise } from "./privacy-note";
import { RecordChoice } from "../record/record-button";
import { RecentFiles } from "./recent-files";
import { Recipes } from "./recipes";

export function Start() {
  const { store } = useApp();
  const program = useProgram();
  const list = useSignal<StartList | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    program.recent(abort.signal).then(
      (found) => (list.value = found),
      () => (list.value = { files: [], example: null }),
    );
    document.title = "traceview";
    return () => abort.abort();
  }, []);
  if (list.value === null) return null;
  const { files, example } = list.value;
  return (
    <div class={files.length > 0 ? "start" : "start alone"}>
      <div class="start-head">
        <h2>Open a method trace</h2>
        <p class="muted">Where did the time go, what happened when, and what changed?</p>
      </div>
      {program.problem.value === null ? null : (
        <p class="start-problem" role="alert">
          {program.problem.value}
        </p>
      )}
      <div class="start-choices">
        <DropZone isConnected={store.isConnected.value} />
        {store.can.value.record === true ? <RecordChoice /> : null}
        {example === null ? null : <Example name={example.name} bytes={example.bytes} />}
      </div>
      {files.length > 0 ? <RecentFiles files={files} /> : null}
      <Recipes />
      <Promise />
    </div>
  );
}

function DropZone({ isConnected }: { isConnected: boolean }) {
  const { session, store } = useApp();
  const where = store.can.value.reach === null ? "on this machine" : "in this page";
  const holdsTwo = store.can.value.holdsTwo === true;
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        class="drop"
        disabled={!isConnected}
        onClick={() => session.chooseFile() || input.current?.click()}
      >
        <Picture />
        <span>
          <b>Drop a trace here</b>
          <span class="muted">
            {holdsTwo ? ", or several to compare, or choose them" : " or choose a file"}
          </span>
        </span>
        <span class="muted small">.trace of any version, also .gz and .zst; it stays {where}</span>
      </button>
      <input
        ref={input}
        id="file-input"
        type="file"
        hidden
        multiple={holdsTwo}
        onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])];
          event.currentTarget.value = "";
          if (files.length > 0) session.openFiles(files);
        }}
      />
    </>
  );
}

// A picture of a stack of calls, as the timeline draws it.
function Picture() {
  return (
    <svg class="start-picture" viewBox="0 0 132 46" aria-hidden="true">
      <rect class="c0" x="0" y="0" width="132" height="10" rx="2.5" />
      <rect class="c1" x="6" y="12" width="78" height="10" rx="2.5" />
      <rect class="c2" x="90" y="12" width="36" height="10" rx="2.5" />
      <rect class="c3" x="12" y="24" width="22" height="10" rx="2.5" />
      <rect class="c4" x="37" y="24" width="40" height="10" rx="2.5" />
      <rect class="c3" x="96" y="24" width="14" height="10" rx="2.5" />
      <rect class="c2" x="42" y="36" width="12" height="10" rx="2.5" />
      <rect class="c1" x="57" y="36" width="16" height="10" rx="2.5" />
    </svg>
  );
}

function Example({ name, bytes }: { name: string; bytes: number }) {
  const program = useProgram();
  return (
    <button class="start-card start-example" onClick={() => program.openExample(name)}>
      <b>Look at an example</b>
      <span class="muted">
        A small app that loads recipes: one of its 14 loads is slow. Five threads, 400,000 calls,{" "}
        {formatBytes(bytes)}.
      </span>
    </button>
  );
}

// A page that opens no other trace has nothing to show once it has given up its own.
export function Reading({ progress }: { progress: Progress | null }) {
  const { store } = useApp();
  const program = useProgram();
  const shown = progress ?? { done: 0, of: 0, step: "opening", file: "" };
  return (
    <div class="reading" role="status">
      <p class="clip">{stepText(shown)}</p>
      <ProgressLine progress={shown} />
      <p class="muted">{howFar(shown)}</p>
      {progress === null || !store.can.value.open ? null : (
        <button class="button" onClick={() => program.cancel()}>
          Cancel
        </button>
      )}
    </div>
  );
}
