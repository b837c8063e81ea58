// The frame of the page, and what stands in it while there is no trace to show.

import { useEffect } from "preact/hooks";
import type { Phase } from "../state/store";
import { Banner } from "./banner";
import { Bar } from "./bar";
import { useApp } from "./shared/context";
import { keepFocus } from "./shared/focus";
import { Dialogs } from "./dialog-host";
import { attachDrop } from "./drop";
import { DropHalves } from "./drop-choice";
import { attachKeyboard } from "./keyboard";
import { Failed } from "./start/load-failure";
import { LoadBar } from "./start/load-bar";
import { ReportBar } from "./start/report-bar";
import { OfferBar } from "./start/offer-bar";
import { LowerPanel } from "./lower-panel";
import { MenuHost } from "./menu";
import { ErrorLines, Notices } from "./notices";
import { Overview } from "./timeline/overview/overview";
import { SiteBar } from "./site/site-bar";
import { Splitter } from "./splitter";
import { Reading, Start } from "./start/start";
import { StoryBar } from "./story/story-bar";
import { Still } from "./start/static-report";
import { Timelines } from "./timeline/timelines";

export function Page() {
  const app = useApp();
  const { store } = app;
  useEffect(() => attachKeyboard(app), []);
  useEffect(keepFocus, []);
  useEffect(() => attachDrop(app), []);
  const phase = store.phase.value;
  const classes = [
    "page",
    store.isLowerHidden.value ? "lower-hidden" : store.isLowerWhole.value ? "lower-whole" : "",
    store.site.value === null && store.can.value.shared === null ? "" : "on-site",
    store.silentSince.value === null ? "" : "stale",
  ].join(" ");
  return (
    <div class={classes}>
      <SiteBar />
      <ReportBar />
      <Bar />
      <OfferBar />
      {phase.kind === "ready" ? (
        <>
          <Overview />
          <div class="bars">
            <LoadBar />
            <Banner />
            <ErrorLines />
            <StoryBar />
          </div>
          <main class="panels">
            <Timelines />
            <Splitter />
            <LowerPanel />
          </main>
        </>
      ) : (
        <main class="middle">
          <Middle phase={phase} />
          {phase.kind === "empty" ? null : <Still />}
        </main>
      )}
      <Notices />
      <MenuHost />
      <DropHalves />
      <Dialogs />
      <div class="sr-only" role="status" aria-live="polite">
        {store.announce.value}
      </div>
    </div>
  );
}

// The middle of the page while there is no trace to show.
function Middle({ phase }: { phase: Phase }) {
  switch (phase.kind) {
    case "empty":
      return <Start />;
    case "failed":
      return <Failed message={phase.message} />;
    case "reading":
      return <Reading progress={phase.progress} />;
    case "connecting":
      return <Reading progress={null} />;
    case "ready":
      return null;
  }
}
