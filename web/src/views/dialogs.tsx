// Dialogs: help now, more as they come.

import { useApp } from "./context";
import { Help } from "./help";

export function Dialogs() {
  const { store } = useApp();
  switch (store.dialog.value) {
    case "help":
      return <Help />;
    case "palette":
    case "settings":
    case "range":
    case "thread":
    case null:
      return null;
  }
}
