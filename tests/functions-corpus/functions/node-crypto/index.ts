import { createHash } from "node:crypto";
import { Buffer } from "node:buffer";
Deno.serve(() => Response.json({ ok: createHash("sha256").update(Buffer.from("x")).digest("hex").startsWith("2d711642") }));
