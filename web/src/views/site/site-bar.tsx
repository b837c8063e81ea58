// The bar above the viewer's own where a site shows a trace to many: what the trace is, its link, how long it is kept.

import { lifeText, nameOf } from "../../model/site/site";
import { useApp } from "../shared/context";
import { copyText } from "../shared/share";

export function SiteBar() {
  const app = useApp();
  const site = app.store.site.value;
  if (site === null) return null;
  const { trace } = site;
  return (
    <section class="site-bar" aria-label="This trace on the site">
      <a class="home" href={`${site.base}/`} title="The start page of this site">
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <rect x="1" y="2" width="14" height="3.4" rx="1.2" />
          <rect x="1" y="6.3" width="8" height="3.4" rx="1.2" opacity=".7" />
          <rect x="4" y="10.6" width="4" height="3.4" rx="1.2" opacity=".45" />
        </svg>
        traceview
      </a>
      <b class="clip" title={nameOf(trace)}>
        {nameOf(trace)}
      </b>
      <ul class="labels" aria-label="Labels">
        {trace.labels.map(([key, text]) => (
          <li key={key} class="clip">
            <span class="muted">{key}</span> {text}
          </li>
        ))}
      </ul>
      <span class="muted life">{lifeText(trace.expiresS, Date.now() / 1000)}</span>
      <span class="grow" />
      {site.hasList ? (
        <a class="button" href={`${site.base}/list`}>
          All traces
        </a>
      ) : null}
      <a class="button" href="flame">
        Flame graphs
      </a>
      <a class="button" href={`${site.base}/compare?old=${trace.id}`}>
        Compare
      </a>
      <button
        class="button"
        onClick={() => copyText(app, location.href.replace(/#.*/, ""), "Link")}
      >
        Copy link
      </button>
      <button
        class="button"
        aria-haspopup="dialog"
        onClick={() => (app.store.dialog.value = "site")}
      >
        About
      </button>
    </section>
  );
}
