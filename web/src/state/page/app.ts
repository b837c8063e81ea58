// What a component may need, in one value for the context.

import { signal, type Signal } from "@preact/signals";
import { createApi } from "../../api/client";
import { OWN_TRACE, type Source } from "../../api/source";
import { colourIndex } from "../../model/colour";
import { sourceClassOf } from "../../model/names";
import type { Method } from "../../model/trace";
import { createMarkActions, type MarkActions } from "../actions/mark-actions";
import { createDownloads, type Downloads } from "../actions/download";
import { createReveal, type Reveal } from "../actions/search-results";
import type { Menu } from "./menu";
import { createPanels, type Panels } from "../panels/panels";
import { createSelectActions, type SelectActions } from "../actions/select-actions";
import { createSession, type Session } from "./session";
import { createStore, type Store } from "../store";
import { createViewActions, type ViewActions } from "../actions/view-actions";

export type Dropped = "open" | "compare";

export interface App {
  readonly store: Store;
  readonly views: ViewActions;
  readonly select: SelectActions;
  readonly reveal: Reveal;
  readonly marks: MarkActions;
  readonly session: Session;
  readonly downloads: Downloads;
  // The data of the tabs. Made when the lower panel is drawn first.
  readonly panels: Panels;
  readonly menu: Signal<Menu | null>;
  // What a file that is held over the page would be dropped for; null: none is held there.
  readonly dropped: Signal<Dropped | null>;
  // The index of a method's colour in a palette of `colours`.
  colourOf(rank: number, colours: number): number;
}

function classOf(method: Method | undefined): string | null {
  return method === undefined ? null : sourceClassOf(method);
}

export function createApp(source: Source): App {
  const store: Store = createStore(
    createApi(source, OWN_TRACE, {
      tell: (text) => store.notify("error", text),
      hasWrittenNames: () => store.settings.peek().isWrittenNames,
    }),
  );
  const views = createViewActions(store);
  const select = createSelectActions(store, views);
  const reveal = createReveal(store, select, views);
  let panels: Panels | null = null;
  return {
    store,
    views,
    select,
    reveal,
    marks: createMarkActions(store, views, select),
    session: createSession(store),
    downloads: createDownloads(store),
    get panels() {
      return (panels ??= createPanels(store, reveal));
    },
    menu: signal<Menu | null>(null),
    dropped: signal<Dropped | null>(null),
    colourOf: (rank, colours) => {
      const by = store.settings.value.colourBy;
      const known = by === "package" ? classOf(store.names.get(rank)) : null;
      return colourIndex(rank, known, by, colours);
    },
  };
}
