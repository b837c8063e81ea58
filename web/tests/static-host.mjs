// A static host as people have it: the files of a folder, and some by other names. It can be cut off, as a network is.
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import http from "node:http";
import path from "node:path";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".wasm": "application/wasm",
};

// `files` are names below the site and the files that are there; `headers` go with each answer; `api` is the address of a
// program that answers what is asked below api/.
export async function startStaticHost(folder, { files = {}, headers = {}, api = null } = {}) {
  const asked = [];
  const server = http.createServer(async (request, response) => {
    const name = decodeURIComponent(new URL(request.url, "http://host").pathname).slice(1);
    asked.push(name);
    if (api !== null && name.startsWith("api/")) {
      const answer = await fetch(api + request.url.slice(1));
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") });
      response.end(Buffer.from(await answer.arrayBuffer()));
      return;
    }
    const inside = path.join(folder, path.normalize(`/${name === "" ? "index.html" : name}`));
    try {
      const bytes = await readFile(files[name] ?? inside);
      const type = TYPES[path.extname(inside)] ?? "application/octet-stream";
      response.writeHead(200, { "content-type": type, "content-length": bytes.length, ...headers });
      response.end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const origin = `http://127.0.0.1:${server.address().port}`;
  return { origin, url: `${origin}/`, asked, stop };
}

// Drops files of the disk at a place of a page's window, as a hand does.
export async function drop(page, files, x) {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"])
    await session.send("Input.dispatchDragEvent", { type, x, y: 300, data });
  await session.detach();
}
