// What every component can ask for: the app, the program behind it, and the second script.

import type { ReadonlySignal } from "@preact/signals";
import { createContext, type ComponentType } from "preact";
import { useContext } from "preact/hooks";
import type { Progress } from "../../api/events";
import type { Tab } from "../../model/page/url-state";
import type { App } from "../../state/app";
import type { MenuItem } from "../../state/menu";
import type { Panels } from "../../state/panels";
import type { Program } from "../../state/program";
import type { Store } from "../../state/store";
import type { TimelineState } from "../../state/timeline";

// The exports of late.ts, as the components of the first script use them. They are written out here: the
// type of late.ts itself would tie this file, which nearly every component imports, to nearly every component.
export interface Late {
  readonly Dialogs: ComponentType;
  readonly Failed: ComponentType<{ message: string }>;
  readonly HoverCard: ComponentType<{ state: TimelineState }>;
  readonly MenuHost: ComponentType;
  readonly Panel: ComponentType<{ tab: Tab }>;
  readonly Reading: ComponentType<{ progress: Progress | null }>;
  readonly Start: ComponentType;
  readonly TimelineTwin: ComponentType<{ state: TimelineState }>;
  attachDrop(app: App): () => void;
  attachKeyboard(app: App): () => void;
  attachTimelineInput(element: HTMLElement, app: App, state: TimelineState): () => void;
  createPanels(store: Store): Panels;
  shareItems(app: App): MenuItem[];
}

export const AppContext = createContext<App | null>(null);
export const ProgramContext = createContext<Program | null>(null);
export const LateContext = createContext<ReadonlySignal<Late | null> | null>(null);

export function useApp(): App {
  const app = useContext(AppContext);
  if (app === null) throw new Error("no App in the context");
  return app;
}

export function useProgram(): Program {
  const program = useContext(ProgramContext);
  if (program === null) throw new Error("no Program in the context");
  return program;
}

// Null until the first picture stands: the second script is asked for after it.
export function useLate(): Late | null {
  return useContext(LateContext)?.value ?? null;
}
