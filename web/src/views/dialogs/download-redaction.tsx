// Redaction of a download, with what leaves before it leaves.

import type { Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { DownloadChoice } from "../../model/page/download";
import { packageLabel, redactionWords, type RedactedPackage } from "../../model/page/redaction";
import { plural } from "../../base/format";
import { useApp } from "../shared/context";
import { Check, Field } from "./fields";

// More are not read through.
const PACKAGES_MOST = 300;

export function Redaction({ choice }: { choice: Signal<DownloadChoice> }) {
  const { isRedacted, keep } = choice.value;
  const isTold = useApp().downloads.preview.value.value !== null;
  const all = useRef<HTMLDivElement>(null);
  // In a low window the preview would be below what is seen.
  useEffect(() => {
    if (isRedacted && isTold) all.current?.scrollIntoView({ block: "nearest" });
  }, [isRedacted, isTold]);
  return (
    <div ref={all}>
      <Check
        label="Redact: names become hashes"
        isOn={isRedacted}
        onCheck={(isOn) => (choice.value = { ...choice.peek(), isRedacted: isOn })}
      />
      {isRedacted ? (
        <>
          <Field label="Packages that keep their names, separated by commas">
            <input
              type="text"
              spellcheck={false}
              placeholder="java.,android.,kotlin."
              value={keep}
              onInput={(event) =>
                (choice.value = { ...choice.peek(), keep: event.currentTarget.value })
              }
            />
          </Field>
          <Preview />
        </>
      ) : null}
    </div>
  );
}

function Preview() {
  const { value, isLoading, error } = useApp().downloads.preview.value;
  if (error !== null) return <p role="alert">What leaves cannot be told: {error}.</p>;
  if (value === null) return <p class="muted">Looking what leaves…</p>;
  const more = value.packages.length - PACKAGES_MOST;
  return (
    <div class="preview" aria-busy={isLoading}>
      <p role="status">{redactionWords(value)}</p>
      <ul tabIndex={0} aria-label="What leaves, by package">
        {value.packages.slice(0, PACKAGES_MOST).map((one) => (
          <Package key={`${one.isKept}${one.name}`} one={one} />
        ))}
        {more > 0 ? <li class="muted">… and {plural(more, "package")} more</li> : null}
      </ul>
    </div>
  );
}

function Package({ one }: { one: RedactedPackage }) {
  return (
    <li>
      <b>{one.isKept ? "leaves: " : "hashed: "}</b>
      <bdi>{packageLabel(one)}</bdi>
      <span class="muted">
        <bdi>{one.isKept ? one.example : `${one.example} → ${one.becomes}`}</bdi>
      </span>
    </li>
  );
}
