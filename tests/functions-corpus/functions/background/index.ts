Deno.serve(() => {
  EdgeRuntime.waitUntil(fetch(`${Deno.env.get("MOCK_URL")}/background`).then((answer) => answer.text()));
  return Response.json({ ok: true });
});
