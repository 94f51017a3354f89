Deno.serve(async () => {
  const text = await Deno.readTextFile(new URL("./letter.html", import.meta.url));
  return Response.json({ ok: text.includes("Dear") });
});
