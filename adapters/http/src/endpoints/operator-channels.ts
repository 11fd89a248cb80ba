/**
 * /v1/admin/channels: the channels of the service with their figures, and what an operator may do with them.
 * Draining is pausing: what a channel has goes on, and its state tells once it has nothing more.
 */
import type { ChannelStanding, OperatorChannels } from "@safelight/core"
import type { Endpoint } from "../pipeline/endpoint.ts"
import { noBody } from "../request/body-kinds.ts"
import { CHANNEL } from "../request/path-parameters.ts"
import {
  channelCheck,
  channelList,
  channelStanding,
  toChannelBody,
  toCheckBody,
  toStandingBody,
} from "../bodies/channel.ts"
import { defineOperatorEndpoint } from "./operator-endpoint.ts"

const PATH = "/v1/admin/channels"
const IN_PATH = { channel: CHANNEL }

export const listChannels = defineOperatorEndpoint({
  method: "GET",
  path: PATH,
  about: {
    id: "listChannels",
    summary: "The channels, with the outcomes of the last 24 hours",
    description: "The outcomes may be a minute old. No provider is asked.",
  },
  query: {},
  answers: {
    200: {
      description: "Those of the configuration first, then others that the database knows.",
      json: channelList,
    },
  },
  refusals: [],
}).handle((insight) => async (call) => {
  const channels = await insight.channels.listChannels()
  return call.reply(200, { channels: channels.map(toChannelBody) })
})

export const pauseChannel = defineChange({
  word: "pause",
  id: "pauseChannel",
  summary: "Give a channel no new tasks; those that it has continue",
  change: (channels, name, keyId) => channels.pauseChannel(name, keyId),
})

export const drainChannel = defineChange({
  word: "drain",
  id: "drainChannel",
  summary: "The same; its state is `draining` until it has nothing in flight, then `paused`",
  change: (channels, name, keyId) => channels.pauseChannel(name, keyId),
})

export const resumeChannel = defineChange({
  word: "resume",
  id: "resumeChannel",
  summary: "End a pause or a drain",
  change: (channels, name, keyId) => channels.resumeChannel(name, keyId),
})

export const checkChannel = defineOperatorEndpoint({
  method: "POST",
  path: `${PATH}/:channel/check`,
  about: {
    id: "checkChannel",
    summary: "Ask a provider whether key, address and models are good; buys nothing",
    description:
      "One check of a channel is under way at a time: whoever asks meanwhile, or within 3 seconds, gets its answer. " +
      "One that takes longer than 30 seconds is answered with `overloaded`.",
  },
  inPath: IN_PATH,
  query: {},
  body: noBody("A check takes no body."),
  answers: { 200: { description: "What was found.", json: channelCheck } },
  refusals: ["channel_not_found"],
}).handle((insight) => async (call) => {
  const found = call.demand(
    await insight.channels.checkChannel(call.param("channel")),
    "channel_not_found",
  )
  return call.reply(200, toCheckBody(found))
})

interface Change {
  readonly word: "pause" | "drain" | "resume"
  readonly id: string
  readonly summary: string
  readonly change: (
    channels: OperatorChannels,
    name: string,
    keyId: string,
  ) => Promise<ChannelStanding | undefined>
}

function defineChange({ change, id, summary, word }: Change): Endpoint {
  return defineOperatorEndpoint({
    method: "POST",
    path: `${PATH}/:channel/${word}`,
    about: {
      id,
      summary,
      description: "Every node obeys within a few seconds. Twice is the same as once.",
    },
    inPath: IN_PATH,
    query: {},
    body: noBody("This takes no body."),
    answers: { 200: { description: "The channel as it stands.", json: channelStanding } },
    refusals: ["channel_not_found"],
  }).handle((insight) => async (call) => {
    const standing = call.demand(
      await change(insight.channels, call.param("channel"), call.identity.keyId),
      "channel_not_found",
    )
    return call.reply(200, toStandingBody(standing))
  })
}
