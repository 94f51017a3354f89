import { serve } from "https://deno.land/std/http/server.ts";
serve(() => Response.json({ ok: true }), { port: 8000 });
