/**
 * Outputs in the form that leaves the channel: those that need the key get credentials of their own, and data URLs
 * become bytes.
 */
import {
  isDataUrl,
  parseDataUrl,
  type AbortSignalLike,
  type ChannelOutput,
  type Completed,
  type LinkedOutput,
} from "@safelight/core"
import { toInlineOutput } from "../declaration/inline-output.ts"
import type { Provider } from "../declaration/provider.ts"
import type { Authorizer } from "./authorizer.ts"
import { asSent } from "./not-sent.ts"
import type { ProviderAddress } from "./provider-address.ts"

export interface OutputsOptions {
  readonly provider: Pick<Provider, "outputsNeedKey">
  /** The channel's. */
  readonly name: string
  readonly address: Pick<ProviderAddress, "isOwn" | "toUrl">
  readonly authorize: Authorizer["authorize"]
}

/** Rejects with `channel-unavailable` if credentials can't be made. */
export async function presentOutputs<Outcome extends { readonly kind: string }>(
  options: OutputsOptions,
  outcome: Outcome,
  signal: AbortSignalLike,
): Promise<Outcome> {
  if (!isCompleted(outcome)) return outcome
  const outputs = await Promise.all(outcome.outputs.map((each) => present(options, each, signal)))
  return { ...outcome, outputs: outputs.filter((output) => output !== undefined) }
}

function isCompleted<Outcome extends { readonly kind: string }>(
  outcome: Outcome,
): outcome is Outcome & Completed {
  return outcome.kind === "completed"
}

async function present(
  options: OutputsOptions,
  output: ChannelOutput,
  signal: AbortSignalLike,
): Promise<ChannelOutput | undefined> {
  if (!("url" in output)) return output
  if (isDataUrl(output.url)) {
    const { mimeType, start } = parseDataUrl(output.url) ?? {}
    return toInlineOutput(output.url.slice(start), mimeType)
  }
  if (options.provider.outputsNeedKey !== true) return output
  return asSent(options.name, withCredentials(options, output, signal))
}

async function withCredentials(
  { address, authorize }: OutputsOptions,
  output: LinkedOutput,
  signal: AbortSignalLike,
): Promise<LinkedOutput> {
  const isPath = output.url.startsWith("/")
  const url = isPath ? address.toUrl({ path: output.url }) : URL.parse(output.url)
  if (url === null || !address.isOwn(url)) return output
  const headers = await authorize({ method: "GET", url, headers: {}, body: undefined }, signal)
  return { ...output, url: url.href, headers }
}
