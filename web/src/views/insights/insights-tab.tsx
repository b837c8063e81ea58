// The Insights tab: what of the trace is worth a look, found before anybody asks. A press on a line
// shows its call in the timeline.

import { formatDuration } from "../../base/format";
import { clocksText, insightText, nothingText, type Insight } from "../../model/insights/insights";
import { compareWithMedian } from "../../state/actions/compare-calls";
import { InsightLine } from "./insight-line";
import { OtherPlaces } from "./other-places";
import { useApp } from "../shared/context";
import { copyText } from "../shared/share";
import { threadNamer } from "../shared/thread-namer";
import { showStep } from "../story/story-steps";

// Two standard errors.
const MARGIN = "what a share may be off by, give or take, holds for 95 of 100 such recordings";

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
    /* No stop of its own, which Firefox would make of what scrolls: its insights are stops. */
    <div class="insights" tabIndex={-1}>
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
      <div class="insights-foot">
        <p class="muted">
          What takes {formatDuration(value.least)} or more, most time at stake first
          {info.sampled ? `; ${MARGIN}` : ""}. {clocksText(value, info)}
        </p>
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
      </div>
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
