// Notices of what was done and of what went wrong. What was done is told over the overview for a
// moment. What went wrong stays until it is closed, so beside a trace it takes a line of its own and
// covers nothing.

import { useEffect } from "preact/hooks";
import type { Notice } from "../state/notices";
import type { App } from "../state/page/app";
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

// Modifiers and Tab do nothing yet.
const IDLE_KEYS: readonly string[] = ["Shift", "Control", "Alt", "Meta", "Tab"];

// What was done is no news any more with the next press, and lies over the handles of the overview; what offers something stays.
function useEndAtNextAct({ store }: App): void {
  useEffect(() => {
    const end = (event: Event): void => {
      if (event instanceof KeyboardEvent && IDLE_KEYS.includes(event.key)) return;
      if (event.target instanceof Element && event.target.closest(".notices") !== null) return;
      const isKept = ({ kind, action }: Notice): boolean => kind !== "done" || action !== undefined;
      if (!store.notices.peek().every(isKept))
        store.notices.value = store.notices.peek().filter(isKept);
    };
    const ways = ["pointerdown", "keydown"] as const;
    for (const way of ways) self.addEventListener(way, end, true);
    return () => {
      for (const way of ways) self.removeEventListener(way, end, true);
    };
  }, []);
}

export function Notices() {
  const app = useApp();
  const { store } = app;
  useEndAtNextAct(app);
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
