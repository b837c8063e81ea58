// The data of the lower panel's tabs, and the state of its tables. They belong to the second
// script: the first picture does without them.

import type { ReadonlySignal } from "@preact/signals";
import { createCalls, type Calls } from "./calls";
import { createChangesPanel, type ChangesPanel } from "./changes";
import { createDetails, type Details } from "./detail";
import { createFlame, type Flame } from "./flame";
import { createFound, type Found, type Reveal } from "../actions/search-results";
import { createIdle } from "./idle-threads";
import { createChosenPart, createLensCount } from "./lens-count";
import { createGroups, type Groups } from "./groups";
import { createProfile, type Profile } from "./profile";
import type { Store } from "../store";
import { createPair, type PairPanel } from "./pair";
import { createTotals } from "./totals";
import { createTables, type Tables } from "./tables";
import { createTree, type Tree } from "./tree";
import { createWithout, type Weight } from "./hidden-packages";

export interface Panels {
  readonly profile: Profile;
  readonly calls: Calls;
  readonly changes: ChangesPanel;
  readonly pair: PairPanel;
  readonly details: Details;
  readonly groups: Groups;
  readonly tree: Tree;
  readonly callers: Tree;
  readonly flame: Flame;
  readonly found: Found;
  readonly totals: ReturnType<typeof createTotals>;
  readonly idle: ReturnType<typeof createIdle>;
  readonly tables: Tables;
  readonly lensCount: ReturnType<typeof createLensCount>;
  readonly chosenPart: ReturnType<typeof createChosenPart>;
  readonly without: ReadonlySignal<ReadonlyMap<string, Weight>>;
}

export function createPanels(store: Store, reveal: Reveal): Panels {
  const tables = createTables();
  const profile = createProfile(store);
  const found = createFound(store, reveal);
  const changes = createChangesPanel(store);
  const chosenPart = createChosenPart(store);
  return {
    profile,
    calls: createCalls(store, tables.calls),
    changes,
    pair: createPair(store, tables, changes.calls),
    details: createDetails(store, chosenPart),
    groups: createGroups(store, tables.groups),
    tree: createTree(store, {
      isInverted: false,
      base: () => (store.tab.value === "tree" ? [] : null),
      sort: () => tables.tree.sort.value,
    }),
    callers: createTree(store, {
      isInverted: true,
      base: () => {
        if (store.tab.value !== "callers") return null;
        const rank = store.isCallersOfAll.value ? null : store.method.value;
        return rank === null ? [] : [rank];
      },
      sort: () => tables.callers.sort.value,
    }),
    flame: createFlame(store),
    found,
    totals: createTotals(store, profile, tables.profile, found),
    idle: createIdle(store),
    tables,
    lensCount: createLensCount(store),
    chosenPart,
    without: createWithout(store),
  };
}
