// The owner's form: what can be changed of a trace, and deleting it.

import { useSignal } from "@preact/signals";
import { createSiteApi } from "../../api/site";
import { LABELS, labelOf, LIVES, type Site } from "../../model/site/site";
import { createKeeper } from "../../state/page/site-storage";
import { messageOf } from "../../state/loader";
import { useApp } from "../shared/context";

// The fields of the form as they are sent. A box that is not checked sends nothing by itself.
function fieldsOf(form: HTMLFormElement): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [key, value] of new FormData(form))
    if (typeof value === "string" && (key !== "expires" || value !== "")) fields[key] = value;
  for (const box of form.querySelectorAll<HTMLInputElement>("input[type=checkbox]"))
    fields[box.name] = box.checked ? "1" : "0";
  return fields;
}

export function SiteOwner({ site, token }: { site: Site; token: string }) {
  const { store } = useApp();
  const problem = useSignal("");
  const isBusy = useSignal(false);
  const { base, trace } = site;
  const api = createSiteApi(base);
  const fail = (reason: unknown): void => {
    isBusy.value = false;
    problem.value = messageOf(reason);
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    isBusy.value = true;
    problem.value = "";
    api.change(trace.id, token, fieldsOf(event.currentTarget)).then((changed) => {
      isBusy.value = false;
      store.site.value = { ...site, trace: changed };
      store.dialog.value = null;
      store.notify("done", "Saved.");
    }, fail);
  };
  const remove = (): void => {
    if (!self.confirm("Delete this trace? Its link ends at once, for everybody.")) return;
    isBusy.value = true;
    api.remove(trace.id, token).then(() => {
      createKeeper(base).removeOwn(trace.id);
      location.assign(`${base}/`);
    }, fail);
  };
  return (
    <form class="owner" onSubmit={submit}>
      <h3>Yours to change</h3>
      <Line name="title" label="Title" value={trace.title} />
      <label class="field">
        <span>Note</span>
        <textarea name="note" rows={2} maxLength={4000}>
          {trace.note}
        </textarea>
      </label>
      <div class="field-row">
        {LABELS.map(([key, label]) => (
          <Line key={key} name={`label_${key}`} label={label} value={labelOf(trace, key)} />
        ))}
      </div>
      <label class="field">
        <span>Kept from now on for</span>
        <select name="expires">
          {LIVES.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </label>
      {site.hasList ? (
        <Box name="listed" label="Show it in the list of this site" isOn={trace.isListed} />
      ) : null}
      <Box
        name="raw_shared"
        label="Whoever has the link may download the file"
        isOn={trace.isShared}
      />
      <p class="bad" role="alert">
        {problem.value}
      </p>
      <footer>
        <button type="button" class="button danger" disabled={isBusy.value} onClick={remove}>
          Delete…
        </button>
        <button class="button main" disabled={isBusy.value}>
          Save
        </button>
      </footer>
    </form>
  );
}

function Line({ name, label, value }: { name: string; label: string; value: string }) {
  return (
    <label class="field">
      <span>{label}</span>
      <input type="text" name={name} defaultValue={value} maxLength={200} />
    </label>
  );
}

function Box({ name, label, isOn }: { name: string; label: string; isOn: boolean }) {
  return (
    <label class="field inline">
      <input type="checkbox" name={name} value="1" defaultChecked={isOn} />
      <span>{label}</span>
    </label>
  );
}
