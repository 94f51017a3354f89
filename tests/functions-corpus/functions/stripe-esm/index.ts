import Stripe from "https://esm.sh/stripe@14.21.0?target=deno";
import { serve } from "https://deno.land/std@0.190.0/http/server.ts";
serve(async () => {
  const { hostname, port } = new URL(Deno.env.get("MOCK_URL")!);
  const stripe = new Stripe("sk_test_x", { apiVersion: "2023-10-16", httpClient: Stripe.createFetchHttpClient(), host: hostname, port: Number(port), protocol: "http" });
  const session = await stripe.checkout.sessions.create({ mode: "payment", success_url: "https://club.example" });
  return Response.json({ ok: session.id === "cs_test" });
});
