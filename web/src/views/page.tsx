// The frame of the page, and what stands in it while there is no trace to show.

import { useEffect } from "preact/hooks";
import type { Phase } from "../state/store";
import { Banner } from "./banner";
import { Bar } from "./bar";
import { useApp, useLate } from "./shared/context";
import { LoadBar } from "./start/load-bar";
import { LowerPanel } from "./lower-panel";
import { Notices } from "./notices";
import { Overview } from "./timeline/overview";
import { Splitter } from "./splitter";
import { Timeline } from "./timeline/timeline";

export function Page() {
  const app = useApp();
  const { store } = app;
  const late = useLate();
  useEffect(() => late?.attachKeyboard(app), [late]);
  useEffect(() => late?.attachDrop(app), [late]);
  const phase = store.phase.value;
  return (
    <div class={store.isLowerHidden.value ? "page lower-hidden" : "page"} data-busy={late === null}>
      <Bar />
      {phase.kind === "ready" ? (
        <>
          <Overview />
          <div class="bars">
            <LoadBar />
            <Banner />
          </div>
          <main class="panels">
            <Timeline />
            <Splitter />
            <LowerPanel />
          </main>
        </>
      ) : (
        <main class="middle">
          <Middle phase={phase} />
        </main>
      )}
      <Notices />
      {late === null ? null : <late.MenuHost />}
      {late === null ? null : <late.Dialogs />}
      <div class="sr-only" role="status" aria-live="polite">
        {store.announce.value}
      </div>
    </div>
  );
}

// The middle of the page while there is no trace to show.
function Middle({ phase }: { phase: Phase }) {
  const late = useLate();
  if (late === null) return null;
  switch (phase.kind) {
    case "empty":
      return <late.Start />;
    case "failed":
      return <late.Failed message={phase.message} />;
    case "reading":
      return <late.Reading progress={phase.progress} />;
    case "connecting":
      return <late.Reading progress={null} />;
    case "ready":
      return null;
  }
}
