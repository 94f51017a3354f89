import { createClient } from "jsr:@supabase/supabase-js@2.45.0";
import "jsr:@supabase/functions-js/edge-runtime.d.ts";
Deno.serve(async (req) => {
  const supabase = createClient(Deno.env.get("SUPABASE_URL")!, Deno.env.get("SUPABASE_ANON_KEY")!, {
    global: { headers: { Authorization: req.headers.get("Authorization")! } },
  });
  const { data } = await supabase.from("hidden").select("id");
  return Response.json({ ok: data?.length === 0 });
});
