// The Insights tab: what of the trace is worth a look, found before anybody asks. A press on a line
// shows its call in the timeline.

import { formatDuration } from "../../base/format";
import {
  insightName,
  insightPieces,
  insightText,
  nothingText,
  type Insight,
} from "../../model/insights/insights";
import { compareWithMedian } from "../../state/actions/compare-calls";
import { sortProfile } from "../../state/actions/choose";
import type { Clock } from "../../model/trace";
import { OtherPlaces } from "./other-places";
import { Breakable } from "../shared/breakable";
import { useApp } from "../shared/context";
import { Swatch } from "../shared/method-name";
import { copyText } from "../shared/share";
import { threadNamer } from "../shared/thread-namer";
import { Units } from "../shared/units";
import { showStep } from "../story/story-steps";

const HEADINGS: Record<Insight["kind"], string> = {
  overflow: "lost",
  slow: "slow",
  wait: "wait",
  often: "often",
  overhead: "overhead",
  frames: "late",
  own: "own",
  package: "package",
  spent: "wait",
};

export function InsightsTab() {
  const app = useApp();
  const { store } = app;
  const info = store.info.value;
  const { value, error } = store.insights.value;
  if (info === null) return null;
  const nameOf = threadNamer(info);
  if (error !== null) return <p class="insights-none">{error}</p>;
  if (value === null) return <p class="insights-none muted">Looking…</p>;
  if (value.list.length === 0)
    return (
      <div class="insights-empty">
        <p class="insights-none">{nothingText(value, info)}</p>
        {info.sampled ? <OtherPlaces /> : null}
      </div>
    );
  return (
    <div class="insights">
      <ol aria-label="What is worth a look">
        {value.list.map((insight, ix) => (
          <li key={ix}>
            <InsightLine
              insight={insight}
              axis={info.axis}
              nameOf={nameOf}
              main={value.mainThread}
            />
            {insight.call === null ? null : (
              <button
                class="button"
                title="The call, why it took long, and what ran meanwhile"
                onClick={() => showStep(app, { of: ix + 1, step: 1 })}
              >
                Walk through
              </button>
            )}
            <Beside insight={insight} />
          </li>
        ))}
      </ol>
      <p class="muted">
        What takes {formatDuration(value.least)} or more, most time at stake first
        {info.sampled ? "; a share is good to two standard errors of its samples" : ""}.{" "}
        <button
          class="link"
          onClick={() =>
            copyText(
              app,
              value.list
                .map((insight) => `- ${insightText(insight, info.axis, nameOf, value.mainThread)}`)
                .join("\n"),
              "Insights",
            )
          }
        >
          Copy
        </button>
      </p>
      {info.sampled ? <OtherPlaces /> : null}
    </div>
  );
}

// Of a call that took longer than others of its method: beside the one in the middle.
function Beside({ insight: { kind, call, method } }: { insight: Insight }) {
  const { store } = useApp();
  if (kind !== "slow" || call === null || method === null) return null;
  return (
    <button
      class="button"
      title="Compare with the median call: what this one did that the other did not"
      onClick={() => compareWithMedian(store, call, method.rank)}
    >
      Compare
    </button>
  );
}

function InsightLine({
  insight,
  axis,
  nameOf,
  main,
}: {
  insight: Insight;
  axis: Clock;
  nameOf: (thread: number) => string;
  main: number | null;
}) {
  const app = useApp();
  const { call, method } = insight;
  const show = (): void => {
    if (call !== null) app.select.call(call, "reveal");
    else if (method !== null) app.select.method(method.rank);
    if (insight.kind === "often") app.store.tab.value = "callers";
    if (insight.kind === "overflow") app.store.tab.value = "trace";
    if (insight.kind === "overhead") app.store.tab.value = "profile";
    if (insight.kind === "spent") app.store.tab.value = "callers";
    if (insight.kind === "own" || insight.kind === "package") sortProfile(app.store, "exclusive");
  };
  const isChosen =
    call !== null &&
    app.store.call.value !== null &&
    app.store.call.value.thread === call.thread &&
    app.store.call.value.depth === call.depth &&
    app.store.call.value.call === call.call;
  return (
    <button class="insight" aria-pressed={isChosen} onClick={show}>
      <b class={`insight-kind of-${insight.kind}`}>{HEADINGS[insight.kind]}</b>
      <span class="insight-time">{formatDuration(insight.atStake)}</span>
      <span class="insight-text">
        {insightPieces(insight, axis, nameOf, main).map((piece, ix) =>
          typeof piece === "string" ? (
            <span key={ix}>
              <Units text={piece} />
            </span>
          ) : (
            <span key={ix} class="insight-method">
              <Swatch rank={piece.rank} />
              <code title={piece.method}>
                <Breakable text={insightName(piece)} />
              </code>
            </span>
          ),
        )}
      </span>
    </button>
  );
}
