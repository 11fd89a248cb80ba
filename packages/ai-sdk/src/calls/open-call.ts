/**
 * One call of the SDK: a client whose requests carry the call's headers, the key that its tasks are submitted
 * with, and what the call does when its signal is aborted.
 *
 * Every call has an idempotency key. If it is the caller's own, the SDK's retry of the call has the same one and
 * joins its tasks. If it is not, a retry would be another purchase.
 */
import type { SharedV4ProviderOptions } from "@ai-sdk/provider"
import { createClient, type Client, type FetchLike } from "@safelight/client"
import { readCallOptions, requireKey, type SafelightOptions } from "./call-options.ts"
import type { Service } from "./service.ts"

export interface CallSource {
  readonly providerOptions?: SharedV4ProviderOptions | undefined
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
  readonly abortSignal?: AbortSignal | undefined
}

export interface Call {
  readonly service: Service
  readonly modelId: string
  readonly client: Client
  readonly options: SafelightOptions
  readonly key: string
  /** Whether a repetition of the call has the same key. */
  readonly isRepeatable: boolean
  /** The caller's. */
  readonly signal: AbortSignal | undefined
  /** The signal of submissions. */
  readonly submitting: AbortController
  readonly startedAt: Date
  /** Headers of the newest answer. */
  answered(): Readonly<Record<string, string>> | undefined
}

/** Throws `InvalidArgumentError` for wrong provider options, and for a wrong key among the headers. */
export function openCall(service: Service, modelId: string, source: CallSource): Call {
  const options = readCallOptions(source.providerOptions)
  const headers = withoutCase({ ...withoutCase(service.headers), ...withoutCase(source.headers) })
  const { "idempotency-key": sentKey, ...others } = headers
  if (sentKey !== undefined) requireKey(sentKey)
  const ownKey = options.idempotencyKey ?? sentKey
  const signal = source.abortSignal
  const submitting = new AbortController()
  let answered: Readonly<Record<string, string>> | undefined

  const ask: FetchLike = service.fetch ?? ((url, init) => globalThis.fetch(url, init))
  const fetch: FetchLike = async (url, init) => {
    if (signal?.aborted === true && isSubmission(url, init)) {
      // What was sent before is waited for, and nothing more is sent.
      submitting.abort(signal.reason)
      throw signal.reason
    }
    const merged = { ...others, ...withoutCase(init.headers as Record<string, string>) }
    const response = await ask(url, { ...init, headers: merged })
    answered = Object.fromEntries(response.headers)
    return response
  }

  const { apiKey, baseURL, settings = {} } = service
  return {
    service,
    modelId,
    client: createClient({ url: baseURL, key: apiKey, fetch, settings }),
    options,
    key: ownKey ?? crypto.randomUUID(),
    isRepeatable: ownKey !== undefined,
    signal,
    submitting,
    startedAt: new Date(),
    answered: () => answered,
  }
}

function isSubmission(url: string, { method }: RequestInit): boolean {
  return method === "POST" && new URL(url).pathname.endsWith("/v1/tasks")
}

function withoutCase(
  headers: Readonly<Record<string, string | undefined>> | undefined,
): Record<string, string> {
  const entries = Object.entries(headers ?? {})
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (value === undefined ? [] : [[name.toLowerCase(), value]])),
  )
}
