/**
 * Whether a provider can be reached and takes the key, without buying anything: by the request that its
 * declaration names, or by a GET of its address, whose answer proves nothing about the key.
 */
import { isSafelightError, type ChannelCheck } from "@safelight/core"
import { NotSent } from "./not-sent.ts"
import type { KeyCheck, Provider } from "../declaration/provider.ts"
import type { Send } from "../declaration/provider-request.ts"

const ADDRESS = { method: "GET", path: "/" } as const

/** What the provider does wrong is part of the result: only a bug of ours makes it reject. */
export async function checkProvider(
  { check }: Pick<Provider, "check">,
  send: Send,
  models: readonly string[],
): Promise<ChannelCheck> {
  try {
    return await (typeof check === "function" ? check(send, models) : checkKey(check, send))
  } catch (error) {
    if (!isSafelightError(error)) throw error
    const why = error.cause instanceof NotSent ? ` (${error.cause.message})` : ""
    const words = error.code === "aborted" ? "it does not answer in time" : error.message
    return { kind: "unavailable", reason: `${words}${why}` }
  }
}

async function checkKey(check: KeyCheck | undefined, send: Send): Promise<ChannelCheck> {
  const reply = await send(check?.request ?? ADDRESS)
  const { status } = reply
  if (status >= 500) return { kind: "unavailable", reason: `it answers ${status}` }
  if (check === undefined) return { kind: "ready", key: "unproved" }
  const isTaken = check.readKey(reply)
  if (isTaken === true) return { kind: "ready", key: "taken" }
  if (isTaken === false) return { kind: "refused", reason: `it refuses the key (${status})` }
  return { kind: "unavailable", reason: `it answers ${status}, which says nothing of the key` }
}
