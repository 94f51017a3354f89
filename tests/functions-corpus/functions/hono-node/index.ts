import { serve } from "npm:@hono/node-server@1";
import { Hono } from "npm:hono@4";
const app = new Hono();
app.all("/*", (context) => context.json({ ok: new URL(context.req.url).pathname.startsWith("/hono-node") }));
serve({ fetch: app.fetch, port: 8787 });
