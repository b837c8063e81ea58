// Why a table is empty, with what takes the reason back.

import { isolated } from "../../base/text";
import { noneText } from "../../model/scope-text";
import { clearSearch, setMyCode } from "../../state/actions/choose";
import { listedFacts } from "../../state/panels/scope-facts";
import { useApp } from "./context";

// Of the Trace tab, whose tables the filter is applied to, too: it may have been set for methods.
export function NoneOfFilter({ what }: { what: string }) {
  const { store } = useApp();
  return (
    <>
      No {what} matches the filter {isolated(store.filter.value)}.{" "}
      <button class="link" onClick={() => clearSearch(store)}>
        Take the filter off
      </button>
    </>
  );
}

// Nothing to list: what is chosen may be the reason, and a press takes back what hides.
export function NoneHere({ what }: { what?: string }) {
  const { store, panels } = useApp();
  const facts = listedFacts(store, panels.idle);
  const text = noneText(facts, what ?? "method");
  if (facts.records === 0) return <>{text}</>;
  if (facts.idle > 0 && what !== undefined && facts.filter === "")
    return (
      <>
        {text} <CountIdle />
      </>
    );
  if (facts.filter !== "")
    return (
      <>
        {text}{" "}
        <button class="link" onClick={() => clearSearch(store)}>
          Take the filter off
        </button>
      </>
    );
  if (facts.without.length === 0 && facts.mine === null) return <>{text}</>;
  return (
    <>
      {text}{" "}
      <button
        class="link"
        onClick={() => {
          store.without.value = [];
          setMyCode(store, false);
        }}
      >
        Show all methods
      </button>
    </>
  );
}

// Lists of waits leave idle threads out, which may be all that have what is looked for.
function CountIdle() {
  const { store } = useApp();
  return (
    <button class="link" onClick={() => (store.isIdleCounted.value = true)}>
      Count idle threads, too
    </button>
  );
}

// No call of the selected method. Calls are listed whatever is hidden, so hiding is no reason.
export function NoCallHere() {
  const { store, panels } = useApp();
  const facts = {
    ...listedFacts(store, panels.idle, store.selectedCalls.value),
    mine: null,
    without: [],
    filter: "",
  };
  const text = noneText(facts, `${facts.words.one} of it`);
  if (facts.idle > 0)
    return (
      <>
        {text} <CountIdle />
      </>
    );
  return <>{facts.range === null ? text : `${text} Widen the range to see them.`}</>;
}
