/**
 * Base64 as RFC 4648 §4 writes it, and no other way: what has two spellings could be altered without its
 * signature showing it.
 */

export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}

/** Undefined if the text is not the one that `toBase64` gives. Texts are short here: a hash, a key, a signature. */
export function fromBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  return toBase64(bytes) === text ? bytes : undefined
}
