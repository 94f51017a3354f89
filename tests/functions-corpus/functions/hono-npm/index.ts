import { Hono } from "npm:hono@4.6.14";
import { cors } from "npm:hono@4.6.14/cors";
const app = new Hono().basePath("/hono-npm");
app.use("*", cors());
app.post("/", (c) => c.json({ ok: true }));
app.post("/deep/:id", (c) => c.json({ id: c.req.param("id") }));
Deno.serve(app.fetch);
