// The one open dialog.

import { useApp } from "./context";
import { Help } from "./help";
import { MarksDialog } from "./marks-dialog";
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
    case "marks":
      return <MarksDialog />;
    case "thread":
      return <ThreadDialog />;
    case null:
      return null;
  }
}
