/** @jsxImportSource npm:preact@10.25.4 */
import { renderToString } from "npm:preact-render-to-string@6.5.13";
Deno.serve(() => Response.json({ ok: renderToString(<p>hi</p>) === "<p>hi</p>" }));
