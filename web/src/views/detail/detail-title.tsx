// What the details pane is about: its name, and its place in the trace.

import { formatCount, formatDuration, formatRange } from "../../base/format";
import type { SubjectKind } from "../../model/detail/detail";
import { fullName, otherName, readableName, shortName } from "../../model/names";
import type { Method } from "../../model/trace";
import { allThreadsText, placeText } from "../../model/scope-text";
import { callWords } from "../../model/words";
import { listedFacts, scopeFacts } from "../../state/panels/scope-facts";
import { Swatch } from "../shared/method-name";
import { threadNamer } from "../shared/thread-namer";
import { useApp } from "../shared/context";

// What is looked at, by name and place. A press on the place shows it in the timeline.
export function Title({ subject, idle }: { subject: SubjectKind; idle: number }) {
  const { store, select, views, panels } = useApp();
  void store.names.version.value;
  const info = store.info.value;
  const rank = store.method.value;
  const call = store.call.value;
  const range = store.range.value;
  const thread = panels.details.thread.value;
  if (info === null) return null;
  const nameOf = threadNamer(info);
  const words = callWords(info.sampled);
  if ((subject === "call" || subject === "method") && rank !== null) {
    const method = store.names.get(rank);
    const name = method === undefined ? "…" : shortName(method);
    return (
      <div class="details-title">
        <h2 title={method === undefined ? name : fullName(method)}>
          <Swatch rank={rank} />
          <bdi>{name}</bdi>
        </h2>
        {method === undefined ? null : <OtherName method={method} />}
        {subject === "call" && call !== null ? (
          <button class="link" onClick={() => select.call(call, "reveal")}>
            <bdi>{nameOf(call.thread)}</bdi>, {formatRange(call.start, call.end)}, {words.one}{" "}
            {formatCount(call.ordinal + 1)} of {formatCount(call.of)}
          </button>
        ) : (
          <Scope isOfMethod />
        )}
      </div>
    );
  }
  if (subject === "range" && range !== null)
    return (
      <div class="details-title">
        <h2>{formatDuration(range.to - range.from)} of the trace</h2>
        <button class="link" onClick={() => views.reveal(range)}>
          {formatRange(range.from, range.to)}
        </button>
      </div>
    );
  return (
    <div class="details-title">
      <h2>
        <bdi>
          {subject === "thread" && thread !== null
            ? nameOf(thread)
            : allThreadsText(scopeFacts(store, idle))}
        </bdi>
      </h2>
      <Scope />
    </div>
  );
}

// The name that is not shown, where a mapping tells two.
function OtherName({ method }: { method: Method }) {
  const other = otherName(method);
  if (other === "" && method.isSynthesized !== true) return null;
  const from = method.sourceClass === undefined ? "in the file" : "in the source";
  return (
    <span class="muted other-name">
      {other === "" ? null : (
        <>
          {from}: <bdi>{readableName(other)}</bdi>
        </>
      )}
      {method.isSynthesized === true ? `${other === "" ? "" : ", "}made by the compiler` : null}
    </span>
  );
}

// The range, and of a method the threads that its numbers are of; a thread is named above.
function Scope({ isOfMethod = false }: { isOfMethod?: boolean }) {
  const { store, panels } = useApp();
  const part = isOfMethod ? panels.chosenPart.value : null;
  const calls = part?.calls ?? store.lens.value;
  // A thread was chosen, and nobody leaves it out.
  const facts = isOfMethod ? listedFacts(store, panels.idle, calls) : scopeFacts(store, 0, calls);
  return <span class="muted">{placeText(isOfMethod ? facts : { ...facts, chosen: null })}</span>;
}
