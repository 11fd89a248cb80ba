/** The SHA-256 that a `Repr-Digest` header names (RFC 9530 §3), whatever else it lists. */

const SHA_256 = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):/

/** 64 lower-case hexadecimal digits, or undefined where the header names no SHA-256. */
export function parseReprDigest(header: string | null): string | undefined {
  const base64 = SHA_256.exec(header ?? "")?.[1]
  return base64 === undefined ? undefined : Buffer.from(base64, "base64").toString("hex")
}
