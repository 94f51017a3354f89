// Replacement of https://deno.land/std/http/server.ts
export const serve = (handler, options = {}) => Deno.serve(options, handler).finished;
export const serveListener = (_listener, handler, options = {}) => serve(handler, options);
export class Server {
  constructor({ handler }) {
    this.handler = handler;
  }
  listenAndServe() {
    return serve(this.handler);
  }
}
