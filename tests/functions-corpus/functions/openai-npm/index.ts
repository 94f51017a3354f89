import OpenAI from "npm:openai@4.77.0";
Deno.serve(async () => {
  const client = new OpenAI({ apiKey: "sk-x", baseURL: `${Deno.env.get("MOCK_URL")}/v1` });
  const stream = await client.chat.completions.create({ model: "m", stream: true, messages: [{ role: "user", content: "hi" }] });
  let text = "";
  for await (const part of stream) text += part.choices[0]?.delta?.content ?? "";
  return Response.json({ ok: text === "Dear guest" });
});
