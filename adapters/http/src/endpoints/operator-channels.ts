/**
 * /v1/admin/channels: the channels of the service with their figures, and what an operator may do with them.
 * Draining is pausing: what a channel has goes on, and its state tells once it has nothing more.
 */
import type { ChannelStanding, OperatorChannels } from "@safelight/core"
import { defineEndpoint, type Endpoint } from "../endpoint.ts"
import { noBody } from "../request/body-kinds.ts"
import { CHANNEL } from "../request/path-parameters.ts"
import { toChannelBody, toCheckBody, toStandingBody } from "./operator-channel-body.ts"
import { OPERATOR_KEY } from "./operator-key.ts"

const PATH = "/v1/admin/channels"
const IN_PATH = { channel: CHANNEL }

export const listChannels = defineEndpoint({
  method: "GET",
  path: PATH,
  about: {
    id: "listChannels",
    tag: "Operator",
    summary: "The channels, with the outcomes of the last 24 hours",
    description: "The outcomes may be a minute old. No provider is asked.",
  },
  key: OPERATOR_KEY,
  query: {},
  answers: {
    200: {
      description: "Those of the configuration first, then others that the database knows.",
      json: "ChannelList",
    },
  },
  refusals: [],
}).handle(({ insight }) => {
  if (insight === undefined) return undefined
  return async (call) => {
    const channels = await insight.channels.listChannels()
    return call.reply(200, JSON.stringify({ channels: channels.map(toChannelBody) }))
  }
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

export const checkChannel = defineEndpoint({
  method: "POST",
  path: `${PATH}/:channel/check`,
  about: {
    id: "checkChannel",
    tag: "Operator",
    summary: "Ask a provider whether key, address and models are good; buys nothing",
    description:
      "One check of a channel is under way at a time: whoever asks meanwhile, or within 3 seconds, gets its answer. " +
      "One that takes longer than 30 seconds is answered with `overloaded`.",
  },
  key: OPERATOR_KEY,
  inPath: IN_PATH,
  query: {},
  body: noBody("A check takes no body."),
  answers: { 200: { description: "What was found.", json: "ChannelCheck" } },
  refusals: ["channel_not_found"],
}).handle(({ insight }) => {
  if (insight === undefined) return undefined
  return async (call) => {
    const found = await insight.channels.checkChannel(call.param("channel"))
    if (found === undefined) throw call.refuse("channel_not_found")
    return call.reply(200, JSON.stringify(toCheckBody(found)))
  }
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
  return defineEndpoint({
    method: "POST",
    path: `${PATH}/:channel/${word}`,
    about: {
      id,
      tag: "Operator",
      summary,
      description: "Every node obeys within a few seconds. Twice is the same as once.",
    },
    key: OPERATOR_KEY,
    inPath: IN_PATH,
    query: {},
    body: noBody("This takes no body."),
    answers: { 200: { description: "The channel as it stands.", json: "ChannelStanding" } },
    refusals: ["channel_not_found"],
  }).handle(({ insight }) => {
    if (insight === undefined) return undefined
    return async (call) => {
      const standing = await change(insight.channels, call.param("channel"), call.identity.keyId)
      if (standing === undefined) throw call.refuse("channel_not_found")
      return call.reply(200, JSON.stringify(toStandingBody(standing)))
    }
  })
}
