import { createHmac } from "node:crypto";
import Stripe from "npm:stripe@14.21.0";

const stripe = new Stripe("sk_test_x", { apiVersion: "2023-10-16" });
const provider = Stripe.createSubtleCryptoProvider();
Deno.serve(async () => {
  const payload = JSON.stringify({ id: "evt_1", object: "event" });
  const time = Math.floor(Date.now() / 1000);
  const signature = createHmac("sha256", "whsec_x").update(`${time}.${payload}`).digest("hex");
  const header = `t=${time},v1=${signature}`;
  const event = await stripe.webhooks.constructEventAsync(payload, header, "whsec_x", undefined, provider);
  const forged = await stripe.webhooks.constructEventAsync(payload, header, "other", undefined, provider).catch(() => null);
  return Response.json({ ok: event.id === "evt_1" && forged === null });
});
