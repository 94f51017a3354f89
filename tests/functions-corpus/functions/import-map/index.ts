import { nanoid } from "nanoid";
import { corsHeaders } from "shared/cors.ts";
Deno.serve(() => Response.json({ ok: nanoid().length === 21 }, { headers: corsHeaders }));
