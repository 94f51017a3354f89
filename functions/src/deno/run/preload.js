// Runs in every Deno worker before the function: defines the APIs that code for the Supabase edge runtime expects, and reports the worker's
// state to the supervisor (Cloch).
import { AsyncLocalStorage } from "node:async_hooks";

const worker = JSON.parse(Deno.env.get("CLOCH_WORKER"));
// Remove variables that only Deno's start needs from the function's environment.
for (const name of ["CLOCH_WORKER", "DENO_AUTO_SERVE", "DENO_DIR", "DENO_NODE_SHIM_ACTIVE", "DENO_NO_PACKAGE_JSON", "DENO_NO_UPDATE_CHECK", "NO_COLOR", "PATH"]) {
  Deno.env.delete(name);
}
const { exit, serve } = Deno;
const { fetch: send, WebSocket: Socket } = globalThis;
const encoder = new TextEncoder();
const request = new AsyncLocalStorage();

// Lines for the supervisor (Cloch) begin with a control character, which text does not contain, and a token that only this file contains.
const mark = (stream, text) => stream.writeSync(encoder.encode(`\x1e${worker.token}${text}\n`));
const tell = (message) => mark(Deno.stdout, `T${JSON.stringify(message)}`);

// Console: mark each message with its level and the id of the request that logged it.
const levels = { debug: "debug", log: "info", info: "info", warn: "warn", error: "error", trace: "error" };
for (const [name, level] of Object.entries(levels)) {
  const print = console[name].bind(console);
  const stream = level === "info" || level === "debug" ? Deno.stdout : Deno.stderr;
  console[name] = (...values) => {
    mark(stream, `L${level} ${request.getStore() ?? ""}`);
    print(...values);
    mark(stream, "E");
  };
}

// For requests over a Unix socket, Deno returns URLs with the scheme http+unix:, which is replaced by http:.
const { get } = Object.getOwnPropertyDescriptor(Request.prototype, "url");
Object.defineProperty(Request.prototype, "url", {
  configurable: true,
  enumerable: true,
  get() {
    const url = get.call(this);
    return url.startsWith("http+unix:") ? `http:${url.slice(10)}` : url;
  },
});

class ServeHandlerInfo {
  #request;
  #info;
  constructor(request, info) {
    this.#request = request;
    this.#info = info;
  }
  get remoteAddr() {
    const hostname = this.#request.headers.get("x-forwarded-for")?.split(",")[0].trim() ?? "127.0.0.1";
    return { transport: "tcp", hostname, port: 0 };
  }
  get completed() {
    return this.#info.completed;
  }
}

// Deno.serve listens on the worker's Unix socket instead of the port that the function names. `export default { fetch }` also uses
// Deno.serve.
let server;
const listening = () => {
  tell({ listening: true });
  obey();
};
Deno.serve = (first, second) => {
  if (server) return server;
  const handler = [first, second].find((part) => typeof part === "function") ?? first.handler;
  const options = [first, second].find((part) => part && typeof part === "object") ?? {};
  const onListen = () => {
    listening();
    options.onListen?.({ transport: "tcp", hostname: options.hostname ?? "0.0.0.0", port: options.port ?? 8000 });
  };
  const own = { path: worker.socket, onListen };
  if (options.onError) own.onError = options.onError;
  if (options.signal) own.signal = options.signal;
  server = serve(own, (received, info) =>
    request.run(received.headers.get("x-request-id"), handler, received, new ServeHandlerInfo(received, info))
  );
  return server;
};

// Node servers (express, fastify, hono and others) also listen on the worker's Unix socket. Only the first server of the function receives
// requests.
if (worker.node_server) {
  const { default: net } = await import("node:net");
  const { listen } = net.Server.prototype;
  net.Server.prototype.listen = function (...values) {
    if (server) return listen.apply(this, values);
    const ready = values.find((value) => typeof value === "function");
    const asked = values.find((value) => value && typeof value === "object") ?? { port: values[0] };
    const { emit } = this;
    this.emit = (event, ...rest) =>
      event === "request" ? request.run(rest[0].headers["x-request-id"], () => emit.call(this, event, ...rest)) : emit.call(this, event, ...rest);
    this.address = () => ({ address: asked.host ?? "0.0.0.0", family: "IPv4", port: Number(asked.port) || 8000 });
    this.once("listening", listening);
    server = {
      shutdown: () => {
        const ended = new Promise((done) => this.close(done));
        this.closeIdleConnections?.();
        return ended;
      },
    };
    return listen.call(this, { path: worker.socket }, ...(ready ? [ready] : []));
  };
}

// Background work after the response (`EdgeRuntime.waitUntil`).
let pending = 0;
const settled = () => {
  pending -= 1;
  tell({ pending });
};
globalThis.EdgeRuntime = {
  waitUntil(promise) {
    pending += 1;
    tell({ pending });
    Promise.resolve(promise).then(settled, (error) => {
      console.error(error);
      settled();
    });
    return promise;
  },
};

