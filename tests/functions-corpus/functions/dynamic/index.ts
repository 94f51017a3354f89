Deno.serve(async () => {
  const { default: slugify } = await import("https://esm.sh/slugify@1.6.6");
  return Response.json({ ok: slugify("a b") === "a-b" });
});
