// A button that copies a text, and says that it did.

import { useState } from "preact/hooks";

const TOLD_MS = 2000;

// Plain http gives pages no clipboard: then the text is selected, for Ctrl+C.
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [word, setWord] = useState("Copy link");
  const tell = (told: string): void => {
    setWord(told);
    setTimeout(() => setWord("Copy link"), TOLD_MS);
  };
  const copy = (): void => {
    if (!self.isSecureContext) return void prompt("Copy the link:", text);
    navigator.clipboard.writeText(text).then(
      () => tell("Copied"),
      () => tell("Not copied"),
    );
  };
  return (
    <button type="button" class="small-button" onClick={copy}>
      <span aria-live="polite">{word}</span>
      <span class="unseen"> of {what}</span>
    </button>
  );
}
