// How to record a trace, for those who have none yet.

import { useApp } from "../shared/context";

const RECIPES: readonly (readonly [string, string])[] = [
  ["Start", "adb shell am profile start PROCESS /data/local/tmp/app.trace"],
  ["Stop", "adb shell am profile stop PROCESS"],
  ["Fetch", "adb pull /data/local/tmp/app.trace"],
];

export function Recipes() {
  const { command } = useApp().store.can.value;
  const recipes = command ? [...RECIPES, ["Open", "traceview app.trace"] as const] : RECIPES;
  return (
    <section class="recipes" aria-label="How to record a trace">
      <h3>No trace yet?</h3>
      <dl>
        {recipes.map(([step, command]) => (
          <div key={step}>
            <dt class="muted">{step}</dt>
            <dd>
              <code>{command}</code>
            </dd>
          </div>
        ))}
      </dl>
      <p class="muted">
        In the app itself: <code>Debug.startMethodTracing("app")</code> …{" "}
        <code>Debug.stopMethodTracing()</code>
      </p>
    </section>
  );
}
