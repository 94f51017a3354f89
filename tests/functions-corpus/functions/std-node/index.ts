import { createHmac } from "https://deno.land/std@0.177.0/node/crypto.ts";
Deno.serve(() => Response.json({ ok: createHmac("sha256", "k").update("x").digest("hex").length === 64 }));
