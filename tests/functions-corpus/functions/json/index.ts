import data from "./data.json" with { type: "json" };
Deno.serve(() => Response.json({ ok: data.answer === 42 }));
