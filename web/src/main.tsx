// The page's beginning: the program, and an app with one store and one tree of components for the
// trace that it shows.

import { effect, signal } from "@preact/signals";
import { render } from "preact";
import { createContentApi } from "./api/content";
import { takeTold } from "./api/told";
import { createApp, type App } from "./state/app";
import type { Panels } from "./state/panels";
import { createProgram } from "./state/program";
import type { Store } from "./state/store";
import { AppContext, LateContext, ProgramContext, type Late } from "./views/shared/context";
import { Page } from "./views/page";

const PATIENCE_MS = 150;

const root = document.getElementById("app");
if (root !== null) {
  const program = createProgram(createContentApi());
  const late = signal<Late | null>(null);
  const panelsOf = (store: Store): Panels => {
    const rest = late.peek();
    if (rest === null) throw new Error("the panels come with the rest of the script");
    return rest.createPanels(store);
  };
  let count = 0;
  const draw = (app: App): void => {
    count += 1;
    render(
      <ProgramContext.Provider value={program}>
        <LateContext.Provider value={late}>
          <AppContext.Provider value={app} key={count}>
            <Page />
          </AppContext.Provider>
        </LateContext.Provider>
      </ProgramContext.Provider>,
      root,
    );
  };
  const renewFrom =
    (former: App) =>
    (info: Parameters<App["session"]["takeOver"]>[3]): void => {
      const next = createApp(null, panelsOf);
      next.session.takeOver(program, renewFrom(next), former.store, info);
      draw(next);
    };
  const first = createApp(takeTold(), panelsOf);
  // What is answered at once is drawn once; who has to wait longer sees that.
  let isDrawn = false;
  const drawFirst = (): void => {
    if (!isDrawn) draw(first);
    isDrawn = true;
  };
  // All that the first picture does without, once it stands or is waited for.
  let isGoingOn = false;
  const goOn = (): void => {
    if (isGoingOn) return;
    isGoingOn = true;
    program.start();
    import("./views/late").then((rest) => (late.value = rest), first.store.report);
  };
  effect(() => {
    if (first.store.isPictured.value) goOn();
  });
  self.setTimeout(() => {
    drawFirst();
    if (first.store.phase.peek().kind !== "ready") goOn();
  }, PATIENCE_MS);
  void first.session.start(program, renewFrom(first)).then(drawFirst, drawFirst);
}
