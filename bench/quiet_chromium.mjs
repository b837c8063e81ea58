// A Chromium whose pages are watched by nobody: only its addresses are set, and what a page found out is read when it
// is there. Tools that test pages listen to every request and run scripts of their own in each document; on two cores
// that is a quarter of what is to be measured.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { CHROMIUM_ARGS } from "../web/tests/harness.mjs";

const VIEW = { width: 1600, height: 900, deviceScaleFactor: 1, mobile: false };
const LOOK_MS = 50;
const PATIENCE_MS = 30_000;

// Notes in each document when its first picture is there, as `pictureAt`: the frame behind the one that has boxes in it.
// What is drawn while a frame is made is in that one, otherwise in the next. Where two traces are shown, `bothAt` is when
// the second timeline has its picture, too.
export const WATCH = `{
  let isInFrame = false;
  const names = ["pictureAt", "bothAt"];
  let seen = 0;
  const channel = new MessageChannel();
  channel.port1.onmessage = () => (isInFrame = false);
  const tick = () => {
    isInFrame = true;
    channel.port2.postMessage(0);
    if (seen < names.length) requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
  const note = (name) => {
    const stamp = () => (self[name] = performance.timeOrigin + performance.now());
    requestAnimationFrame(isInFrame ? stamp : () => requestAnimationFrame(stamp));
  };
  new MutationObserver(() => {
    const pictures = [...document.querySelectorAll(".stage canvas:first-child")];
    const drawn = pictures.filter((canvas) => Number(canvas.dataset.boxes ?? 0) > 0);
    while (seen < Math.min(drawn.length, names.length)) note(names[seen++]);
  }).observe(document, { attributes: true, attributeFilter: ["data-boxes"], subtree: true });
}`;

// Messages over the debugging pipe, each ended by a NUL.
class Pipe {
  #child;
  #count = 0;
  #waiting = new Map();

  constructor(child) {
    this.#child = child;
    let text = "";
    child.stdio[4].setEncoding("utf8").on("data", (piece) => {
      const messages = (text + piece).split("\0");
      text = messages.pop();
      for (const message of messages) this.#take(JSON.parse(message));
    });
  }

  #take({ id, result, error }) {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new Error(error.message));
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.#count;
    this.#child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }
}

// One tab.
class Tab {
  #pipe;
  #target;
  #session;

  constructor(pipe, target, session) {
    this.#pipe = pipe;
    this.#target = target;
    this.#session = session;
  }

  #send(method, params) {
    return this.#pipe.send(method, params, this.#session);
  }

  // Runs in each document from now on, before its own scripts.
  async begin(script) {
    await this.#send("Emulation.setDeviceMetricsOverride", VIEW);
    await this.#send("Page.enable");
    await this.#send("Page.addScriptToEvaluateOnNewDocument", { source: script });
  }

  async open(url) {
    await this.#send("Page.navigate", { url });
  }

  // The value of an expression as soon as there is one.
  async value(expression, patienceMs = PATIENCE_MS) {
    for (let waited = 0; waited < patienceMs; waited += LOOK_MS) {
      const { result } = await this.#send("Runtime.evaluate", { expression, returnByValue: true });
      if (result.value !== undefined && result.value !== null) return result.value;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    throw new Error(`no ${expression} after ${patienceMs / 1000} s`);
  }

  // Has the input of that selector hold a file, as if the user had chosen it.
  async choose(selector, file) {
    const { root } = await this.#send("DOM.getDocument");
    const { nodeId } = await this.#send("DOM.querySelector", { nodeId: root.nodeId, selector });
    await this.#send("DOM.setFileInputFiles", { nodeId, files: [file] });
  }

  async close() {
    await this.#pipe.send("Target.closeTarget", { targetId: this.#target });
  }
}

export async function startQuietChromium() {
  const profile = await mkdtemp(path.join(os.tmpdir(), "traceview-chromium-"));
  const child = spawn(
    process.env.CHROMIUM ?? "/usr/bin/chromium",
    [...CHROMIUM_ARGS, "--headless", "--remote-debugging-pipe", `--user-data-dir=${profile}`],
    { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] },
  );
  const ended = new Promise((resolve) => child.on("exit", resolve));
  const pipe = new Pipe(child);
  await pipe.send("Browser.getVersion");
  return {
    newTab: async () => {
      const { targetId } = await pipe.send("Target.createTarget", { url: "about:blank" });
      const { sessionId } = await pipe.send("Target.attachToTarget", { targetId, flatten: true });
      return new Tab(pipe, targetId, sessionId);
    },
    stop: async () => {
      await pipe.send("Browser.close").catch(() => undefined);
      await ended;
      await rm(profile, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
