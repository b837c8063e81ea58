// Chooses what a method that one side alone has is on the other side: those without a partner there, the most alike first.

import { useSignal } from "@preact/signals";
import { formatCount, formatDuration, plural } from "../../base/format";
import { callsText, type Change } from "../../model/changes/changes";
import { loneSide, otherSide, partnersOf, withMatch } from "../../model/changes/matched";
import { matcherOf } from "../../model/text-pattern";
import { useApp } from "../shared/context";
import { DialogFrame } from "./dialog";

const MOST_SHOWN = 200;

export function MatchDialog() {
  const { store, panels } = useApp();
  const search = useSignal("");
  const changes = panels.changes.answers.inclusive.value.value;
  const name = panels.changes.alone.value;
  const change = changes?.list.find(({ method }) => method === name);
  const side = change === undefined ? null : loneSide(change);
  if (changes === null || change === undefined || side === null)
    return (
      <DialogFrame title="Match by hand">
        <p>Both sides have this method by now.</p>
      </DialogFrame>
    );
  const other = otherSide(side);
  const has = matcherOf(search.value);
  const found = partnersOf(changes, change).filter(
    ({ method }) => search.value === "" || has(method),
  );
  const choose = (partner: Change): void => {
    const names = side === "old" ? [change, partner] : [partner, change];
    const [old, now] = names.map(({ method }) => method);
    store.matched.value = withMatch(store.matched.peek(), { old: old ?? "", new: now ?? "" });
    store.dialog.value = null;
  };
  return (
    <DialogFrame title="Match by hand" isWide>
      <p class="match-text">
        <code>{change.method}</code> is on the {side} side alone, with{" "}
        {plural(change[side].calls[1], "call")} and {formatDuration(change[side].time)}. What is it
        on the {other} side?
      </p>
      <input
        type="search"
        autofocus
        class="match-search"
        aria-label={`Search the ${other} side`}
        placeholder="Search the methods without a partner"
        value={search.value}
        onInput={(event) => (search.value = event.currentTarget.value)}
      />
      <ul class="match-list" aria-label="Methods without a partner">
        {found.slice(0, MOST_SHOWN).map((partner) => (
          <li key={partner.method}>
            <button class="match-choice" onClick={() => choose(partner)}>
              <code>{partner.method}</code>
              <span class="muted">
                {callsText(partner[other].calls)} calls, {formatDuration(partner[other].time)}
              </span>
            </button>
          </li>
        ))}
      </ul>
      <p class="muted" role="status">
        {plural(found.length, "method")}
        {found.length > MOST_SHOWN ? `, of which ${formatCount(MOST_SHOWN)} are listed` : ""}
        {changes.leftOut > 0 ? "; the program's answer had no room for more" : ""}. The match is in
        the link, and Back undoes it.
      </p>
    </DialogFrame>
  );
}
