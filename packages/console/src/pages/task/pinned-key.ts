/**
 * The public key of the signed log that the reader has from its operator, and not from this service. It is no secret, and
 * stays in this browser until the reader takes it back; a service can't tell it from here.
 */
import { signal, type ReadonlySignal } from "@preact/signals"
import { verifyTaskProof } from "@safelight/client"

const STORED = "safelight-log-key"
const pinned = signal(localStorage.getItem(STORED) ?? undefined)

/** Undefined as long as none was given. */
export const pinnedKey: ReadonlySignal<string | undefined> = pinned

/** Resolves to whether it is one: `name+id+base64`. Only then proofs are verified by it, and by no other. */
export async function pinKey(text: string): Promise<boolean> {
  if (!(await isLogKey(text))) return false
  localStorage.setItem(STORED, text)
  pinned.value = text
  return true
}

export function forgetKey(): void {
  localStorage.removeItem(STORED)
  pinned.value = undefined
}

/** Keys are looked at before the proof, which is none. */
async function isLogKey(text: string): Promise<boolean> {
  try {
    await verifyTaskProof(undefined, { keys: [text] })
    return true
  } catch (error) {
    if (error instanceof TypeError) return false
    throw error
  }
}

/** What stands between its name and its bytes, for people to compare. */
export function toFingerprint(key: string): string {
  return key.split("+", 2)[1] ?? ""
}
