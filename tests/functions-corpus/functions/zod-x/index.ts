import { z } from "https://deno.land/x/zod@v3.22.4/mod.ts";
const Input = z.object({ value: z.string() });
Deno.serve(async (req) => Response.json({ ok: Input.safeParse(await req.json()).success }));
