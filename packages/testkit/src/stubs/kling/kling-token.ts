/**
 * The credentials of Kling: an API key, or a token that its caller signs with a secret. Its claims are checked; its
 * signature can't be, since every secret is right here.
 */
import { isObject } from "../frame/stub-call.ts"

/** Kling's code for a token that is not valid now; undefined if it is. */
export function findTokenFault(token: string, now: number): 1002 | 1003 | 1004 | undefined {
  const parts = token.split(".")
  if (parts.length === 1) return undefined
  const [header, claims] = parts.slice(0, 2).map(readPart)
  const isSigned = /^[A-Za-z0-9_-]{43}$/.test(parts[2] ?? "") && parts.length === 3
  if (!isSigned || header?.["alg"] !== "HS256" || typeof claims?.["iss"] !== "string") return 1002
  const [begin, end] = [Number(claims["nbf"]), Number(claims["exp"])]
  if (now / 1_000 < begin) return 1003
  return now / 1_000 < end ? undefined : 1004
}

function readPart(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"))
    return isObject(value) ? value : undefined
  } catch {
    // No token has such a part.
    return undefined
  }
}
