/**
 * The inputs of a request in the form that its provider takes, put in place of the URLs before anything is
 * bought. Nothing here is a purchase: it may be repeated, and a failure proves that nothing was created. A
 * parameter without a rule is sent unchanged.
 *
 *   data URL → link, upload      http(s) URL → data URL
 */
import {
  gatherBody,
  isDataUrl,
  isFailureCode,
  isSafelightError,
  listTextsAt,
  SafelightError,
  type ChannelRequest,
  type NotCreated,
  type ParameterValues,
  type Refused,
} from "@safelight/core"
import type { Provider } from "../declaration/provider.ts"
import { changeAt } from "../declaration/media-members.ts"
import type { InputRule, ProviderModel } from "../declaration/provider-model.ts"
import type { Send } from "../declaration/provider-request.ts"

/** For all inputs of a request: otherwise the purchase could not leave in time. */
export const PUT_INPUTS_MS = 15_000

export interface InputPlace {
  readonly model: { readonly inputs: ProviderModel["inputs"] }
  readonly provider: Provider
  readonly request: ChannelRequest
  /** Sends with the signal that ends all of this. */
  readonly send: Send
  readonly signal: AbortSignal
}

type PutInputs =
  | { readonly kind: "put"; readonly parameters: ParameterValues }
  | NotCreated
  | Refused

/** A failed input or upload is part of the result: only a bug of ours makes it reject. */
export async function putInputs(place: InputPlace): Promise<PutInputs> {
  const { model, request, signal } = place
  let { parameters } = request
  try {
    for (const [path, rule] of Object.entries(model.inputs ?? {})) {
      // oxlint-disable-next-line no-await-in-loop
      parameters = await putAll(place, rule, parameters, path)
    }
    // An input that ignores the signal may have come too late.
    if (model.inputs !== undefined && signal.aborted) return TOO_LONG
    return { kind: "put", parameters }
  } catch (error) {
    return readFault(error, signal)
  }
}

/** Throws an error that is a bug of ours. */
function readFault(error: unknown, signal: AbortSignal): NotCreated | Refused {
  const isInputs = isSafelightError(error) && isFailureCode(error.code)
  const about = isInputs && { isAboutRequest: true as const }
  if (signal.aborted) return { ...TOO_LONG, ...about }
  if (!isSafelightError(error)) throw error
  const { code, retryable } = error
  if (isFailureCode(code) && !retryable) return { kind: "refused", code }
  return { kind: "not-created", reason: code, ...about }
}

const TOO_LONG: NotCreated = { kind: "not-created", reason: "inputs_took_too_long" }

async function putAll(
  place: InputPlace,
  rule: InputRule,
  parameters: ParameterValues,
  path: string,
): Promise<ParameterValues> {
  const urls: string[] = []
  // In turn, so that one is in memory at a time.
  // oxlint-disable-next-line no-await-in-loop
  for (const url of listTextsAt(parameters, path)) urls.push(await put(place, rule, url))
  let position = 0
  return changeAt(parameters, path, () => urls[position++]) as ParameterValues
}

async function put(place: InputPlace, rule: InputRule, url: string): Promise<string> {
  const { by, fromCharacters = 0 } = rule
  const isInline = isDataUrl(url)
  if (isInline === (by === "inline") || url.length < fromCharacters) return url
  const { provider, request, send, signal } = place
  // Without a public address it stays: `accepts` has refused it if the provider takes no data URL.
  if (by === "link") return (await request.inputs.link(url)) ?? url
  const { content, mimeType } = await readInput(request.inputs, url, signal)
  if (by === "inline") return `data:${mimeType};base64,${content.toString("base64")}`
  if (provider.upload === undefined) throw new TypeError(`${provider.name} has no upload`)
  return provider.upload({ content: new Blob([content], { type: mimeType }) }, send)
}

/** A caller's server that takes too long is no failure of the provider. */
async function readInput(
  inputs: ChannelRequest["inputs"],
  url: string,
  signal: AbortSignal,
): Promise<{ readonly content: Buffer<ArrayBuffer>; readonly mimeType: string }> {
  try {
    const { body, mimeType } = await inputs.open({ url, signal })
    // The engine bounds what it opens.
    const bytes = (await gatherBody(body, Infinity)) ?? new Uint8Array()
    return { content: Buffer.from(bytes.buffer), mimeType }
  } catch (cause) {
    if (!signal.aborted) throw cause
    const message = "an input took too long"
    const code = "media_download_failed"
    throw new SafelightError({ code, message, retryable: true, cause })
  }
}
