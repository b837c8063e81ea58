// Where the script of a site's pages begins.

import {
  localizeTimes,
  runCompare,
  runList,
  runOwner,
  runStored,
  runWaiting,
} from "./site/document-scripts";
import { runStart } from "./site/start";

const { base = "", page = "" } = document.documentElement.dataset;
document.documentElement.dataset["scripted"] = "";
localizeTimes();
if (page === "start") runStart(base);
else if (page === "waiting") runWaiting();
else if (page === "list") runList();
else if (page === "compare") runCompare(base);
else if (page === "owner") runOwner(base);
else if (page === "stored") runStored(base);
