import { nanoid } from "nanoid";
Deno.serve(() => Response.json({ ok: nanoid(5).length === 5 }));
