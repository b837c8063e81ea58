// The service worker of the static site: keeps the page's files, so that the page opens without a network. What it does
// not keep it leaves to the browser.

// The files, and what changes with any of them: tools/site.mjs says both.
declare const KEPT: readonly string[];
declare const VERSION: string;

// TypeScript's library for pages does not know the events of service workers.
interface WorkerEvent extends Event {
  readonly request: Request;
  waitUntil(work: Promise<unknown>): void;
  respondWith(answer: Promise<Response>): void;
}

const PREFIX = "traceview-";

async function keepAll(): Promise<void> {
  const cache = await caches.open(PREFIX + VERSION);
  await cache.addAll(KEPT.map((name) => new Request(name, { cache: "reload" })));
}

async function forgetFormer(): Promise<void> {
  const names = await caches.keys();
  const former = names.filter((name) => name.startsWith(PREFIX) && name !== PREFIX + VERSION);
  await Promise.all(former.map((name) => caches.delete(name)));
}

// The page itself is asked for anew while there is a network, so that a new one is seen at once; its files never change.
async function answer(request: Request): Promise<Response> {
  const cache = await caches.open(PREFIX + VERSION);
  const known = await cache.match(request, { ignoreSearch: request.mode === "navigate" });
  if (known === undefined || request.mode !== "navigate") return known ?? fetch(request);
  return fetch(request).catch(() => known);
}

function isKept(address: string): boolean {
  const { href } = new URL(address);
  const plain = href.replace(/[?#].*/, "");
  return KEPT.some((name) => new URL(name, self.location.href).href === plain);
}

self.addEventListener("install", (event) => (event as WorkerEvent).waitUntil(keepAll()));
self.addEventListener("activate", (event) => (event as WorkerEvent).waitUntil(forgetFormer()));
self.addEventListener("fetch", (event) => {
  const { request } = event as WorkerEvent;
  if (request.method === "GET" && isKept(request.url))
    (event as WorkerEvent).respondWith(answer(request));
});
