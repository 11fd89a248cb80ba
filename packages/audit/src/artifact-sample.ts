/**
 * A sample of artifacts. Whether one belongs to it is a matter of its own names and the seed, not of the order or the
 * number of the others: the same seed chooses the same artifacts again, also once there are more.
 */
import { hash } from "node:crypto"
import { SafelightError } from "@safelight/core"

export interface ArtifactSample {
  /** How likely each artifact is chosen: above 0, and 1 at most. */
  readonly share: number
  /** Any text. */
  readonly seed: string
}

/** 48 bits: the share of a sample is never that fine, and a number holds them exactly. */
const DIGITS = 12

/** Throws `invalid-configuration` if the share is out of bounds. */
export function createChoice(
  sample: ArtifactSample | undefined,
): (task: string, key: string) => boolean {
  if (sample === undefined) return () => true
  const { seed, share } = sample
  if (!(share > 0 && share <= 1)) {
    const message = "sample.share must be a number above 0, and 1 at most"
    throw new SafelightError({ code: "invalid-configuration", message })
  }
  return (task, key) => {
    const digits = hash("sha256", JSON.stringify([seed, task, key])).slice(0, DIGITS)
    return Number.parseInt(digits, 16) < share * 16 ** DIGITS
  }
}
