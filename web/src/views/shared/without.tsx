// What packages are hidden in this view, as chips that can be removed; and why a table is empty.

import { formatDuration, formatShare, plural } from "../../base/format";
import { isolated } from "../../base/text";
import { callWords, noneHere } from "../../model/words";
import { clearSearch, setSetting } from "../../state/choose";
import { choice, head, item, LINE } from "../../state/menu";
import { useApp } from "./context";
import { menuBelow } from "./menu-below";
import { threadNamer } from "./thread-namer";

export function WithoutChips() {
  const { store, panels } = useApp();
  const weights = panels.without.value;
  return (
    <>
      {store.without.value.map((name) => {
        const weight = weights.get(name);
        return (
          <button
            key={name}
            class="chip"
            title={`Methods in ${isolated(name)} are hidden, and their time is their callers'. Press to show them again`}
            onClick={() =>
              (store.without.value = store.without.peek().filter((other) => other !== name))
            }
          >
            <span class="clip">
              without {isolated(name)}
              {weight === undefined
                ? ""
                : ` · ${plural(weight.methods, "method")}, ${formatShare(weight.time, weight.of)}`}
            </span>{" "}
            <i class="cross" />
          </button>
        );
      })}
    </>
  );
}

// That tables show only what the search finds, as a chip that can be removed.
export function OnlyChip() {
  const { store, panels } = useApp();
  const filter = store.filter.value;
  if (filter === "") return null;
  const found = panels.found.answer.value.value;
  return (
    <button
      class="chip only"
      title={`Tables show only what ${isolated(filter)} finds. Press to show all again`}
      onClick={() => (store.isOnly.value = false)}
    >
      <span class="clip">
        only {isolated(filter)}
        {found === null ? "" : ` · ${plural(found.count, "method")}`}
      </span>{" "}
      <i class="cross" />
    </button>
  );
}

// That lists of waits leave out the threads that only waited, which are listed in a menu.
export function IdleChip() {
  const app = useApp();
  const { store, panels } = app;
  const info = store.info.value;
  const idle = panels.idle.value.value ?? [];
  if (info === null || idle.length === 0) return null;
  if (store.measure.value !== "wait" || store.threads.value !== null) return null;
  const isCounted = store.isIdleCounted.value;
  const nameOf = threadNamer(info);
  return (
    <button
      class="chip idle"
      aria-haspopup="menu"
      title="Threads that waited for nine tenths or more of their time in the range, the main thread apart"
      onClick={(event) =>
        menuBelow(app, event.currentTarget, "Idle threads", () => [
          head("They only waited"),
          ...idle.map(({ id, wait }) =>
            item(nameOf(id), () => (store.threads.value = new Set([id])), formatDuration(wait)),
          ),
          LINE,
          choice("Count them, too", store.isIdleCounted.value, () => {
            store.isIdleCounted.value = !store.isIdleCounted.peek();
          }),
        ])
      }
    >
      <span class="clip">
        {isCounted ? "with" : "without"} {plural(idle.length, "idle thread")}
      </span>{" "}
      <i class="caret" />
    </button>
  );
}

// Nothing to list: the search or hidden packages may be the reason.
export function NoneHere({ what = "method" }: { what?: "method" | "stack" }) {
  const { store } = useApp();
  if (store.filter.value !== "")
    return (
      <>
        {what === "method"
          ? "No method matches the filter. "
          : "No stack has a method that matches the filter. "}
        <button class="link" onClick={() => clearSearch(store)}>
          Take the filter off
        </button>
      </>
    );
  const without = store.without.value;
  const { isMyCodeOnly } = store.settings.value;
  const words = callWords(store.info.value?.sampled === true);
  if (without.length === 0 && !isMyCodeOnly) return <>{noneHere(words)}</>;
  return (
    <>
      Nothing is left: {[...(isMyCodeOnly ? ["my code only"] : []), ...without].join(", ")}{" "}
      {isMyCodeOnly ? "is on" : without.length > 1 ? "are hidden" : "is hidden"}.{" "}
      <button
        class="link"
        onClick={() => {
          store.without.value = [];
          if (isMyCodeOnly) setSetting(store, { isMyCodeOnly: false });
        }}
      >
        Show all methods
      </button>
    </>
  );
}
