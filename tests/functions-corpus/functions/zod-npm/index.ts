import { z } from "npm:zod@3.23.8";
Deno.serve(() => Response.json({ ok: !z.string().email().safeParse("no").success }));
