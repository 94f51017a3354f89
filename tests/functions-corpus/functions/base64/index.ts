import { decode, encode } from "https://deno.land/std@0.168.0/encoding/base64.ts";
Deno.serve(() => Response.json({ ok: new TextDecoder().decode(decode(encode("Gourock"))) === "Gourock" }));
