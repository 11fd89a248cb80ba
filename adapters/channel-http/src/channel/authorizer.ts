/**
 * The credentials of a channel's requests: its declaration is asked for each request, and may take a while. What
 * it makes of the key is as secret as the key.
 *
 *   made in time → sent      rejected, too late, no headers → not sent, which proves that nothing was created
 */
import {
  createSecretHider,
  isSafelightError,
  toEcho,
  type AbortSignalLike,
  type Clock,
  type NotCreated,
} from "@safelight/core"
import type { Provider } from "../declaration/provider.ts"
import type { EncodedRequest } from "./encode-request.ts"
import { toAbortSignal } from "./http-client.ts"
import { NotSent } from "./not-sent.ts"

/** A purchase must leave within 15 s of being asked for, and connecting may take ten of them. */
const AUTHORIZE_MS = 4_000

/** Headers that were made and are still hidden: more than are on their way at once. */
const MOST_MADE = 1_024

/** A shorter part of a header, such as the name of a scheme or a date, is no secret. */
const LEAST_MADE_CHARACTERS = 20

const WORDS_CHARACTERS = 300

export interface AuthorizerOptions {
  readonly authorize: Provider["authorize"]
  readonly key: string
  /** Hidden as well. */
  readonly webhookSecret: string
  /** The host's by default. */
  readonly clock?: Pick<Clock, "now"> | undefined
}

export interface Authorizer {
  /** The headers that say who calls. Rejects with `NotSent`. */
  readonly authorize: (
    request: EncodedRequest,
    signal: AbortSignalLike,
  ) => Promise<Readonly<Record<string, string>>>
  /** The text without the key, the webhooks' secret, their parts and what was made of the key. */
  readonly hideSecrets: (text: string) => string
}

export function createAuthorizer(options: AuthorizerOptions): Authorizer {
  const { authorize, clock = Date, key, webhookSecret } = options
  const made = new Set<string>()
  let hide: ((text: string) => string) | undefined

  function hideSecrets(text: string): string {
    hide ??= createSecretHider([key, webhookSecret, ...made])
    return hide(text)
  }

  function keepSecret(headers: Readonly<Record<string, string>>): void {
    const parts = Object.values(headers).flatMap((value) => [value, ...value.split(/[\s,;="]+/)])
    for (const part of parts) {
      if (part.length < LEAST_MADE_CHARACTERS || made.has(part)) continue
      made.add(part)
      hide = undefined
    }
    for (const oldest of made) {
      if (made.size <= MOST_MADE) break
      made.delete(oldest)
    }
  }

  return {
    hideSecrets,
    async authorize(request, signal) {
      const over = AbortSignal.any([toAbortSignal(signal), AbortSignal.timeout(AUTHORIZE_MS)])
      try {
        const told = { ...request, now: clock.now(), signal: over }
        const headers = toHeaders(await orAbort(async () => authorize(key, told), over))
        keepSecret(headers)
        return headers
      } catch (error) {
        throw toNotSent(error, over, hideSecrets)
      }
    },
  }
}

/** Rejects as soon as the signal aborts, whatever the work does. */
async function orAbort<Value>(work: () => Promise<Value>, signal: AbortSignal): Promise<Value> {
  const ended = Promise.withResolvers<never>()
  const end = (): void => ended.reject(signal.reason)
  signal.addEventListener("abort", end)
  try {
    signal.throwIfAborted()
    return await Promise.race([work(), ended.promise])
  } finally {
    signal.removeEventListener("abort", end)
  }
}

/** Throws a TypeError if they can't be sent: once they were, nobody could say what arrived. */
function toHeaders(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== "object" || value === null) throw new TypeError("authorize made no headers")
  return Object.fromEntries(new Headers(value as Record<string, string>))
}

/** Who can mend it: time, if the error says that it is retryable, and otherwise the operator. */
function toNotSent(error: unknown, over: AbortSignal, hide: (text: string) => string): NotSent {
  if (over.aborted) {
    return new NotSent("its credentials took too long", {
      kind: "not-created",
      reason: "not_sent_in_time",
    })
  }
  const words = toEcho(hide(error instanceof Error ? error.message : ""), WORDS_CHARACTERS)
  const isPassing = isSafelightError(error) && error.retryable
  const outcome: NotCreated = {
    kind: "not-created",
    reason: "not_authorized",
    ...(words !== "" && { providerWords: words }),
    ...(!isPassing && { needsOperator: true }),
  }
  return new NotSent(`its credentials can't be made${words && `: ${words}`}`, outcome)
}
