// Call it: supabase.functions.invoke("<name>", { body: { name: "Clyde" } }), or POST /functions/v1/<name> with the project's key.

// Headers that let a web app on another origin call this function.
const cors = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Headers": "authorization, x-client-info, apikey, content-type",
};

// A client with the rights of the caller, so that row-level security applies:
//
// import { createClient } from "npm:@supabase/supabase-js@2";
// const clientOf = (request: Request) =>
//   createClient(Deno.env.get("SUPABASE_URL")!, Deno.env.get("SUPABASE_ANON_KEY")!, {
//     global: { headers: { Authorization: request.headers.get("Authorization") ?? "" } },
//   });
// const { data, error } = await clientOf(request).from("notes").select();

const answer = (body: unknown, status = 200) => Response.json(body, { status, headers: cors });

Deno.serve(async (request) => {
  // A browser sends OPTIONS before a request to another origin.
  if (request.method === "OPTIONS") return new Response("ok", { headers: cors });
  const body = await request.json().catch(() => null);
  const name = body?.name;
  if (typeof name !== "string") return answer({ error: "name is missing" }, 400);
  // A secret, set with: cloch secrets set GREETING
  const greeting = Deno.env.get("GREETING") ?? "Hello";
  return answer({ message: `${greeting} ${name}!` });
});
