// The static site without a network: opened once, so that the browser keeps it, then cut off.
import { readdir } from "node:fs/promises";
import { SITE } from "./harness.mjs";
import { startStaticHost } from "./static-host.mjs";

// Gives the address that opens the example; from then on neither the host nor any other can be reached from the context.
export async function startOffline(context) {
  const example = (await readdir(SITE)).find((name) => name.startsWith("recipes-"));
  const host = await startStaticHost(SITE);
  const page = await context.newPage();
  await page.goto(host.url);
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    while ((await caches.keys()).length === 0) await new Promise((next) => setTimeout(next, 50));
  });
  await page.close();
  await host.stop();
  await context.setOffline(true);
  return { url: `${host.url}?url=${example}`, stop: () => undefined };
}
