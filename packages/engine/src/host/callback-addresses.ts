/**
 * Where a provider calls back about one upstream key. The address holds the key and a MAC of it that
 * only nodes of this database can make: a task's own client knows its id and can't guess the rest.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import type { CallbackAddress, Channel } from "@safelight/core"
import type { DeploymentKeys } from "./deployment-keys.ts"

export interface CallbackAddresses {
  /** Whether providers can reach the service at all. */
  readonly isReachable: boolean
  /** Undefined where nobody could call, or the channel would not listen. */
  create(channel: Channel, upstreamKey: string): Promise<CallbackAddress | undefined>
  /** What the last part of an address of `channel` stands for; undefined for one of nobody's. */
  open(channel: string, key: string): Promise<OpenedCallback | undefined>
}

export interface OpenedCallback {
  readonly upstreamKey: string
  readonly secret: string
}

/** Longer than any upstream key with its MAC: nothing longer is looked at. */
const MOST_CHARACTERS = 400
/** An HMAC-SHA256 as base64url. */
const MAC = /^[A-Za-z0-9_-]{43}$/

export function createCallbackAddresses(
  keys: DeploymentKeys,
  publicUrl: string | undefined,
): CallbackAddresses {
  const prefix = publicUrl?.replace(/\/+$/, "")

  /** The purpose is a part of what is signed: neither MAC can be had by way of the other. */
  async function sign(
    purpose: "address" | "secret",
    channel: string,
    upstreamKey: string,
  ): Promise<string> {
    const text = JSON.stringify([purpose, channel, upstreamKey])
    return createHmac("sha256", await keys.derive("callback"))
      .update(text)
      .digest("base64url")
  }

  return {
    isReachable: prefix !== undefined,
    async create(channel, upstreamKey) {
      if (prefix === undefined || channel.receive === undefined) return undefined
      const { name } = channel
      const key = `${upstreamKey}.${await sign("address", name, upstreamKey)}`
      const path = `/v1/channels/${encodeURIComponent(name)}/callback/${encodeURIComponent(key)}`
      return { url: `${prefix}${path}`, secret: await sign("secret", name, upstreamKey) }
    },
    async open(channel, key) {
      const end = key.lastIndexOf(".")
      const mac = key.slice(end + 1)
      if (end < 1 || key.length > MOST_CHARACTERS || !MAC.test(mac)) return undefined
      const upstreamKey = key.slice(0, end)
      const expected = await sign("address", channel, upstreamKey)
      // As texts: two texts of base64url may stand for the same bytes.
      if (!timingSafeEqual(Buffer.from(expected), Buffer.from(mac))) return undefined
      return { upstreamKey, secret: await sign("secret", channel, upstreamKey) }
    },
  }
}
