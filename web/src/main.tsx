// Where the page begins. The program behind the page is followed once; each trace that it shows
// gets an app of its own, with one store and one tree of components.

import { effect, signal } from "@preact/signals";
import { render } from "preact";
import { createContentApi } from "./api/content";
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
      const next = createApp(panelsOf);
      next.session.takeOver(program, renewFrom(next), former.store, info);
      draw(next);
    };
  const first = createApp(panelsOf);
  // An answer that comes at once is drawn once. A page that has to wait longer is drawn before, so
  // that the user sees it wait.
  let isDrawn = false;
  const drawFirst = (): void => {
    if (!isDrawn) draw(first);
    isDrawn = true;
  };
  // Asks for the second script, which the first picture does without, and for news of the program:
  // when that picture stands, or when it is clear that it has to wait.
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
