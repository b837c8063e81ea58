// The one open dialog.

import { useApp } from "./context";
import { Help } from "./help";
import { Palette } from "./palette";
import { SettingsDialog } from "./settings-dialog";
import { ThreadDialog } from "./thread-dialog";

export function Dialogs() {
  const { store } = useApp();
  switch (store.dialog.value) {
    case "help":
      return <Help />;
    case "palette":
      return <Palette />;
    case "settings":
      return <SettingsDialog />;
    case "thread":
      return <ThreadDialog />;
    case null:
      return null;
  }
}
