/**
 * An operator's own file for a channel. Its default export is a provider's declaration, or a function that
 * makes a channel.
 */
import { defineProvider, type Provider } from "@safelight/channel-http"
import type { Channel, SafelightError, Upstream } from "@safelight/core"
import type { ChannelSettings } from "../configuration/channel-settings.ts"
import { importDefault, invalidModule, toFirstLine } from "../configuration/import-module.ts"

/** What a module's function is given: the channel's configuration, and the environment variables. */
export interface ChannelSetup extends Omit<
  ChannelSettings,
  "type" | "models" | "module" | "tier" | "weight" | "costs" | "repeat" | "requestsPerMinute"
> {
  /** The public models that the configuration names. */
  readonly models?: readonly string[]
  /** How the configuration maps them, if it does. */
  readonly upstreams?: Readonly<Record<string, Upstream>>
  readonly environment: Readonly<Record<string, string | undefined>>
}

export type CreateChannel = (setup: ChannelSetup) => Channel | Promise<Channel>

/** Rejects with `invalid-configuration`, naming the file and what is wrong with it. */
export async function loadModule(path: string): Promise<Provider | CreateChannel> {
  const found = await importDefault("channels", path)
  if (typeof found === "function") return found as CreateChannel
  if (typeof found !== "object" || found === null) {
    throw invalid(path, "has no default export that is a provider, or a function for a channel")
  }
  requireMembers(path, found, PROVIDER_MEMBERS)
  return defineProvider(found as Provider)
}

/** The channel that a module's function makes. Rejects with `invalid-configuration`, naming the file. */
export async function makeByModule(
  path: string,
  create: CreateChannel,
  setup: ChannelSetup,
): Promise<Channel> {
  let made: Channel
  try {
    made = await create(setup)
  } catch (error) {
    throw invalid(path, `made no channel: ${toFirstLine(error)}`, error)
  }
  // What a JavaScript file returns may be anything.
  requireMembers(path, Object(made), CHANNEL_MEMBERS)
  return made
}

/** By the name of a member, the type that it must have. */
type Members = Readonly<Record<string, "function" | "number" | "object" | "string">>

const PROVIDER_MEMBERS: Members = {
  name: "string",
  keyVariable: "string",
  authorize: "function",
  outputHosts: "object",
  submission: "object",
  models: "object",
  concurrency: "number",
  submitTimeoutMs: "number",
  readCreate: "function",
  poll: "function",
}

const CHANNEL_MEMBERS: Members = {
  name: "string",
  models: "object",
  submission: "object",
  concurrency: "number",
  submitTimeoutMs: "number",
  submit: "function",
  poll: "function",
}

function requireMembers(path: string, value: object, members: Members): void {
  for (const [name, type] of Object.entries(members)) {
    const member: unknown = Reflect.get(value, name)
    // oxlint-disable-next-line valid-typeof -- one of those that `Members` names
    if (typeof member === type && member !== null) continue
    const what = members === CHANNEL_MEMBERS ? "made no channel" : "exports no provider"
    throw invalid(path, `${what}: ${name} must be ${type === "object" ? "an" : "a"} ${type}`)
  }
}

function invalid(path: string, why: string, cause?: unknown): SafelightError {
  return invalidModule("channels", path, why, cause)
}
