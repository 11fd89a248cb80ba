/**
 * The channel to the upstream, in the process under test. It does what a provider's channel has to:
 * a call that sent no byte is proof, any other failure is none; an answer past the time-out is
 * still waited for; an output is checked against the size that was told with its completion.
 */
import {
  MODELS,
  type Channel,
  type ChannelOutput,
  type ChannelRequest,
  type Completed,
  type Json,
  type PollOutcome,
  type PollRequest,
  type Refused,
  type SubmitOutcome,
} from "@safelight/core"
import type { UpstreamKind } from "./creations.ts"
import { open, readJson, unavailable, UnsentError } from "./upstream-call.ts"
import {
  LONGEST_REQUEST_MS,
  SUBMIT_TIMEOUT_MS,
  type CancelAnswer,
  type CreateAnswer,
  type PollAnswer,
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
    const query = new URLSearchParams({ key: request.upstreamKey, task: request.task, node })
    const signal = AbortSignal.timeout(LATE_MS)
    const sendWithinMs = SUBMIT_TIMEOUT_MS
    const url = `${origin}/${kind}?${query.toString()}`
    try {
      const response = await open({ method: "POST", url, signal, sendWithinMs })
      return toSubmitOutcome(origin, await readJson<CreateAnswer>(response))
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
    models: MODELS.map(({ id }) => id),
    submission: toSubmission(kind),
    concurrency,
    submitTimeoutMs: SUBMIT_TIMEOUT_MS,
    submit,
    async poll(request: PollRequest) {
      const operation = toOperationName(request.operation)
      const query = new URLSearchParams({ node })
      const url = `${origin}/operations/${encodeURIComponent(operation)}?${query.toString()}`
      return toPollOutcome(origin, operation, await read<PollAnswer>(url, request))
    },
    async cancel(request: PollRequest) {
      const operation = toOperationName(request.operation)
      const query = new URLSearchParams({ node })
      const url = `${origin}/cancellations/${encodeURIComponent(operation)}?${query.toString()}`
      return (await read<CancelAnswer>(url, request, "POST")).outcome
    },
    ...(kind === "lookup" && {
      async find(request: ChannelRequest) {
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

function toSubmitOutcome(origin: string, answer: CreateAnswer): SubmitOutcome {
  switch (answer.state) {
    case "created":
      return { kind: "accepted", operation: { name: answer.operation } }
    case "completed": {
      const { operation: name, bytes } = answer
      return { ...toCompleted(origin, name, bytes), operation: { name } }
    }
    case "refused":
      return toRefused(answer)
    case "busy":
      return { kind: "not-created", reason: "busy", retryAfterMs: 20 }
  }
}

function toPollOutcome(origin: string, operation: string, answer: PollAnswer): PollOutcome {
  switch (answer.state) {
    case "running":
      return {
        kind: "running",
        progress: answer.progress,
        pollAfterMs: answer.pollAfterMs ?? 10,
      }
    case "completed":
      return toCompleted(origin, operation, answer.bytes)
    case "refused":
      return toRefused(answer)
    case "stopped":
      return { kind: "refused", code: "task_cancelled" }
    case "nothing":
      return { kind: "not-created", reason: "produced-nothing", retryAfterMs: 10 }
  }
}

function toCompleted(origin: string, operation: string, bytes: number): Completed {
  const output: ChannelOutput = {
    mimeType: "image/png",
    open: () => readOutput(origin, operation, bytes),
  }
  return { kind: "completed", outputs: [output] }
}

function toRefused({ isBilled }: { readonly isBilled: boolean }): Refused {
  const billed = { images: 1, outputVideoMs: 0 }
  return { kind: "refused", code: "provider_rejected", ...(isBilled && { billed }) }
}

async function* readOutput(
  origin: string,
  operation: string,
  bytes: number,
): AsyncGenerator<Uint8Array> {
  const url = `${origin}/outputs/${encodeURIComponent(operation)}`
  const signal = AbortSignal.timeout(OUTPUT_MS)
  let readBytes = 0
  try {
    const response = await open({ method: "GET", url, signal, sendWithinMs: LATE_MS })
    for await (const chunk of response) {
      readBytes += (chunk as Uint8Array).length
      yield chunk as Uint8Array
    }
  } catch (error) {
    throw unavailable(error)
  }
  if (readBytes !== bytes) throw unavailable(new Error(`${readBytes} bytes instead of ${bytes}`))
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
