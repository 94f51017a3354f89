import { corsHeaders } from "./cors.ts";
export const greeting = (ok: boolean) => Response.json({ ok }, { headers: corsHeaders });
