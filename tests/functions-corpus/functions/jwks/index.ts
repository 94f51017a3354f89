import { createLocalJWKSet } from "npm:jose@6";
Deno.serve(() => {
  const keys = JSON.parse(Deno.env.get("SUPABASE_JWKS")!);
  return Response.json({ ok: keys.keys.length > 0 && typeof createLocalJWKSet(keys) === "function" });
});
