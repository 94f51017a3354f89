import { z } from "https://esm.sh/zod@3.22.4";
export default { fetch: () => Response.json({ ok: z.number().parse(1) === 1 }) };
