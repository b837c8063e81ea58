// What the flame graph draws, from the state of the page: the boxes of this trace in the colours of its methods, or those of
// what changed in the colours of a change.

import {
  changeIndex,
  changePalette,
  isAlone,
  withOthers,
  type ChangeFlame,
  type FlameChoice,
} from "../../model/changes/change-flame";
import type { FlameScene } from "../../render/flame";
import type { Theme } from "../../render/theme";
import type { App } from "../../state/page/app";

// What else a scene has: the place on the screen.
type Place = Pick<FlameScene, "width" | "height" | "widths" | "scrollTop" | "hover" | "isSelected">;

function lookOfChange(change: ChangeFlame, choice: FlameChoice, { isDark }: Theme) {
  return {
    nameOf: (rank: number) => change.names.get(rank),
    palette: changePalette(isDark ? "dark" : "light"),
    colourOf: (_: number, ix: number) => changeIndex(change.change[ix] ?? 0),
    isBroken: (ix: number) => isAlone(change, ix, choice.view),
  };
}

// Reads all that it is made of, so that an effect that calls it follows them. Null while there is nothing to draw.
export function flameScene(app: App, theme: Theme, place: Place): FlameScene | null {
  const { store } = app;
  const { flame } = app.panels;
  const answer = flame.shown.value.value;
  const choice = flame.choice.value;
  const change = choice === null ? null : flame.change.value.value;
  const matches = store.matches.value;
  void store.names.version.value;
  void store.settings.value;
  if (answer === null) return null;
  return {
    ...place,
    flame: answer,
    theme,
    matches: change === null ? matches : withOthers(change, matches, store.search.value),
    ...(choice === null || change === null
      ? {
          nameOf: store.names.get,
          palette: theme.palette,
          colourOf: (rank) => app.colourOf(rank, theme.palette.fills.length),
          isBroken: null,
        }
      : lookOfChange(change, choice, theme)),
  };
}
