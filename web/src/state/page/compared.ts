// The addresses of two traces that are compared: each shows what changed since the other. A page alone that holds both has one
// address.

import type { Held } from "../../api/decode-first";
import { OLD_TRACE, type Abilities, type TraceName } from "../../api/source";
import { writeRuns, type Runs } from "../../model/changes/runs";
import { ownName, pageOf } from "../../model/page/own-page";
import type { Store } from "../store";
import { readUrl, writeUrl } from "../../model/page/url-state";

// Whether another trace can be opened and compared with the one that is shown: a program stands behind the page, or the page
// holds two.
export function canCompare(store: Store): boolean {
  return mayCompare(store) && store.phase.value.kind === "ready";
}

// Whether it could, once a trace is shown.
export function mayCompare(store: Store): boolean {
  const { open, reach, holdsTwo } = store.can.value;
  return open && (reach === null || holdsTwo === true);
}

// How questions name the trace of a link's `against`; null: there is none that this page could ask about.
export function traceAgainst(
  { reach, holdsTwo }: Abilities,
  location: Pick<Location, "pathname">,
  against: string,
): TraceName | null {
  if (reach === null) return pageOf(location, against);
  return holdsTwo === true && /^[0-9a-v]$/.test(against) ? against : null;
}

// The fragment of a page that holds what it compares, or one trace: several are shown by Changes first, and none is named that is
// not there.
export function fragmentOfHeld(hash: string, { compared, runs }: Held): string {
  const state = readUrl(hash);
  const { tab, against } = state;
  if (compared === 0) {
    if (against === null && state.runs === null) return hash;
    const left = { against: null, runs: null, matched: [], flameChoice: null };
    return `#${writeUrl({ ...state, tab: tab === "changes" ? "profile" : tab, ...left })}`;
  }
  const isAgainstThere = runs === null ? against === OLD_TRACE : isOldRun(runs, against);
  const isSame = (state.runs && writeRuns(state.runs)) === (runs && writeRuns(runs));
  if (isAgainstThere && isSame) return hash;
  const beside = runs === null ? OLD_TRACE : null;
  return `#${writeUrl({ ...readUrl(""), tab: "changes", against: beside, runs })}`;
}

// Without a name it is not chosen yet which old run is shown.
function isOldRun(runs: Runs, against: string | null): boolean {
  return against === null || runs.old.includes(against);
}

// The page at an address of the same program, compared with the trace that this one shows.
export function besideAddress(address: string, location: Pick<Location, "pathname">): string {
  const own = ownName(location);
  if (own === null) return address;
  return `${address.replace(/#.*/, "")}#${writeUrl({ ...readUrl(""), tab: "changes", against: own })}`;
}

// The page of the other trace, compared with this one; null where pages have no such addresses.
export function swappedAddress(
  { pathname, hash }: Pick<Location, "pathname" | "hash">,
  against: string,
): string | null {
  const own = ownName({ pathname });
  const page = pageOf({ pathname }, against);
  if (page === null || own === null) return null;
  const { tab, runs, matched } = readUrl(hash);
  const swapped = {
    runs: runs === null ? null : { old: runs.new, new: runs.old },
    matched: matched.map((one) => ({ old: one.new, new: one.old })),
  };
  return `${page}#${writeUrl({ ...readUrl(""), tab, against: own, ...swapped })}`;
}

// What is shown of another run of the new side: the same, but for what names moments and threads of this one.
export function runFragment(hash: string, against: string | null): string {
  const { tab, measure, sort, search, filter, without, mine, method, runs, matched, oldView } =
    readUrl(hash);
  const view = { tab, measure, sort, search, filter, without, mine, method };
  const beside = { runs, matched, oldView, against };
  return `#${writeUrl({ ...readUrl(""), ...view, ...beside })}`;
}

// The page of another run of the new side; null where pages have no such addresses.
export function runAddress(
  { pathname, hash }: Pick<Location, "pathname" | "hash">,
  run: string,
  against: string | null,
): string | null {
  const page = pageOf({ pathname }, run);
  return page === null ? null : `${page}${runFragment(hash, against)}`;
}

// Whether anything is compared: another trace, or several runs of both sides, of which it is not known yet which is shown.
export function isCompared(store: Pick<Store, "against" | "runs">): boolean {
  return store.against.value !== null || store.runs.value !== null;
}
