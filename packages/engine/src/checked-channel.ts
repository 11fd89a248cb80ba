/**
 * A channel as the engine calls it: whatever it answers has been checked before anybody acts on it,
 * and a throw is a rejection. Everything else is the channel's own.
 */
import type { Channel, Log, Model } from "@safelight/core"
import {
  parseCancelAnswer,
  parseFindAnswer,
  parsePollAnswer,
  parseSubmitAnswer,
  type AnswerContext,
} from "./channel-answer.ts"

export interface CheckingPorts {
  readonly log: Log
  readonly models: ReadonlyMap<string, Model>
  /** Whether the engine can measure. */
  readonly hasInspector: boolean
}

export function toCheckedChannel(
  channel: Channel,
  { hasInspector, log, models }: CheckingPorts,
): Channel {
  /** A poll may say the same wrong thing each second. */
  const told = new Set<string>()
  const { name } = channel

  function toContext({ task, model }: Asked): AnswerContext {
    return {
      channel: name,
      artifacts: models.get(model)?.artifacts,
      isKeyed: channel.submission.kind === "keyed",
      hasInspector,
      hasOrigins: channel.outputOrigins !== undefined,
      notes: {
        repaired(what) {
          if (told.has(what)) return
          told.add(what)
          log.warn({ task, channel: name, what }, "a part of a channel's answers is left out")
        },
        failed(what, operation) {
          const words = "a channel's result can't be stored or charged: the task fails"
          log.error({ task, channel: name, what, operation }, words)
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
    ...(channel.outputOrigins !== undefined && { outputOrigins: channel.outputOrigins }),
    ...(channel.relays === true && { relays: channel.relays }),
    async submit(request) {
      return parseSubmitAnswer(await channel.submit(request), toContext(request))
    },
    async poll(request) {
      return parsePollAnswer(await channel.poll(request), toContext(request))
    },
    ...toOptional(channel, toContext),
  }
}

/** What a channel may have or not: a capability is the presence of a method. */
function toOptional(
  channel: Channel,
  toContext: (request: Asked) => AnswerContext,
): Partial<Channel> {
  return {
    ...(channel.accepts !== undefined && {
      accepts: (request) => channel.accepts?.(request) ?? true,
    }),
    ...(channel.find !== undefined && {
      async find(request) {
        return parseFindAnswer(await channel.find?.(request), toContext(request))
      },
    }),
    ...(channel.cancel !== undefined && {
      async cancel(request) {
        return parseCancelAnswer(await channel.cancel?.(request), toContext(request))
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

interface Asked {
  readonly task: string
  readonly model: string
}
