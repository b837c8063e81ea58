// Where the page begins that a program shows, or a site.

import { createServerSource } from "./api/server-source";
import { boot } from "./views/boot";

boot(createServerSource());
