Deno.serve(() => {
  const body = new ReadableStream({
    async start(controller) {
      for (const text of ["one", "two"]) {
        controller.enqueue(new TextEncoder().encode(`data: ${text}\n\n`));
        await new Promise((done) => setTimeout(done, 10));
      }
      controller.close();
    },
  });
  return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
});
