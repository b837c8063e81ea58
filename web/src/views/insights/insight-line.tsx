// An insight as a button: what it is of, what is at stake, and its sentence. A press shows its call or its method.

import { formatDuration } from "../../base/format";
import { insightName, insightPieces, type Insight } from "../../model/insights/insights";
import type { Clock } from "../../model/trace";
import { sortProfile } from "../../state/actions/choose";
import { Breakable } from "../shared/breakable";
import { useApp } from "../shared/context";
import { Swatch } from "../shared/method-name";
import { Units } from "../shared/units";

const HEADINGS: Record<Insight["kind"], string> = {
  overflow: "lost",
  slow: "slow",
  wait: "wait",
  open: "open",
  often: "often",
  overhead: "overhead",
  frames: "late",
  own: "own",
  package: "package",
  spent: "wait",
};

export function InsightLine({
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
