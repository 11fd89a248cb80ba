/**
 * The id of a prompt, which is ours and made from the upstream key, so that every process can look it up; and
 * a seed that differs between attempts.
 */
import { createHash } from "node:crypto"
import { toUuid } from "@safelight/core"

export interface PromptIdentity {
  /** A UUID (RFC 9562 §5.8). */
  readonly promptId: string
  /** 32 bits: every sampler takes it, and JSON keeps it exactly. */
  readonly seed: number
}

export function toPromptIdentity(upstreamKey: string): PromptIdentity {
  const hash = createHash("sha256").update(`safelight:comfyui:1\n${upstreamKey}`).digest()
  return { promptId: toUuid(hash, 8), seed: hash.readUInt32BE(16) }
}
