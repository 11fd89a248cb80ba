/**
 * A channel whose calls are spans, polls apart: a task is polled hundreds of times, so only a poll that brings
 * an end or fails is noted, in the span around it. A span has codes of ours and names of the configuration;
 * what a provider said is not in it.
 */
import {
  isSafelightError,
  traceCall,
  type Channel,
  type ChannelRequest,
  type FindRequest,
  type PollRequest,
  type SubmitOutcome,
  type PollOutcome,
  type Span,
  type SpanAttributes,
  type Tracer,
} from "@safelight/core"

/** An own object, as `toCheckedChannel` makes it. */
export function withSpans(channel: Channel, tracer: Tracer): Channel {
  const { name } = channel

  function trace<Result>(
    call: string,
    request: Asked,
    make: (span: Span | undefined) => Promise<Result>,
  ): Promise<Result> {
    const attributes = toAttributes(name, request)
    return traceCall(tracer, { name: `channel ${call}`, kind: "client", attributes }, make)
  }

  return {
    ...channel,
    submit: (request) =>
      trace("submit", request, async (span) => {
        const outcome = await channel.submit(toTraced(channel, request, span))
        span?.set(toOutcome(outcome))
        return outcome
      }),
    async poll(request) {
      try {
        const outcome = await channel.poll(request)
        if (outcome.kind !== "running") tracer.active()?.addEvent("poll", toOutcome(outcome))
        return outcome
      } catch (error) {
        const code = isSafelightError(error) ? error.code : "unexpected"
        tracer.active()?.addEvent("poll", { "error.type": code })
        throw error
      }
    },
    ...(channel.find !== undefined && {
      find: (request: FindRequest) =>
        trace("find", request, async (span) => {
          const found = (await channel.find?.(request)) ?? null
          span?.set({ "safelight.outcome": found === null ? "absent" : "found" })
          return found
        }),
    }),
    ...(channel.cancel !== undefined && {
      cancel: (request: PollRequest) =>
        trace("cancel", request, async (span) => {
          const outcome = (await channel.cancel?.(request)) ?? "unknown"
          span?.set({ "safelight.outcome": outcome })
          return outcome
        }),
    }),
  }
}

type Asked = Pick<ChannelRequest, "task" | "model" | "upstreamKey">

function toAttributes(channel: string, { model, task, upstreamKey }: Asked): SpanAttributes {
  return {
    "safelight.channel": channel,
    "safelight.model": model,
    "safelight.task.id": task,
    // The number of the attempt is the last part of the key.
    "safelight.attempt": Number(upstreamKey.slice(upstreamKey.lastIndexOf(".") + 1)),
  }
}

/** Another service like this one continues the trace; a provider gets nothing of it. */
function toTraced(
  { relays }: Channel,
  request: ChannelRequest,
  span: Span | undefined,
): ChannelRequest {
  if (relays !== true || span === undefined) return request
  return { ...request, traceparent: span.traceparent }
}

function toOutcome(outcome: SubmitOutcome | PollOutcome): SpanAttributes {
  const { kind } = outcome
  if (kind === "refused") return { "safelight.outcome": kind, "safelight.code": outcome.code }
  return { "safelight.outcome": kind }
}
