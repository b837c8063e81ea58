// Shows the one open dialog.

import { useApp } from "./shared/context";
import { DownloadDialog } from "./dialogs/download-dialog";
import { Help } from "./dialogs/help";
import { MarksDialog } from "./dialogs/marks-dialog";
import { MatchDialog } from "./dialogs/match-dialog";
import { PageDialog } from "./dialogs/single-file-dialog";
import { Palette } from "./palette";
import { RecentDialog } from "./start/recent-dialog";
import { RecordDialog } from "./record/record-dialog";
import { SettingsDialog } from "./dialogs/settings-dialog";
import { SidesDialog } from "./dialogs/sides-dialog";
import { SiteDialog } from "./site/site-dialog";
import { ThreadDialog } from "./dialogs/thread-dialog";

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
    case "site":
      return <SiteDialog />;
    case "download":
      return <DownloadDialog />;
    case "page":
      return <PageDialog />;
    case "recent":
      return <RecentDialog />;
    case "record":
      return <RecordDialog />;
    case "match":
      return <MatchDialog />;
    case "sides":
      return <SidesDialog />;
    case null:
      return null;
  }
}
