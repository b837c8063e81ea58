// The name of a method in a table: the package dim, the signature dimmer. Where there is too little room for all of it, the
// signature is cut first, then the package, then the class (tables.css).

import { useComputed } from "@preact/signals";
import {
  otherName,
  packageOf,
  readableSignature,
  shortClass,
  sourceOf,
  wholeName,
} from "../../model/names";
import type { Method } from "../../model/trace";
import { paletteFor } from "../../model/colour";
import { useApp } from "./context";
import { openSource } from "./method-actions";

export function Swatch({ rank }: { rank: number }) {
  const app = useApp();
  const palette = useComputed(() =>
    paletteFor(app.store.settings.value.palette, app.store.isDark.value ? "dark" : "light"),
  );
  void app.store.names.version.value;
  const fill = palette.value.fills[app.colourOf(rank, palette.value.fills.length)] ?? "";
  return <span class="swatch" style={{ backgroundColor: fill }} />;
}

// As the mark behind such a name says (tables.css).
const OVERHEAD = "Grey: most of its time is the cost of tracing";

export function MethodName({
  method,
}: {
  method: Method & { readonly isMostlyOverhead?: boolean };
}) {
  const app = useApp();
  const { isShortNames } = app.store.settings.value;
  // Ctrl with a press opens the source, in the timeline too.
  const click = (event: MouseEvent): void => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.stopPropagation();
    openSource(app, method);
  };
  if (method.class === "")
    return (
      <code title={method.method} onClick={click}>
        {method.name === "" ? method.method : method.name}
      </code>
    );
  const inside = isShortNames ? "" : packageOf(method.class);
  const short = shortClass(method.class);
  const end = method.name === "" ? "" : `.${method.name}`;
  const source = sourceOf(method);
  const note = method.isMostlyOverhead === true ? OVERHEAD : "";
  const place = [otherName(method), source, note]
    .map((line) => (line === "" ? "" : `\n${line}`))
    .join("");
  return (
    <code
      class="parted"
      style={{ "--class": short.length, "--method": end.length }}
      title={`${wholeName(method)}${place}`}
      onClick={click}
    >
      {inside === "" ? null : <em class="name-package">{inside}.</em>}
      <span class="name-class">{short}</span>
      {end === "" ? null : <span class="name-method">{end}</span>}
      {isShortNames ? null : <em class="name-signature"> {readableSignature(method.signature)}</em>}
    </code>
  );
}
