// The page's beginning: the program, and an app with one store and one tree of components for the
// trace that it shows.

import { render } from "preact";
import { createContentApi } from "./api/content";
import { createApp, type App } from "./state/app";
import { createProgram } from "./state/program";
import { AppContext, ProgramContext } from "./views/context";
import { Page } from "./views/page";

const PATIENCE_MS = 150;

const root = document.getElementById("app");
if (root !== null) {
  const program = createProgram(createContentApi());
  let count = 0;
  const draw = (app: App): void => {
    count += 1;
    render(
      <ProgramContext.Provider value={program}>
        <AppContext.Provider value={app} key={count}>
          <Page />
        </AppContext.Provider>
      </ProgramContext.Provider>,
      root,
    );
  };
  const renewFrom =
    (former: App) =>
    (info: Parameters<App["session"]["takeOver"]>[3]): void => {
      const next = createApp();
      next.session.takeOver(program, renewFrom(next), former.store, info);
      draw(next);
    };
  const first = createApp();
  // What is answered at once is drawn once; who has to wait longer sees that.
  let isDrawn = false;
  const drawFirst = (): void => {
    if (!isDrawn) draw(first);
    isDrawn = true;
  };
  self.setTimeout(drawFirst, PATIENCE_MS);
  void first.session.start(program, renewFrom(first)).then(drawFirst, drawFirst);
}
