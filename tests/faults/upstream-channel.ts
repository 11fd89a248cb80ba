/**
 * The channel to the upstream, in the process under test. It does what a provider's channel has to:
 * a call that sent no byte is proof, any other failure is none; an answer past the time-out is
 * still waited for; an output is checked against the size that was told with its completion.
 */
import {
  SafelightError,
  type Channel,
  type ChannelOutput,
  type ChannelRequest,
  type FindRequest,
  type Completed,
  type Json,
  type PollOutcome,
  type PollRequest,
  type Refused,
  type SubmitOutcome,
} from "@safelight/core"
import type { UpstreamKind } from "./creations.ts"
import { countTexts, FILM, ROUND_MODELS } from "./models.ts"
import type { UpstreamOrder } from "./products.ts"
import { open, readJson, unavailable, UnsentError } from "./upstream-call.ts"
import {
  LONGEST_REQUEST_MS,
  SUBMIT_TIMEOUT_MS,
  type CancelAnswer,
  type CreateAnswer,
  type PollAnswer,
  type Products,
  type Refusal,
} from "./upstream-protocol.ts"

export interface UpstreamChannelOptions {
  readonly origin: string
  readonly kind: UpstreamKind
  readonly concurrency: number
  /** Whose channel it is: the upstream remembers whom it told what. */
  readonly node: string
}

/** How long an answer is waited for past the time-out: as good as never for a silent upstream. */
const LATE_MS = 2_000

/** How long an output may be under way. */
const OUTPUT_MS = 25_000

export function createUpstreamChannel(options: UpstreamChannelOptions): Channel {
  const { origin, kind, concurrency, node } = options

  async function submit(request: ChannelRequest): Promise<SubmitOutcome> {
    // From here on a call runs to its own end, also past its time-out.
    if (request.signal.aborted) throw new Error("the call was called off before it began")
    const order = JSON.stringify(toOrder(request))
    const query = new URLSearchParams({ key: request.upstreamKey, task: request.task, node, order })
    const signal = AbortSignal.timeout(LATE_MS)
    const sendWithinMs = SUBMIT_TIMEOUT_MS
    const url = `${origin}/${kind}?${query.toString()}`
    try {
      const response = await open({ method: "POST", url, signal, sendWithinMs })
      return toSubmitOutcome(
        { origin, model: request.model },
        await readJson<CreateAnswer>(response),
      )
    } catch (error) {
      if (error instanceof UnsentError) return { kind: "not-created", reason: "unsent" }
      throw error
    }
  }

  async function read<Answer>(
    url: string,
    { signal }: Pick<ChannelRequest, "signal">,
    method: "GET" | "POST" = "GET",
  ): Promise<Answer> {
    try {
      return await readJson<Answer>(await open({ method, url, signal, sendWithinMs: LATE_MS }))
    } catch (error) {
      throw error instanceof UnsentError ? unavailable(error) : error
    }
  }

  return {
    name: `upstream-${kind}`,
    models: ROUND_MODELS.map(({ id }) => id),
    submission: toSubmission(kind),
    concurrency,
    submitTimeoutMs: SUBMIT_TIMEOUT_MS,
    submit,
    async poll(request: PollRequest) {
      const operation = toOperationName(request.operation)
      const query = new URLSearchParams({ node })
      const url = `${origin}/operations/${encodeURIComponent(operation)}?${query.toString()}`
      const place = { origin, model: request.model }
      return toPollOutcome(place, operation, await read<PollAnswer>(url, request))
    },
    async cancel(request: PollRequest) {
      const operation = toOperationName(request.operation)
      const query = new URLSearchParams({ node })
      const url = `${origin}/cancellations/${encodeURIComponent(operation)}?${query.toString()}`
      return (await read<CancelAnswer>(url, request, "POST")).outcome
    },
    ...(kind === "lookup" && {
      async find(request: FindRequest) {
        const query = new URLSearchParams({ key: request.upstreamKey, node })
        const url = `${origin}/${kind}?${query.toString()}`
        const { operation } = await read<{ operation: string | null }>(url, request)
        return operation === null ? null : { operation: { name: operation } }
      },
    }),
  }
}

