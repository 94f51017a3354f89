import Fastify from "npm:fastify@5";
const app = Fastify();
app.all("/*", async (request) => ({ ok: request.url.startsWith("/fastify-npm") }));
await app.listen({ port: 3000, host: "0.0.0.0" });
