// The settings, which are kept between sessions.

import { setMyCode, setSetting } from "../../state/actions/choose";
import { useApp } from "../shared/context";
import { DialogFrame } from "./dialog";
import { Check, Choice, Field } from "./fields";

export function SettingsDialog() {
  const { store } = useApp();
  const settings = store.settings.value;
  return (
    <DialogFrame title="Settings">
      <Choice
        label="Theme"
        value={settings.theme}
        options={[
          ["system", "As the system"],
          ["light", "Light"],
          ["dark", "Dark"],
        ]}
        onChoice={(theme) => setSetting(store, { theme })}
      />
      <Choice
        label="Colours"
        value={settings.palette}
        options={[
          ["calm", "Calm, colour-blind safe"],
          ["classic", "Classic: the old viewer's 16"],
        ]}
        onChoice={(palette) => setSetting(store, { palette })}
      />
      <Choice
        label="Colour by"
        value={settings.colourBy}
        options={[
          ["rank", "Method"],
          ["package", "Package"],
          ["cpu", "CPU share, in traces with both clocks"],
        ]}
        onChoice={(colourBy) => setSetting(store, { colourBy })}
      />
      <Check
        label="Classic mouse: drag zooms, the bare wheel zooms"
        isOn={settings.isClassic}
        onCheck={(isClassic) => setSetting(store, { isClassic })}
      />
      <Check
        label="The thread main first"
        isOn={settings.isMainFirst}
        onCheck={(isMainFirst) => setSetting(store, { isMainFirst })}
      />
      {store.can.value.watch ? (
        <Check
          label="Read a file again by itself when it was recorded anew"
          isOn={settings.isReloadedByItself}
          onCheck={(isReloadedByItself) => setSetting(store, { isReloadedByItself })}
        />
      ) : null}
      <Field label="Packages that are not my code, one a line; View, My code only hides them in a trace">
        <textarea
          id="hidden-packages"
          rows={6}
          spellcheck={false}
          value={settings.hiddenPackages.join("\n")}
          onChange={(event) => {
            const names = event.currentTarget.value.split(/[\s,]+/);
            setSetting(store, { hiddenPackages: names.filter((name) => name !== "") });
            if (store.mine.peek() !== null) setMyCode(store, true);
          }}
        />
      </Field>
      <Field label="Source link, with {file}, {line} and {class}">
        <input
          id="source-link"
          type="text"
          spellcheck={false}
          placeholder="idea://open?file=/home/me/app/src/main/java/{file}&line={line}"
          value={settings.sourceLink}
          onChange={(event) => setSetting(store, { sourceLink: event.currentTarget.value.trim() })}
        />
      </Field>
    </DialogFrame>
  );
}
