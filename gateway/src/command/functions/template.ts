// Call it: POST /functions/v1/<name> with the project's key in `Authorization: Bearer …`.
// With the caller's token, createClient from npm:@supabase/supabase-js@2 sees what the caller may see.
Deno.serve(async (request) => {
  const { name } = await request.json();
  return Response.json({ message: `Hello ${name}!` });
});
