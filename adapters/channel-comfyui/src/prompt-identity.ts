/**
 * The id of a prompt, which is ours and made from the upstream key, so that every process can look it up; and
 * a seed that differs between attempts.
 */
import { createHash } from "node:crypto"

export interface PromptIdentity {
  /** A UUID (RFC 9562 §5.8). */
  readonly promptId: string
  /** 32 bits: every sampler takes it, and JSON keeps it exactly. */
  readonly seed: number
}

export function toPromptIdentity(upstreamKey: string): PromptIdentity {
  const hash = createHash("sha256").update(`safelight:comfyui:1\n${upstreamKey}`).digest()
  const seed = hash.readUInt32BE(16)
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x80
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  const hex = hash.toString("hex")
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)]
  return { promptId: [...parts, hex.slice(20, 32)].join("-"), seed }
}
