/**
 * The digest port: core computes no hash itself, it is handed a function. `engine` exports the
 * one that Node offers.
 */

/** A piece of what is hashed: text as UTF-8, or bytes written as hexadecimal digits. */
export type DigestPart = string | { readonly hex: string }

/** SHA-256 over the concatenation of `parts`, as 64 lower-case hexadecimal digits. */
export type Digest = (parts: readonly DigestPart[]) => string
