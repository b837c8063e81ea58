// libzstd's decoder as WebAssembly, as bytes: it stands as base64 in the script of the npm package zstddec, whose own script is not used.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { WEB } from "./bundle.mjs";

const PACKAGE = path.join(WEB, "node_modules/zstddec");

export const zstdLicense = () => readFile(path.join(PACKAGE, "LICENSE"));

export async function zstdDecoder() {
  const script = await readFile(path.join(PACKAGE, "dist/zstddec-stream.mjs"), "utf8");
  const found = /"(AGFzbQ[A-Za-z0-9+/=]{10000,})"/.exec(script);
  if (found === null) throw new Error("zstddec has its decoder elsewhere now");
  return Buffer.from(found[1], "base64");
}
