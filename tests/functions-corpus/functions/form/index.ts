Deno.serve(async (req) => {
  const form = await req.formData();
  const file = form.get("file") as File;
  return Response.json({ ok: form.get("name") === "Eilidh" && (await file.text()) === "text" });
});
