import { createServer } from "node:http";
const server = createServer((request, response) => {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ ok: request.url!.startsWith("/node-http") }));
});
server.listen(8080, () => console.log("listening on", (server.address() as { port: number }).port));
