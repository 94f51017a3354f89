import { addDays, format } from "https://esm.sh/date-fns@3.6.0";
Deno.serve(() => Response.json({ ok: format(addDays(new Date(2026, 0, 31), 1), "yyyy-MM-dd") === "2026-02-01" }));
