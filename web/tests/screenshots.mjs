// Pictures of the real page for README and for review: node screenshots.mjs FOLDER [WIDTHxHEIGHT[@TIMES]...]. 1280x720@2 is
// that window at 200 %: half as many CSS pixels, each of two. TRACE names another trace than the example, STATES the pictures wanted by
// their names, THEMES the themes, --engine the page of the static site; a state that the trace does not have is told of and left out. With AXE=1, so is what axe-core finds.
import { mkdir } from "node:fs/promises";
import path from "node:path";
import {
  assertAccessible,
  EXAMPLE,
  settle,
  startBrowser,
  startViewer,
  typeCommand,
} from "./harness.mjs";

const folder = process.argv[2] ?? "screenshots";
const given = process.argv.slice(3).filter((word) => !word.startsWith("--"));
const sizes = given.length > 0 ? given : ["1440x900"];
const wordsOf = (text) => text?.split(/[ ,]+/).filter((word) => word !== "");
const themes = wordsOf(process.env.THEMES) ?? ["light", "dark"];
const trace = process.env.TRACE ?? EXAMPLE;

// What is selected and looked at: of the example known, of another trace the first method and the whole.
const isExample = trace === EXAMPLE;
const CALL = "call=1:main|10|com.example.recipes.RecipeApp$LoadListener.nativeFinished+(I)V";
const VIEW = process.env.VIEW ?? (isExample ? "view=595-760ms" : "");
const METHOD = process.env.METHOD ?? (isExample ? CALL : "");
const SEARCH = process.env.SEARCH ?? (isExample ? "HashMap" : "run");

// A state is a link and what is done on the page that it opens.
const press =
  (...keys) =>
  async (page) => {
    for (const key of keys) {
      await page.keyboard.press(key);
      await settle(page);
    }
  };
const click = (name) => async (page) => {
  await page.getByRole("button", { name }).first().click();
};
const choose = (menu, name) => async (page) => {
  await click(menu)(page);
  await page.getByRole("menuitem", { name }).click();
};
const command = (words) => async (page) => {
  await typeCommand(page, words);
  await page.keyboard.press("Enter");
};
const over =
  (selector, x, y, button = null) =>
  async (page) => {
    const box = await page.locator(selector).first().boundingBox();
    await page.mouse.move(box.x + box.width * x, box.y + y);
    if (button !== null) await page.mouse.click(box.x + box.width * x, box.y + y, { button });
  };
const all =
  (...acts) =>
  async (page) => {
    for (const act of acts) {
      await act(page);
      await settle(page);
    }
  };
const twist = async (page) => {
  const button = page.locator(".tr.selected .twist-button");
  if ((await button.count()) > 0) await button.click();
};
const stopProgram = async (page) => {
  await page.route("**/api/**", (route) => route.abort());
  await page.keyboard.press("4");
  await page.keyboard.press("2");
};

const STATES = {
  opened: [""],
  profile: [`${VIEW}&${METHOD}`, twist],
  flame: [`tab=flame&${VIEW}`],
  "flame-inverted": [`tab=flame&flame=inverted&${VIEW}`],
  "flame-zoomed": ["tab=flame", over(".flame-stage", 0.3, 60, "left")],
  "flame-card": ["tab=flame", over(".flame-stage", 0.3, 40)],
  tree: [`tab=tree&${VIEW}`],
  callers: [`tab=callers&${METHOD}`],
  calls: [`tab=calls&${VIEW}&${METHOD}`],
  trace: ["tab=trace"],
  insights: ["tab=insights"],
  frames: ["tab=frames"],
  packages: ["group=package"],
  whole: [METHOD, press("Shift+Q")],
  details: [METHOD, press("x")],
  marks: [`mark=100-200ms|the+slow+one&mark=300-301ms|burst&${METHOD}`],
  range: ["range=100-300ms,150-250ms"],
  picked: ["picked=300-500ms"],
  search: ["", all(press("/"), (page) => page.keyboard.type(SEARCH))],
  searched: [`search=${SEARCH}`],
  filtered: [`filter=${SEARCH}`],
  "no-rows": ["filter=there+is+no+such+method"],
  without: ["without=java,java.util"],
  "timeline-card": ["", over(".stage", 0.5, 40)],
  "timeline-menu": ["", over(".stage", 0.5, 60, "right")],
  "row-menu": ["", over(".table-rows .tr:nth-child(3)", 0.1, 10, "right")],
  "column-menu": ["", click("Columns")],
  "thread-menu": ["", click(/threads?$/)],
  "view-menu": ["", click("View")],
  "share-menu": ["", click("Share")],
  download: ["", choose("Share", "Download as…")],
  page: ["", choose("Share", "Save as one page…")],
  palette: ["", (page) => typeCommand(page, "")],
  "palette-found": ["", (page) => typeCommand(page, SEARCH)],
  help: ["", press("?")],
  "marks-dialog": ["mark=100-200ms|the+slow+one&mark=300-301ms|burst", press("Shift+M")],
  settings: ["", command("settings")],
  "cpu-colours": ["", press("b", "b")],
  wait: ["clock=wait"],
  stopped: ["", stopProgram],
};
const wanted = wordsOf(process.env.STATES) ?? [...Object.keys(STATES), "start"];

await mkdir(folder, { recursive: true });
const viewer = await startViewer(trace);
const start = await startViewer(null);

for (const size of sizes) {
  const [pixels, times = "1"] = size.split("@");
  const [width, height] = pixels.split("x").map((side) => Math.round(side / times));
  const browser = await startBrowser({ scale: Number(times) });
  browser.context.setDefaultTimeout(10_000);
  const page = await browser.context.newPage();
  await page.setViewportSize({ width, height });
  for (const theme of themes) {
    await page.emulateMedia({ colorScheme: theme });
    for (const name of wanted) await take(page, name, `${name}-${theme}-${size}.png`);
  }
  await browser.stop();
}
await viewer.stop();
await start.stop();

async function take(page, name, file) {
  const [link, act] = STATES[name] ?? [""];
  // What a state before this one has set is kept by the program.
  await fetch(`${viewer.api}settings`, { method: "PUT", body: "{}" });
  await page.goto("about:blank");
  await page.goto(name === "start" ? start.url : `${viewer.url}#${link}`);
  await page.mouse.move(10, 10);
  try {
    await settle(page);
    await act?.(page);
    await settle(page);
    await page.screenshot({ path: path.join(folder, file) });
    if (process.env.AXE) await assertAccessible(page);
  } catch (problem) {
    const [first, ...more] = String(problem).split("\n");
    console.log(`${file}: ${first}`, more.filter((line) => /×/.test(line)).join("; "));
  }
  await page.unrouteAll();
}
