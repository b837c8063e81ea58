// What a page without a program takes from a file that is chosen to the first picture, for those who measure it
// (page_alone.mjs, page_packed.mjs).
const PATIENCE_MS = 200_000;
// Nobody chooses a file faster; meanwhile the engine is compiled.
const CHOOSING_MS = 1000;

// In each document: notes when the file is chosen, and has `isShown(stamp)` say when to look for the picture.
export const watch = (isShown) => `{
  addEventListener("change", () => (self.chosenAt = performance.now()), { capture: true });
  const stamp = () =>
    requestAnimationFrame(() => requestAnimationFrame(() => (self.pictureAt = performance.now())));
  (${isShown})(stamp);
}`;
export const OURS = watch((stamp) => {
  const observer = new MutationObserver(() => {
    if (
      !(Number(document.querySelector(".stage canvas")?.dataset.boxes ?? 0) > 0)
    )
      return;
    observer.disconnect();
    stamp();
  });
  observer.observe(document, {
    attributes: true,
    attributeFilter: ["data-boxes"],
    subtree: true,
  });
});
// The milliseconds that the page's worker took; 0: who measures did not ask a page of ours.
const READ = 'performance.getEntriesByName("trace read")[0]?.duration ?? 0';

// Seconds from the file chosen to the picture, and in the worker; null: there was no picture.
export async function timePicture(chromium, script, url, input, chosen) {
  const tab = await chromium.newTab();
  await tab.begin(script);
  await tab.open(url);
  await tab.value(
    `document.readyState === "complete" && document.querySelector("${input}") ? 1 : null`,
  );
  await new Promise((resolve) => setTimeout(resolve, CHOOSING_MS));
  await tab.choose(input, chosen);
  const took = await tab.value(
    `self.pictureAt && [self.chosenAt, self.pictureAt, ${READ}]`,
    PATIENCE_MS,
  );
  await tab.close();
  const [begun, ended, read] = took;
  return ended < 0
    ? null
    : { picture: (ended - begun) / 1000, read: read / 1000 };
}