// Supabase.ai: models on the server that is configured in [ai] of cloch.toml. "gte-small" creates embeddings; any other name is a text
// model.
let models;
const askModel = async (path, question, { timeout = 60, signal } = {}) => {
  models ??= Deno.createHttpClient({ proxy: { transport: "unix", path: worker.ai.socket } });
  const limit = AbortSignal.timeout(timeout * 1000);
  const answer = await send(`http://cloch.internal${path}`, {
    method: "POST",
    client: models,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(question),
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
  });
  if (!answer.ok) throw new Error(`Supabase.ai: the server of [ai] answered ${answer.status}: ${(await answer.text()).slice(0, 1000)}`);
  return answer;
};
// Yields the JSON events of a streamed response. Ignores lines that are no events.
async function* chunks(answer) {
  let text = "";
  for await (const part of answer.body.pipeThrough(new TextDecoderStream())) {
    text += part;
    const lines = text.split(/\r?\n/);
    text = lines.pop();
    for (const line of lines) {
      if (!line.startsWith("data:")) continue;
      const data = line.slice(5).trim();
      if (data === "[DONE]") return;
      yield JSON.parse(data);
    }
  }
}
const normalized = (vector) => {
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
};
const embed = async (input, options) => {
  const answer = await askModel("/embeddings", { model: worker.ai.embedding_model, input, encoding_format: "float" }, options);
  const { data } = await answer.json();
  const vectors = data.map(({ embedding }) => (options.normalize ? normalized(embedding) : embedding));
  return Array.isArray(input) ? vectors : vectors[0];
};
// A response to a prompt has the format of Ollama, as in Supabase's edge runtime. With `mode: "openaicompatible"`, requests and responses
// are passed through unchanged.
async function* responses(model, answer) {
  for await (const { choices } of chunks(answer)) yield { model, response: choices?.[0]?.delta?.content ?? "", done: Boolean(choices?.[0]?.finish_reason) };
}
const complete = async (model, prompt, options) => {
  const isOpen = options.mode === "openaicompatible";
  const question = isOpen ? prompt : { messages: [{ role: "user", content: prompt }] };
  const answer = await askModel("/chat/completions", { ...question, model, stream: Boolean(options.stream) }, options);
  if (options.stream) return isOpen ? chunks(answer) : responses(model, answer);
  const whole = await answer.json();
  return isOpen ? whole : { model, response: whole.choices[0].message.content, done: true };
};
globalThis.Supabase = {
  ai: {
    Session: class Session {
      constructor(model) {
        this.model = model;
      }
      async run(input, options = {}) {
        if (!worker.ai) {
          throw new Error(`Supabase.ai: there is no model "${this.model}", because [ai] of cloch.toml names no server (base_url, api_key)`);
        }
        return this.model === "gte-small" ? await embed(input, options) : await complete(this.model, input, options);
      }
    },
  },
};

// Requests to Cloch's own URLs go through a Unix socket, because functions cannot reach the machine's own addresses.
let client;
// Host names of the Supabase CLI's containers, which projects write into the code of their functions.
const containers = /^http:\/\/(?:(?:kong|supabase_kong_[\w.-]+|api\.supabase\.internal)(?::\d+)?|host\.docker\.internal:54321)(?=[/?#]|$)/;
const toServer = (url) => {
  const base = worker.origins.find((origin) => url.startsWith(origin) && "/?#".includes(url.charAt(origin.length) || "/")) ??
    url.match(containers)?.[0];
  if (base === undefined) return undefined;
  client ??= Deno.createHttpClient({ proxy: { transport: "unix", path: worker.server } });
  return `cloch.internal${url.slice(base.length)}`;
};
globalThis.fetch = function fetch(input, init) {
  const own = toServer(input instanceof Request ? input.url : String(input));
  if (own === undefined) return send(input, init);
  const url = `http://${own}`;
  return send(input instanceof Request ? new Request(url, input) : url, { ...init, client });
};
globalThis.WebSocket = class WebSocket extends Socket {
  constructor(url, protocols) {
    const own = toServer(String(url).replace(/^ws/, "http"));
    if (own === undefined) super(url, protocols);
    else super(`ws://${own}`, { protocols: protocols ?? [], client });
  }
};

// Connections to the project's database (SUPABASE_DB_URL) also go through a Unix socket: for Deno drivers, and for Node drivers if the function
// imports one.
const { database } = worker;
const isDatabase = (hostname, port) =>
  database && Number(port) === database.port && ["127.0.0.1", "localhost"].includes(hostname ?? "localhost");
const { connect } = Deno;
Deno.connect = (options) =>
  isDatabase(options.hostname, options.port) ? connect({ transport: "unix", path: database.socket }) : connect(options);
if (database?.node) {
  const { default: net } = await import("node:net");
  const { connect: open } = net.Socket.prototype;
  net.Socket.prototype.connect = function (...values) {
    const [first, second] = values;
    const target = typeof first === "object" && !Array.isArray(first) ? first : { port: first, host: typeof second === "string" ? second : undefined };
    if (!isDatabase(target.host, target.port)) return open.apply(this, values);
    const listener = values.find((value) => typeof value === "function");
    return open.call(this, { path: database.socket }, ...(listener ? [listener] : []));
  };
}

// Reads commands from the supervisor (Cloch). The worker exits when the supervisor closes the pipe.
async function obey() {
  let text = "";
  for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const lines = text.split("\n");
    text = lines.pop();
    for (const line of lines) unload(JSON.parse(line).unload);
  }
  exit(1);
}

async function unload(reason) {
  globalThis.dispatchEvent(new CustomEvent("beforeunload", { detail: { reason } }));
  await server.shutdown();
  while (pending > 0) await new Promise((done) => setTimeout(done, 20));
  exit(0);
}
