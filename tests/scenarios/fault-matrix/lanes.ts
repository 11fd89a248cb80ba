/**
 * What is bought where: each provider's channel with each of its models, since one provider may answer
 * some of them at once and have others polled for. What is said here of a provider's own faults is what
 * the provider says of them, and never what its declaration makes of them.
 */
import { fileURLToPath } from "node:url"
import { createComfyUiChannel } from "@safelight/channel-comfyui"
import { createHttpChannel, PROVIDERS, type Provider } from "@safelight/channel-http"
import { imageEdit, referenceToVideo, textToImage, type Channel, type Clock } from "@safelight/core"
import { MEDIA_HEADS } from "../../support/media-heads.ts"

export interface Lane {
  /** The stub's name, which is its provider's. */
  readonly stub: string
  readonly model: string
  readonly parameters: Readonly<Record<string, unknown>>
  /** As a test's name has it. */
  readonly title: string
  /** What a repeat means there. */
  readonly repeats: Channel["submission"]["kind"]
  /** Who vouches for its webhooks; null where it is not asked for any. */
  readonly webhooks: "signed" | "unsigned" | null
  /** A channel of one process's own. */
  open(this: void, place: LanePlace): Promise<Channel>
}

export interface LanePlace {
  readonly baseUrl: string
  readonly key: string
  readonly webhookSecret: string
  /** What signatures are dated by. */
  readonly clock: Clock
}

const PICTURE = `data:image/png;base64,${MEDIA_HEADS.png.toString("base64")}`

const PARAMETERS: Readonly<Record<string, Lane["parameters"]>> = {
  [textToImage.id]: { prompt: "a lighthouse at dusk" },
  [imageEdit.id]: { prompt: "in fog", image_urls: [PICTURE] },
  [referenceToVideo.id]: { prompt: "waves at night", duration: 4, resolution: "480p" },
}

/** Where a provider takes only some of what the model allows. */
const OWN_PARAMETERS: Readonly<Record<string, Readonly<Record<string, Lane["parameters"]>>>> = {
  "black-forest-labs": { [imageEdit.id]: { aspect_ratio: "1:1" } },
  comfyui: {
    [textToImage.id]: { size: "square" },
    [imageEdit.id]: { output_format: "png" },
    [referenceToVideo.id]: { resolution: undefined },
  },
  gemini: { [referenceToVideo.id]: { resolution: "720p" } },
  higgsfield: { [referenceToVideo.id]: { image_urls: ["https://media.example/1.png"] } },
  kling: { [referenceToVideo.id]: { resolution: "720p" } },
}

/** Another Safelight is no stub: chains of services have tests of their own. */
const UNSTUBBED: readonly string[] = ["safelight"]

const STUBBED = Object.values(PROVIDERS).filter(({ name }) => !UNSTUBBED.includes(name))

/** Of a provider that doesn't state how long its keys live. */
const KEY_TTL_MS = 43_200_000

function toProviderLanes(provider: Provider): readonly Lane[] {
  const { kind } = provider.submission
  const more = kind === "keyed-unstated" ? { keyTtlMs: KEY_TTL_MS } : {}
  const repeats = kind === "keyed-unstated" ? "keyed" : kind
  return Object.keys(provider.models).map((model) => ({
    ...toPurchase(provider.name, model),
    repeats,
    webhooks: null,
    open: async (place) => createHttpChannel({ provider, ...place, ...more }),
  }))
}

/** Who signs what it sends, by its own word. */
const SIGNERS: readonly string[] = ["black-forest-labs", "fal", "kling", "replicate"]

/**
 * The secret is each job's own and no moment is signed: what is signed with it is about that job,
 * however late it comes, and never about another.
 */
export const SIGNERS_BY_JOB: readonly string[] = ["black-forest-labs"]

/** Sold in one answer, so that there is nothing to call back about. */
const SOLD_AT_ONCE: readonly string[] = ["ark text-to-image", "ark edit"]

/** The same lanes at a service that the provider can reach. */
function toCalledBackLanes(provider: Provider): readonly Lane[] {
  if (provider.webhook === undefined) return []
  return toProviderLanes(provider)
    .filter(({ title }) => !SOLD_AT_ONCE.includes(title))
    .map((lane) => ({
      ...lane,
      title: `${lane.title} called back`,
      webhooks: SIGNERS.includes(lane.stub) ? "signed" : "unsigned",
    }))
}

const WORKFLOWS: Readonly<Record<string, string>> = {
  [textToImage.id]: toWorkflowPath("text-to-image"),
  [imageEdit.id]: toWorkflowPath("edit"),
  [referenceToVideo.id]: toWorkflowPath("video"),
}

function toWorkflowPath(name: string): string {
  const folder = "../../../adapters/channel-comfyui/workflows"
  return fileURLToPath(new URL(`${folder}/${name}.json`, import.meta.url))
}

/** It takes no key. */
function toComfyUiLanes(): readonly Lane[] {
  return Object.keys(WORKFLOWS).map((model) => ({
    ...toPurchase("comfyui", model),
    repeats: "lookup",
    webhooks: null,
    open: ({ baseUrl }) => createComfyUiChannel({ workflows: WORKFLOWS, baseUrl }),
  }))
}

function toPurchase(
  stub: string,
  model: string,
): Pick<Lane, "model" | "parameters" | "stub" | "title"> {
  const parameters = { ...PARAMETERS[model], ...OWN_PARAMETERS[stub]?.[model] }
  return { stub, model, parameters, title: `${stub} ${model.split("/").at(-1)}` }
}

export const LANES: readonly Lane[] = [
  ...STUBBED.flatMap(toProviderLanes),
  ...STUBBED.flatMap(toCalledBackLanes),
  ...toComfyUiLanes(),
]

/**
 * Faults after which nothing was produced and nothing is billed, so that the work may be bought once
 * more: fal bills no 5xx, Ark and Veo bill what succeeds, Higgsfield says it of `failed`, and what
 * waited too long in Comfy Router's queue reached nobody. Replicate's machines failed before there was an output. A ComfyUI server is one's own: what it forgot by
 * a restart, ran out of memory for or took from its cache is made anew for nothing.
 */
export const UNBILLED_FAULTS: Readonly<Record<string, readonly string[]>> = {
  ark: ["internal-error"],
  "comfy-router": ["queue-timeout"],
  comfyui: ["cached", "out-of-memory", "restart"],
  fal: ["generation-timeout", "internal-error", "partner-down", "runner-lost"],
  gemini: ["video-failed"],
  higgsfield: ["failed"],
  replicate: ["demand", "director", "interrupted", "memory"],
}

/** Refusals that a provider bills: xAI charges for what its moderation withholds. */
export const BILLED_FAULTS: Readonly<Record<string, readonly string[]>> = {
  xai: ["block-reason", "disrespected", "empty-data", "video-moderated"],
}

/** Faults by which a provider breaks its own promise, so that no client could keep its own. */
export const BROKEN_PROMISES: Readonly<Record<string, readonly string[]>> = {
  higgsfield: ["forgets-keys"],
}
