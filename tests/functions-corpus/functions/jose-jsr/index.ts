import * as jose from "jsr:@panva/jose@6";
Deno.serve(async (req) => {
  const token = req.headers.get("Authorization")!.replace("Bearer ", "");
  return Response.json({ ok: jose.decodeJwt(token).role === "anon", alg: jose.decodeProtectedHeader(token).alg });
});
