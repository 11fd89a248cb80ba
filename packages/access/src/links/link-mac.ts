/**
 * The MAC of a private link, by WebCrypto: its comparison takes the same time wherever two MACs
 * differ, and a key that it holds can't be read out again.
 */
import { toSignedLinkText, type LinkClaim } from "./access-token.ts"

const HMAC = { name: "HMAC", hash: "SHA-256" } as const

/** From 64 hexadecimal digits. */
export function importMacKey(secret: string): Promise<CryptoKey> {
  return importBytes(Uint8Array.from(secret.match(/../g) ?? [], (hex) => Number.parseInt(hex, 16)))
}

/** A key that nobody has, so that it verifies nothing. */
export function createDecoyKey(): Promise<CryptoKey> {
  return importBytes(crypto.getRandomValues(new Uint8Array(32)))
}

function importBytes(bytes: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", bytes, HMAC, false, ["sign", "verify"])
}

/** 43 base64url digits. */
export async function signClaim(key: CryptoKey, claim: LinkClaim): Promise<string> {
  const mac = await crypto.subtle.sign("HMAC", key, toBytes(claim))
  const text = btoa(String.fromCharCode(...new Uint8Array(mac)))
  return text.replaceAll("+", "-").replaceAll("/", "_").replace("=", "")
}

/** Whether `mac`, 43 base64url digits, is the claim's. */
export function verifyClaim(key: CryptoKey, claim: LinkClaim, mac: string): Promise<boolean> {
  const text = atob(mac.replaceAll("-", "+").replaceAll("_", "/"))
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0))
  return crypto.subtle.verify("HMAC", key, bytes, toBytes(claim))
}

function toBytes(claim: LinkClaim): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(toSignedLinkText(claim))
}
