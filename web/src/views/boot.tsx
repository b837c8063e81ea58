// Puts the page into the document. The source behind the page is followed once; each trace that it
// shows gets an app of its own, with one store and one tree of components.

import { render } from "preact";
import type { Source } from "../api/source";
import { createApp, type App } from "../state/page/app";
import { createProgram } from "../state/page/program";
import { AppContext, ProgramContext, StillContext } from "./shared/context";
import { Page } from "./page";

const PATIENCE_MS = 150;

export function boot(source: Source): void {
  const root = document.getElementById("app");
  if (root === null) return;
  const program = createProgram(source);
  // A report has its top methods there.
  const still = source.can.open ? [] : [...root.childNodes];
  let count = 0;
  const draw = (app: App): void => {
    // What stood there for want of a script.
    if (count === 0) root.replaceChildren();
    count += 1;
    render(
      <ProgramContext.Provider value={program}>
        <AppContext.Provider value={app} key={count}>
          <StillContext.Provider value={still}>
            <Page />
          </StillContext.Provider>
        </AppContext.Provider>
      </ProgramContext.Provider>,
      root,
    );
  };
  const renewFrom =
    (former: App) =>
    (info: Parameters<App["session"]["takeOver"]>[3]): void => {
      const next = createApp(source);
      next.session.takeOver(program, renewFrom(next), former.store, info);
      draw(next);
    };
  const first = createApp(source);
  // An answer that comes at once is drawn once. A page that has to wait longer is drawn before, so
  // that the user sees it wait.
  let isDrawn = false;
  const drawFirst = (): void => {
    if (!isDrawn) draw(first);
    isDrawn = true;
  };
  self.setTimeout(drawFirst, PATIENCE_MS);
  program.start();
  void first.session.start(program, renewFrom(first)).then(drawFirst, drawFirst);
}
