// Replacement of modules that a function imports only for types, or for browser APIs that Deno has.
export {};
