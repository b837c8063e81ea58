// Notices of what was done and of what went wrong. What was done is told over the overview for a
// moment. What went wrong stays until it is closed, so beside a trace it takes a line of its own and
// covers nothing.

import type { Notice } from "../state/notices";
import { useApp } from "./shared/context";

function NoticeLine({ notice }: { notice: Notice }) {
  const { store } = useApp();
  const { action } = notice;
  const close = (): void => {
    store.notices.value = store.notices.peek().filter((other) => other.id !== notice.id);
  };
  return (
    <div class={notice.kind === "error" ? "notice bad" : "notice"}>
      <span>{notice.text}</span>
      {action === undefined ? null : (
        <button
          class="button"
          onClick={() => {
            close();
            action.run();
          }}
        >
          {action.label}
        </button>
      )}
      <button aria-label="Close" onClick={close}>
        <i class="cross" />
      </button>
    </div>
  );
}

export function Notices() {
  const { store } = useApp();
  const isReady = store.phase.value.kind === "ready";
  const shown = store.notices.value.filter((notice) => !isReady || notice.kind === "done");
  const isGone = !store.isConnected.value && store.phase.value.kind !== "failed" && !isReady;
  return (
    <div class="notices" role="region" aria-label="Notices" aria-live="polite">
      {isGone ? (
        <div class="notice bad">The program does not answer; start traceview again.</div>
      ) : null}
      {shown.map((notice) => (
        <NoticeLine key={notice.id} notice={notice} />
      ))}
    </div>
  );
}

// Above the panels of a trace: that nobody answers any more, and what went wrong.
export function ErrorLines() {
  const { store } = useApp();
  const errors = store.notices.value.filter((notice) => notice.kind === "error");
  const { silentSince } = store;
  return (
    <div class="error-lines" role="region" aria-label="Problems" aria-live="polite">
      {silentSince.value === null ? null : (
        <div class="notice bad gone">
          <span>
            <b>The program does not answer.</b> What is grey is what it answered until{" "}
            {silentSince.value.toLocaleTimeString()}; nothing new can be shown. Start traceview
            again.
          </span>
        </div>
      )}
      {errors.map((notice) => (
        <NoticeLine key={notice.id} notice={notice} />
      ))}
    </div>
  );
}
