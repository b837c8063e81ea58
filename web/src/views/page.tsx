// The page's frame, and what stands in it while there is no trace to show.

import { useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Banner } from "./banner";
import { Bar } from "./bar";
import { useApp } from "./context";
import { Dialogs } from "./dialogs";
import { attachDrop } from "./drop";
import { attachKeyboard } from "./keyboard";
import { LoadBar } from "./load-bar";
import { LowerPanel } from "./lower-panel";
import { MenuHost } from "./menu";
import { Notices } from "./notices";
import { Overview } from "./overview";
import { Splitter } from "./splitter";
import { Failed, Reading, Start } from "./start";
import { Timeline } from "./timeline";

export function Page() {
  const app = useApp();
  const { store } = app;
  useEffect(() => attachKeyboard(app), []);
  useEffect(() => attachDrop(app), []);
  useSignalEffect(() => {
    const { split } = store.settings.value;
    document.documentElement.style.setProperty("--split", String(split));
  });
  const phase = store.phase.value;
  return (
    <div class={store.isLowerHidden.value ? "page lower-hidden" : "page"}>
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
          {phase.kind === "empty" ? <Start /> : null}
          {phase.kind === "failed" ? <Failed message={phase.message} /> : null}
          {phase.kind === "reading" ? <Reading progress={phase.progress} /> : null}
          {phase.kind === "connecting" ? <Reading progress={null} /> : null}
        </main>
      )}
      <Notices />
      <MenuHost />
      <Dialogs />
      <div class="sr-only" role="status" aria-live="polite">
        {store.announce.value}
      </div>
    </div>
  );
}
