// The two engines that the tests compare: the module, run as a page runs it, and the same code as a native program
// (native_engine.c).
import { build } from "../../web/node_modules/esbuild/lib/main.js";
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

// Functions of web/src/engine/engine.ts.
export async function bundledEngine() {
  const folder = await mkdtemp(path.join(os.tmpdir(), "traceview-engine-"));
  try {
    const outfile = path.join(folder, "engine.mjs");
    await build({
      entryPoints: [path.join(ROOT, "web/src/engine/engine.ts")],
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node18",
      logLevel: "warning",
    });
    return await import(pathToFileURL(outfile));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export const moduleOf = async (wasm) => WebAssembly.compile(await readFile(wasm));

// A native engine: each call sends a line and gives {status, type, body}.
export class NativeEngine {
  #process;
  #pieces = [];
  #len = 0;
  #wake = () => {};
  #hasEnded = false;

  constructor(program) {
    this.#process = spawn(program, [], { stdio: ["pipe", "pipe", "inherit"] });
    this.#process.stdout.on("data", (piece) => {
      this.#pieces.push(piece);
      this.#len += piece.length;
      this.#wake();
    });
    this.#process.stdout.on("close", () => {
      this.#hasEnded = true;
      this.#wake();
    });
  }

  load(name, file, isCut = false) {
    return this.#send(`${isCut ? "cut" : "load"} ${name} ${file}`);
  }

  ask(route, query) {
    return this.#send(`ask ${route}?${query}`);
  }

  // The answer about an export, and its file.
  async exporting(query) {
    const answer = await this.#send(`export ${query}`);
    return { answer, file: (await this.#answer()).body };
  }

  end() {
    this.#process.stdin.end();
  }

  #send(line) {
    this.#process.stdin.write(`${line}\n`);
    return this.#answer();
  }

  async #more() {
    if (this.#hasEnded) throw new Error("the native engine ended");
    await new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #joined() {
    if (this.#pieces.length > 1) this.#pieces = [Buffer.concat(this.#pieces, this.#len)];
    return this.#pieces[0] ?? Buffer.alloc(0);
  }

  async #answer() {
    while (!this.#joined().includes(10)) await this.#more();
    const end = this.#joined().indexOf(10);
    const [status, len, ...type] = this.#joined().toString("latin1", 0, end).split(" ");
    const whole = end + 1 + Number(len);
    while (this.#len < whole) await this.#more();
    const body = this.#joined().subarray(end + 1, whole);
    this.#pieces = [this.#joined().subarray(whole)];
    this.#len -= whole;
    return { status: Number(status), type: type.join(" "), body };
  }
}