export function toOperationName(operation: Json): string {
  return (operation as { readonly name: string }).name
}

function toSubmitOutcome(place: Place, answer: CreateAnswer): SubmitOutcome {
  switch (answer.state) {
    case "created":
      return { kind: "accepted", operation: { name: answer.operation } }
    case "completed": {
      const { operation: name } = answer
      return { ...toCompleted(place, name, answer), operation: { name } }
    }
    case "refused":
      return toRefused(answer)
    case "busy":
      return { kind: "not-created", reason: "busy", retryAfterMs: 20 }
  }
}

function toPollOutcome(place: Place, operation: string, answer: PollAnswer): PollOutcome {
  switch (answer.state) {
    case "running":
      return {
        kind: "running",
        progress: answer.progress,
        pollAfterMs: answer.pollAfterMs ?? 10,
      }
    case "completed":
      return toCompleted(place, operation, answer)
    case "refused":
      return toRefused(answer)
    case "stopped":
      return { kind: "refused", code: "task_cancelled" }
    case "nothing":
      return { kind: "not-created", reason: "produced-nothing", retryAfterMs: 10 }
  }
}

/** Where the outputs of a model lie. */
interface Place {
  readonly origin: string
  readonly model: string
}

function toCompleted(
  { model, origin }: Place,
  operation: string,
  { bytes: sizes, inputVideosMs, isFilm }: Products,
): Completed {
  const pictures = sizes.length - countTexts(model, sizes.length)
  const outputs = sizes.map((bytes, place): ChannelOutput => ({
    mimeType: isFilm ? "video/mp4" : place < pictures ? "image/png" : "text/plain",
    open: () => readOutput(`${origin}/outputs/${encodeURIComponent(operation)}/${place}`, bytes),
  }))
  return { kind: "completed", outputs, inputVideosMs }
}

function toRefused({ billed, words }: Refusal): Refused {
  const bill = billed === null ? {} : { billed }
  return { kind: "refused", code: "provider_rejected", providerWords: words, ...bill }
}

/** What is asked for, as the upstream knows it. */
function toOrder({ model, parameters }: ChannelRequest): UpstreamOrder {
  const { count, duration, pieces, prompt = "", video_urls: videos = [] } = parameters as Asked
  const order = { pieces: count ?? pieces ?? 1, filmMs: 0, videos, prompt }
  return model === FILM ? { ...order, pieces: 0, filmMs: (duration ?? 4) * 1_000 } : order
}

/** As far as any model of a round has them. */
interface Asked {
  readonly prompt?: string
  readonly count?: number
  readonly pieces?: number
  readonly duration?: number
  readonly video_urls?: readonly string[]
}

async function* readOutput(url: string, bytes: number): AsyncGenerator<Uint8Array> {
  const signal = AbortSignal.timeout(OUTPUT_MS)
  let readBytes = 0
  try {
    const response = await open({ method: "GET", url, signal, sendWithinMs: LATE_MS })
    if (response.statusCode === GONE) throw unusable()
    for await (const chunk of response) {
      readBytes += (chunk as Uint8Array).length
      yield chunk as Uint8Array
    }
  } catch (error) {
    throw error instanceof SafelightError ? error : unavailable(error)
  }
  if (readBytes !== bytes) throw unavailable(new Error(`${readBytes} bytes instead of ${bytes}`))
}

/** The upstream's word for a piece that is of no use. */
const GONE = 410

function unusable(): SafelightError {
  return new SafelightError({ code: "media_unreadable", message: "it is no picture" })
}

function toSubmission(kind: UpstreamKind): Channel["submission"] {
  switch (kind) {
    case "keyed":
      return { kind, keyTtlMs: 86_400_000 }
    case "lookup":
      return { kind, longestRequestMs: LONGEST_REQUEST_MS }
    case "unkeyed":
      return { kind }
  }
}
