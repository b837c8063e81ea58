// Where the page begins that stands alone: on a static site, and in a report.

import { createAloneSource } from "./api/engine/alone";
import { boot } from "./views/boot";

boot(createAloneSource());
