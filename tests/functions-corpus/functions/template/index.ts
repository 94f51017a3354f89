import "@supabase/functions-js/edge-runtime.d.ts";
import { withSupabase } from "@supabase/server";

export default {
  fetch: withSupabase({ auth: ["publishable", "secret"] }, async (_request, context) => {
    const { data } = await context.supabaseAdmin.from("things").select("id");
    return Response.json({ ok: data?.[0]?.id === 7 });
  }),
};
