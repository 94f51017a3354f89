// What a function imports for its types or for a browser's API that Deno has.
export {};
