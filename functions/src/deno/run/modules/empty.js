// Replacement of modules that a function imports only for type declarations, or for browser APIs that Deno already has.
export {};
