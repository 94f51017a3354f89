import { Hono } from "jsr:@hono/hono@4.6.14";
const app = new Hono();
app.post("/hono-jsr", (c) => c.json({ ok: true }));
export default app;
