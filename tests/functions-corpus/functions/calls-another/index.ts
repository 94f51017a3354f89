Deno.serve(async (req) => {
  const answer = await fetch(`${Deno.env.get("SUPABASE_URL")}/functions/v1/plain`, {
    method: "POST", headers: { Authorization: req.headers.get("Authorization")! },
  });
  return Response.json(await answer.json());
});
