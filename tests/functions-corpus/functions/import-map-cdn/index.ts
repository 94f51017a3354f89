import { createClient } from "supabase";
Deno.serve(() => Response.json({ ok: typeof createClient === "function" }));
