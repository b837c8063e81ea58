// What changed in settings, so that each of several pages keeps what its own user changed, and nothing of what another page
// changed meanwhile. A change is a JSON merge patch (RFC 7396): fields with their new values, null for what is gone.

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function settingsChange(before: Fields, now: Fields): Fields {
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  return Object.fromEntries(
    [...names].flatMap((name): [string, unknown][] => {
      const [was, is] = [before[name], now[name] ?? null];
      if (JSON.stringify(was) === JSON.stringify(is)) return [];
      return [[name, isFields(was) && isFields(is) ? settingsChange(was, is) : is]];
    }),
  );
}

export function withSettingsChange(kept: Fields, change: Fields): Fields {
  const changed = Object.entries(change).map(([name, is]): [string, unknown] => {
    const was = kept[name];
    return [name, isFields(is) ? withSettingsChange(isFields(was) ? was : {}, is) : is];
  });
  const all = Object.entries({ ...kept, ...Object.fromEntries(changed) });
  return Object.fromEntries(all.filter(([, value]) => value !== null));
}
