/**
 * A channel as the engine calls it: whatever it answers has been checked before anybody acts on it,
 * no words that are kept hold the channel's own secrets, and a throw is a rejection whose words may be logged. Everything else is the channel's own.
 */
import type { Channel, ChannelRequest, Log } from "@safelight/core"
import { parseCallbackAnswer } from "./callback-answer.ts"
import { isRecord } from "./answer-parts.ts"
import { callSafely, toChannelFault } from "./channel-fault.ts"
import {
  parseCancelAnswer,
  parseFindAnswer,
  parsePollAnswer,
  parseSubmitAnswer,
  type AnswerContext,
} from "./channel-answer.ts"
import { toVerdict } from "./eligibility.ts"

export interface CheckingPorts {
  readonly log: Log
  /** Whether the engine can measure. */
  readonly hasInspector: boolean
}

export function toCheckedChannel(channel: Channel, { hasInspector, log }: CheckingPorts): Channel {
  /** A poll may say the same wrong thing each second. */
  const told = new Set<string>()
  const ask = createAsking(channel)
  const { name } = channel

  function toContext({ artifacts, task }: Asked): AnswerContext {
    return {
      channel: name,
      artifacts,
      isKeyed: channel.submission.kind === "keyed",
      hasInspector,
      hasOrigins: channel.outputOrigins !== undefined,
      notes: {
        repaired(what) {
          if (told.has(what)) return
          told.add(what)
          log.warn({ task, channel: name, what }, "answer member ignored")
        },
        failed(what, operation) {
          log.error({ task, channel: name, what, operation }, "answer unusable")
        },
      },
    }
  }

  return {
    name,
    models: channel.models,
    submission: channel.submission,
    concurrency: channel.concurrency,
    submitTimeoutMs: channel.submitTimeoutMs,
    ...(channel.requestsPerMinute !== undefined && {
      requestsPerMinute: channel.requestsPerMinute,
    }),
    ...(channel.isFree === true && { isFree: true }),
    ...(channel.sendWithinMs !== undefined && { sendWithinMs: channel.sendWithinMs }),
    ...(channel.pollEvery !== undefined && { pollEvery: channel.pollEvery }),
    ...(channel.hasVerifiedCallbacks === true && { hasVerifiedCallbacks: true }),
    ...(channel.outputOrigins !== undefined && { outputOrigins: channel.outputOrigins }),
    ...(channel.relays === true && { relays: channel.relays }),
    async submit(request) {
      const answer = await ask(() => channel.submit(request))
      return parseSubmitAnswer(answer, toContext(request))
    },
    async poll(request) {
      const answer = await ask(() => channel.poll(request))
      return parsePollAnswer(answer, toContext(request))
    },
    ...(channel.accepts !== undefined && { accepts: toAccepts(channel, log) }),
    ...toOptional(channel, toContext),
  }
}

/** Members of an answer that people read: a provider may repeat the key that it was sent. */
const WORDS = ["message", "providerWords", "reason"] as const

/** Calls as `callSafely` does, and cuts the channel's own secrets out of the answer's words. */
function createAsking(channel: Channel): typeof callSafely<unknown> {
  if (channel.hideSecrets === undefined) return callSafely
  return async (call) => {
    const answer = await callSafely(call)
    if (!isRecord(answer)) return answer
    const words = WORDS.flatMap((name) => {
      const text = answer[name]
      return typeof text === "string" ? [[name, channel.hideSecrets?.(text)] as const] : []
    })
    return { ...answer, ...Object.fromEntries(words) }
  }
}

/** One that fails takes nothing, and says so once: others may serve. */
function toAccepts(channel: Channel, log: Log): NonNullable<Channel["accepts"]> {
  let isTold = false
  return (request) => {
    try {
      return toVerdict(channel.accepts?.(request))
    } catch (error) {
      const fields = { channel: channel.name, error: toChannelFault(error) }
      if (!isTold) log.error(fields, "accepts failed")
      isTold = true
      return toVerdict(undefined)
    }
  }
}

/** What a channel may have or not: a capability is the presence of a method. */
function toOptional(
  channel: Channel,
  toContext: (request: Asked) => AnswerContext,
): Partial<Channel> {
  const { name } = channel
  return {
    ...(channel.find !== undefined && {
      async find(request) {
        const answer = await callSafely(() => channel.find?.(request))
        return parseFindAnswer(answer, toContext(request))
      },
    }),
    ...(channel.receive !== undefined && {
      async receive(request) {
        const answer = await callSafely(() => channel.receive?.(request))
        return parseCallbackAnswer(answer, name)
      },
    }),
    ...(channel.cancel !== undefined && {
      async cancel(request) {
        const answer = await callSafely(() => channel.cancel?.(request))
        return parseCancelAnswer(answer, toContext(request))
      },
    }),
    ...(channel.answersAtOnce !== undefined && {
      answersAtOnce: (request) => channel.answersAtOnce?.(request) === true,
    }),
    ...(channel.close !== undefined && {
      async close() {
        await channel.close?.()
      },
    }),
  }
}

type Asked = Pick<ChannelRequest, "artifacts" | "task">
