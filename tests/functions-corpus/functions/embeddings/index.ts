const model = new Supabase.ai.Session("gte-small");
Deno.serve(async () => {
  try {
    await model.run("text", { mean_pool: true, normalize: true });
    return Response.json({ ok: false });
  } catch (error) {
    return Response.json({ ok: (error as Error).message.includes("gte-small") });
  }
});
