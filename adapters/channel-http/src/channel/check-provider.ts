/**
 * Whether a provider can be reached and takes the key, without buying anything: by the request that its
 * declaration names, or by a GET of its address, whose answer proves nothing about the key.
 */
import { isSafelightError, type ChannelCheck } from "@safelight/core"
import { NotSent } from "./not-sent.ts"
import type { KeyCheck, Provider } from "../declaration/provider.ts"
import type { Send } from "../declaration/provider-request.ts"

const ADDRESS = { method: "GET", path: "/" } as const

export interface CheckPlace {
  readonly send: Send
  /** That the channel serves: the provider's own ids of those that the operator maps, and public ones. */
  readonly models: readonly string[]
  /** The provider's own models to which the operator maps some of them. */
  readonly upstreams: readonly string[]
}

/** What the provider does wrong is part of the result: only a bug of ours makes it reject. */
export async function checkProvider(
  provider: Pick<Provider, "check" | "hasModel" | "name">,
  { models, send, upstreams }: CheckPlace,
): Promise<ChannelCheck> {
  const { check } = provider
  try {
    const found = await (typeof check === "function" ? check(send, models) : checkKey(check, send))
    if (found.kind !== "ready") return found
    const lacking = await findLacking(provider, upstreams, send)
    if (lacking.length === 0) return found
    return { kind: "unavailable", reason: `${provider.name} has no model ${lacking.join(", ")}` }
  } catch (error) {
    if (!isSafelightError(error)) throw error
    const why = error.cause instanceof NotSent ? ` (${error.cause.message})` : ""
    const words = error.code === "aborted" ? "it does not answer in time" : error.message
    return { kind: "unavailable", reason: `${words}${why}` }
  }
}

/** Of `upstreams` those that the provider says it doesn't have; they are asked for one by one. */
async function findLacking(
  { hasModel }: Pick<Provider, "hasModel">,
  upstreams: readonly string[],
  send: Send,
): Promise<readonly string[]> {
  if (hasModel === undefined) return []
  const own = [...new Set(upstreams)]
  const lacking: string[] = []
  for (const upstream of own) {
    // oxlint-disable-next-line no-await-in-loop -- hundreds at once would be refused
    if ((await hasModel(upstream, send)) === false) lacking.push(upstream)
  }
  return lacking
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
