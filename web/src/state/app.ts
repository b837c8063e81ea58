// Everything a component may need, in one value for its context.

import { signal, type Signal } from "@preact/signals";
import { createApi } from "../api/client";
import type { Told } from "../api/told";
import { colourIndex } from "../model/colour";
import { createCalls, type Calls } from "./calls";
import { createFlame, type Flame } from "./flame";
import { createGroups, type Groups } from "./groups";
import { createMarkActions, type MarkActions } from "./mark-actions";
import type { Menu } from "./menu";
import { createProfile, type Profile } from "./profile";
import { createSelectActions, type SelectActions } from "./select-actions";
import { createSession, type Session } from "./session";
import { createStore, type Store } from "./store";
import { createTables, type Tables } from "./tables";
import { createTree, type Tree } from "./tree";
import { createViewActions, type ViewActions } from "./view-actions";

export interface App {
  readonly store: Store;
  readonly views: ViewActions;
  readonly select: SelectActions;
  readonly marks: MarkActions;
  readonly session: Session;
  readonly profile: Profile;
  readonly calls: Calls;
  readonly groups: Groups;
  readonly tree: Tree;
  readonly callers: Tree;
  readonly flame: Flame;
  readonly tables: Tables;
  readonly menu: Signal<Menu | null>;
  // The place in the palette of a method.
  colourOf(rank: number, colours: number): number;
}

export function createApp(told: Told | null): App {
  const store = createStore(createApi(told));
  const views = createViewActions(store);
  const select = createSelectActions(store, views);
  const tables = createTables();
  return {
    store,
    views,
    select,
    marks: createMarkActions(store, views, select),
    session: createSession(store),
    profile: createProfile(store),
    calls: createCalls(store, tables.calls),
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
    tables,
    menu: signal<Menu | null>(null),
    colourOf: (rank, colours) => {
      const by = store.settings.value.colourBy;
      const known = by === "package" ? (store.names.get(rank)?.class ?? null) : null;
      return colourIndex(rank, known, by, colours);
    },
  };
}
