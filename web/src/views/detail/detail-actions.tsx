// What can be done with what the details pane is about.

import { batch } from "@preact/signals";
import { detailText, type Detail, type SubjectKind } from "../../model/detail/detail";
import { formatRange } from "../../base/format";
import { fullName, nameApart } from "../../model/names";
import { withOp } from "../../model/ops";
import type { Tab } from "../../model/page/url-state";
import { callWords } from "../../model/words";
import { compareWithMedian } from "../../state/actions/compare-calls";
import { lensOfCall, setLens } from "../../state/actions/lens-actions";
import type { App } from "../../state/page/app";
import { useApp } from "../shared/context";
import { ShowButton } from "../shared/show-button";
import { copyText } from "../shared/share";
import { threadNamer } from "../shared/thread-namer";

function showTab(app: App, tab: Tab): void {
  app.store.tab.value = tab;
}

// The flame graph of what is looked at, and of nothing that ran beside it.
function flameFromHere(app: App, subject: SubjectKind): void {
  const { store } = app;
  const rank = store.method.peek();
  const call = store.call.peek();
  const thread = app.panels.details.thread.peek();
  batch(() => {
    if (subject === "call" && call !== null) setLens(store, lensOfCall(call));
    if (subject === "thread" && thread !== null) store.threads.value = new Set([thread]);
    if (subject === "method" && rank !== null)
      store.ops.value = withOp(store.ops.peek(), { kind: "focus", rank });
    store.flamePath.value = [];
    showTab(app, "flame");
  });
  app.panels.details.look(subject);
}

function zoomTo(app: App, subject: SubjectKind): void {
  const { store, views } = app;
  const call = store.call.peek();
  const range = store.range.peek();
  if (subject === "call" && call !== null) {
    const air = Math.max(1, (call.end - call.start) * 0.05);
    views.glideTo({ from: call.start - air, to: call.end + air });
  } else if (range !== null) views.glideTo(range);
  else views.wholeTrace();
}

function titleOf(app: App, subject: SubjectKind): string {
  const { store } = app;
  const info = store.info.peek();
  const rank = store.method.peek();
  const call = store.call.peek();
  const range = store.range.peek();
  const thread = app.panels.details.thread.peek();
  const method = rank === null ? undefined : store.names.get(rank);
  const name = method === undefined ? "" : fullName(method);
  if (info === null) return "";
  const nameOf = threadNamer(info);
  switch (subject) {
    case "call":
      return call === null
        ? name
        : `${name}, ${nameOf(call.thread)}, ${formatRange(call.start, call.end)}`;
    case "method":
      return name;
    case "thread":
      return thread === null ? "" : nameOf(thread);
    case "range":
      return range === null ? "" : formatRange(range.from, range.to);
    case "trace":
      return info.file;
  }
}

export function DetailActions({
  subject,
  detail,
}: {
  subject: SubjectKind;
  detail: Detail | null;
}) {
  const app = useApp();
  const words = callWords(app.store.info.value?.sampled === true);
  const rank = app.store.method.value;
  const hasMethod = subject === "call" || subject === "method";
  const call = subject === "call" ? app.store.call.value : null;
  return (
    <div class="details-actions">
      {subject === "method" && rank !== null ? (
        <ShowButton rank={rank} />
      ) : (
        <button class="link" onClick={() => zoomTo(app, subject)}>
          Zoom
        </button>
      )}
      {hasMethod ? (
        <>
          <button class="link" onClick={() => showTab(app, "calls")}>
            {words.heading}
          </button>
          <button class="link" onClick={() => showTab(app, "callers")}>
            Callers
          </button>
        </>
      ) : null}
      <button
        class="link"
        title="The flame graph of this alone"
        onClick={() => flameFromHere(app, subject)}
      >
        Flame
      </button>
      {call === null || call.of < 2 ? null : (
        <button
          class="link"
          title="Compare with the median call: what this one did that the other did not"
          onClick={() => compareWithMedian(app.store, call, call.rank)}
        >
          Compare
        </button>
      )}
      {subject === "call" || subject === "range" ? (
        <button class="link" onClick={() => app.marks.toggle()}>
          Mark
        </button>
      ) : null}
      <button
        class="link"
        disabled={detail === null}
        onClick={() => {
          if (detail === null) return;
          const measure = app.store.measure.peek();
          const title = titleOf(app, subject);
          copyText(app, detailText(title, detail, subject, measure, nameApart), "Details");
        }}
      >
        Copy
      </button>
    </div>
  );
}
