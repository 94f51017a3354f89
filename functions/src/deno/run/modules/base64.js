// Replacement of https://deno.land/std/encoding/base64.ts
const bytesOf = (data) => (typeof data === "string" ? new TextEncoder().encode(data) : new Uint8Array(data));
export const encodeBase64 = (data) => {
  let text = "";
  for (const byte of bytesOf(data)) text += String.fromCharCode(byte);
  return btoa(text);
};
export const decodeBase64 = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
export { decodeBase64 as decode, encodeBase64 as encode };
