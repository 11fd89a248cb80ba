/**
 * Addresses at which a provider fetches one input of one task: `i1.<task>.<position>.<until>.<MAC>`. The
 * key is derived from the database's secret, so that every node serves what any node signed; a token is
 * the same each time it is made, so that a repeated request is too. It lives until its task's end.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import type { InputClaim } from "@safelight/core"
import type { DeploymentKeys } from "./deployment-keys.ts"

export interface InputLinks {
  /** Undefined where the service has no public address. Rejects with `storage-unavailable`. */
  link(claim: InputClaim): Promise<string | undefined>
  /** What this deployment signed; undefined for anything else. Rejects with `storage-unavailable`. */
  verify(token: string): Promise<InputClaim | undefined>
}

const TASK = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
const NUMBER = "0|[1-9][0-9]{0,14}"
/** The last of 43 digits holds four bits, so that it is one of sixteen. */
const MAC = "[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]"
const TOKEN = new RegExp(`^i1\\.(${TASK})\\.(${NUMBER})\\.(${NUMBER})\\.(${MAC})$`)
/** The longest that parses; nothing longer is looked at. */
const MOST_CHARACTERS = 2 + 36 + 15 + 15 + 43 + 4

export function createInputLinks(keys: DeploymentKeys, publicUrl: string | undefined): InputLinks {
  const prefix = publicUrl?.replace(/\/+$/, "")

  async function sign({ expiresAt, position, task }: InputClaim): Promise<Buffer> {
    const text = JSON.stringify([task, position, expiresAt])
    return createHmac("sha256", await keys.derive("input"))
      .update(text)
      .digest()
  }

  return {
    async link(claim) {
      if (prefix === undefined) return undefined
      const { expiresAt, position, task } = claim
      const mac = (await sign(claim)).toString("base64url")
      return `${prefix}/v1/inputs/i1.${task}.${position}.${expiresAt}.${mac}`
    },
    async verify(token) {
      if (token.length > MOST_CHARACTERS) return undefined
      const [, task, position, expiresAt, mac] = TOKEN.exec(token) ?? []
      if (task === undefined || mac === undefined) return undefined
      const claim = { task, position: Number(position), expiresAt: Number(expiresAt) }
      const isOurs = timingSafeEqual(Buffer.from(mac, "base64url"), await sign(claim))
      return isOurs ? claim : undefined
    },
  }
}
