// A connection that can be slow and can break: a proxy of bytes before a server on this machine.
import net from "node:net";

export async function startCuttingProxy(target) {
  const { hostname, port } = new URL(target);
  const open = new Set();
  let isDown = false;
  let up = 0; // bytes from the browser
  let cutAt = Infinity;
  let isHeld = false;
  let afterCut = () => undefined;
  const cut = () => {
    isDown = true;
    for (const socket of open) socket.destroy();
  };
  const server = net.createServer((browser) => {
    if (isDown) return browser.destroy();
    const site = net.connect(Number(port), hostname);
    for (const socket of [browser, site]) {
      open.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        open.delete(socket);
        browser.destroy();
        site.destroy();
      });
    }
    browser.on("data", (bytes) => {
      up += bytes.length;
      if (up >= cutAt) {
        cutAt = Infinity;
        if (isHeld) browser.pause();
        else cut();
        afterCut();
        return;
      }
      if (!site.write(bytes)) {
        browser.pause();
        site.once("drain", () => browser.resume());
      }
    });
    site.pipe(browser);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: target.replace(`:${port}`, `:${server.address().port}`),
    sent: () => up,
    // Breaks all connections once the browser has sent `bytes` more, and takes none until mend().
    cutAfter: (bytes) =>
      new Promise((resolve) => {
        isHeld = false;
        cutAt = up + bytes;
        afterCut = resolve;
      }),
    // Takes no more of a connection once it has brought `bytes` more.
    holdAfter: (bytes) =>
      new Promise((resolve) => {
        isHeld = true;
        cutAt = up + bytes;
        afterCut = resolve;
      }),
    mend: () => (isDown = false),
    stop: () => {
      cut();
      server.close();
    },
  };
}
