// Holds manifests of Kubernetes against the schemas that its API publishes, as the package kubernetes-models has them compiled.
//   node manifests.mjs < MANIFESTS        a JSON array; prints a line for each fault
// The schemas let keys pass that they do not know, as a misspelt readinessProbe is. A validator asks an object for each key that it
// knows, so what it never asks for is unknown.
import { readFileSync } from "node:fs";

function schemaOf({ apiVersion, kind }) {
  const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["core", apiVersion];
  const capital = (word) => word[0].toUpperCase() + word.slice(1);
  return `IoK8sApi${capital(group.split(".")[0])}${capital(version)}${kind}`;
}

// The object, and all in it, with a note of which keys are asked for.
function watched(value, path, unasked) {
  if (value === null || typeof value !== "object") return value;
  const own = Array.isArray(value) ? [] : Object.keys(value);
  for (const key of own) unasked.add(`${path}.${key}`);
  const inside = new Map();
  return new Proxy(value, {
    get(target, key) {
      if (typeof key === "symbol" || !Object.hasOwn(target, key)) return target[key];
      unasked.delete(`${path}.${key}`);
      if (!inside.has(key)) inside.set(key, watched(target[key], `${path}.${key}`, unasked));
      return inside.get(key);
    },
  });
}

for (const manifest of JSON.parse(readFileSync(0, "utf8"))) {
  const name = `${manifest.kind} ${manifest.metadata?.name}`;
  const { validate } = await import(`./node_modules/kubernetes-models/_schemas/${schemaOf(manifest)}.mjs`);
  const unasked = new Set();
  if (!validate(watched(manifest, name, unasked)))
    for (const error of validate.errors) console.log(`${name}${error.instancePath}: ${error.keyword} ${JSON.stringify(error.params)}`);
  for (const path of unasked) console.log(`${path}: no such key`);
}
