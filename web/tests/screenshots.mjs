// Pictures of the real page for README and for review: node screenshots.mjs FOLDER [WIDTHxHEIGHT[@TIMES]...]. 1280x720@2 is
// that window at 200 %. TRACE names another trace than the example; the start page has pictures of its own.
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { EXAMPLE, settle, startBrowser, startViewer } from "./harness.mjs";

const folder = process.argv[2] ?? "screenshots";
const sizes = process.argv.length > 3 ? process.argv.slice(3) : ["1440x900"];
const METHOD = "call=1:main|10|com.example.recipes.RecipeApp$LoadListener.nativeFinished+(I)V";
const VIEWS = {
  profile: `view=595-760ms&${METHOD}`,
  flame: "tab=flame&view=595-760ms",
  tree: "tab=tree&view=595-760ms",
  callers: `tab=callers&${METHOD}`,
  calls: `tab=calls&view=595-760ms&${METHOD}`,
  trace: "tab=trace",
  insights: "tab=insights",
  frames: "tab=frames",
  packages: "group=package",
};

await mkdir(folder, { recursive: true });
const viewer = await startViewer(process.env.TRACE ?? EXAMPLE);
const start = await startViewer(null);
const browser = await startBrowser();
for (const size of sizes)
  for (const colorScheme of ["light", "dark"])
    for (const [name, link] of [...Object.entries(VIEWS), ["start", ""]]) {
      const [pixels, times = "1"] = size.split("@");
      const [width, height] = pixels.split("x").map((side) => Math.round(side / times));
      const page = await browser.context.newPage();
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      await page.goto(name === "start" ? start.url : `${viewer.url}#${link}`);
      await settle(page);
      if (name === "profile" && (await page.locator(".tr.selected").count()) > 0) {
        await page.locator(".tr.selected .twist-button").click();
        await page.mouse.move(10, 10);
        await settle(page);
      }
      await page.screenshot({ path: path.join(folder, `${name}-${colorScheme}-${size}.png`) });
      await page.close();
    }
await browser.stop();
await viewer.stop();
await start.stop();
