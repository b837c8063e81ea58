// The View menu: how the page looks, and what else can be seen.

import { COLOURING_NAMES, type ColourBy } from "../model/colour";
import { plural } from "../base/format";
import { hasCurve } from "../model/timeline/curve";
import type { ThemeName } from "../model/page/settings";
import type { App } from "../state/page/app";
import { setSetting } from "../state/actions/choose";
import { choice, head, item, LINE, oneOf, type MenuItem } from "../state/page/menu";
import { runAction } from "./run-action";
import { hasAction } from "./shared/has-action";

const THEMES: readonly ThemeName[] = ["system", "light", "dark"];
const THEME_NAMES: Record<ThemeName, string> = {
  system: "Theme of the system",
  light: "Light",
  dark: "Dark",
};

export function viewItems(app: App): MenuItem[] {
  const { store } = app;
  const info = store.info.value;
  const settings = store.settings.value;
  const colourings: readonly ColourBy[] = ["rank", "package", "cpu"];
  const offered = colourings.filter((by) => by !== "cpu" || (info?.clocks.length ?? 0) > 1);
  const run = (action: Parameters<typeof runAction>[1]) => (): void => void runAction(app, action);
  const marks = store.marks.value.length;
  return [
    ...(info === null
      ? []
      : [
          head("Colour boxes by"),
          ...offered.map((by) =>
            oneOf(COLOURING_NAMES[by], settings.colourBy === by, () =>
              setSetting(store, { colourBy: by }),
            ),
          ),
          LINE,
          ...(hasCurve(info)
            ? [
                choice("Overview of all threads", settings.isOverviewOfThreads, () =>
                  setSetting(store, { isOverviewOfThreads: !settings.isOverviewOfThreads }),
                ),
              ]
            : []),
          choice("My code only", store.mine.value !== null, run("my-code")),
          ...(hasAction(app, "swap-names")
            ? [choice("Names of the file", settings.isWrittenNames, run("swap-names"))]
            : []),
          ...(info.names?.isGiven === true
            ? [item(`Forget ${info.names.mapping}`, () => app.session.forgetMapping())]
            : []),
          ...(store.against.value === null
            ? []
            : [
                choice("Timeline of the old trace", !store.oldView.value.isHidden, () => {
                  const { align, isHidden } = store.oldView.peek();
                  store.oldView.value = { align, isHidden: !isHidden };
                }),
              ]),
          choice("Classic mode", settings.isClassic, run("classic")),
          item("Fold or unfold all threads", run("fold"), "U"),
          item(marks === 0 ? "Marks…" : `${plural(marks, "mark")}…`, run("marks"), "Shift+M"),
          LINE,
        ]),
    ...THEMES.map((theme) =>
      oneOf(THEME_NAMES[theme], settings.theme === theme, () => setSetting(store, { theme })),
    ),
    LINE,
    item("All commands…", run("palette"), "Ctrl+K"),
    item("Settings…", run("settings")),
    ...(hasAction(app, "recent") ? [item("Recent files…", run("recent"))] : []),
    ...(hasAction(app, "read-again") ? [item("Read the file again", run("read-again"))] : []),
  ];
}
