// What packages are hidden in this view, as chips that can be removed.

import { formatDuration, formatShare, plural } from "../../base/format";
import { isolated } from "../../base/text";
import { mineTitle, MINE_TEXT } from "../../model/scope-text";
import { toldUnrecorded, unrecordedNote } from "../../model/waits";
import { callWords } from "../../model/words";
import { setMyCode } from "../../state/actions/choose";
import { choice, head, item, LINE } from "../../state/page/menu";
import { useApp } from "../shared/context";
import { menuBelow } from "../shared/menu-below";
import { threadNamer } from "../shared/thread-namer";

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
                : ` · ${plural(weight.methods, "method")}, ${weight.of > 0 ? formatShare(weight.time, weight.of) : formatDuration(weight.time)}`}
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
  const idle = panels.idle.value.value?.idle ?? [];
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
          ...idle.map(({ id, wait, unrecorded }) =>
            item(
              nameOf(id),
              () => (store.threads.value = new Set([id])),
              formatDuration(wait) + unrecordedNote(toldUnrecorded(unrecorded, wait)),
            ),
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

// That the numbers of the page are of a part of its calls. The chip stands in the bar, where it is never cut.
export function MineChip() {
  const { store } = useApp();
  const mine = store.mine.value;
  const info = store.info.value;
  if (mine === null || info === null) return null;
  const { one, many } = callWords(info.sampled);
  const levels = store.levels.value;
  const shown =
    levels === null ? null : [...levels.values()].reduce((sum, { calls }) => sum + calls, 0);
  return (
    <button
      class="chip mine"
      title={mineTitle(mine, shown, plural(info.calls, one, many))}
      onClick={() => setMyCode(store, false)}
    >
      {MINE_TEXT} <i class="cross" />
    </button>
  );
}
