// The page's beginning: one store, one tree of components.

import { render } from "preact";
import { createApp } from "./state/app";
import { AppContext } from "./views/context";
import { Page } from "./views/page";

const root = document.getElementById("app");
if (root !== null) {
  const app = createApp();
  app.session.start();
  render(
    <AppContext.Provider value={app}>
      <Page />
    </AppContext.Provider>,
    root,
  );
}
