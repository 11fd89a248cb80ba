/**
 * Names for requests, so that a caller's report finds our log line. One random prefix a process
 * and a counter: unique, cheap, and not a secret.
 */
const PREFIX_BYTES = 9

/** A function that returns `req_<18 hex digits>_<n>`, n rising from 1. */
export function createRequestIds(): () => string {
  const random = crypto.getRandomValues(new Uint8Array(PREFIX_BYTES))
  const prefix = `req_${Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("")}_`
  let count = 0
  return () => {
    count += 1
    return prefix + String(count)
  }
}
