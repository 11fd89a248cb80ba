/**
 * What is bought where: each provider's channel with each of its models, since one provider may answer
 * some of them at once and have others polled for. What is said here of a provider's own faults is what
 * the provider says of them, and never what its declaration makes of them.
 */
import { PROVIDERS, type Provider } from "@safelight/channel-http"
import { imageEdit, referenceToVideo, textToImage } from "@safelight/core"

export interface Lane {
  readonly provider: Provider
  readonly model: string
  readonly parameters: Readonly<Record<string, unknown>>
  /** As a test's name has it. */
  readonly title: string
}

const PICTURE = "data:image/png;base64,AAAA"

const PARAMETERS: Readonly<Record<string, Lane["parameters"]>> = {
  [textToImage.id]: { prompt: "a lighthouse at dusk" },
  [imageEdit.id]: { prompt: "in fog", image_urls: [PICTURE] },
  [referenceToVideo.id]: { prompt: "waves at night", duration: 4, resolution: "480p" },
}

/** Where a provider takes only some of what the model allows. */
const OWN_PARAMETERS: Readonly<Record<string, Readonly<Record<string, Lane["parameters"]>>>> = {
  "black-forest-labs": { [imageEdit.id]: { aspect_ratio: "1:1" } },
  gemini: { [referenceToVideo.id]: { resolution: "720p" } },
  higgsfield: { [referenceToVideo.id]: { image_urls: ["https://media.example/1.png"] } },
}

export const LANES: readonly Lane[] = PROVIDERS.flatMap((provider) =>
  Object.keys(provider.models).map((model) => ({
    provider,
    model,
    parameters: { ...PARAMETERS[model], ...OWN_PARAMETERS[provider.name]?.[model] },
    title: `${provider.name} ${model.split("/").at(-1)}`,
  })),
)

/**
 * Faults after which nothing was produced and nothing is billed, so that the work may be bought once
 * more: fal bills no 5xx, Ark and Veo bill what succeeds, Higgsfield says it of `failed`, and what
 * waited too long in Comfy Router's queue reached nobody.
 */
export const UNBILLED_FAULTS: Readonly<Record<string, readonly string[]>> = {
  ark: ["internal-error"],
  "comfy-router": ["queue-timeout"],
  fal: ["generation-timeout", "partner-down", "runner-lost"],
  gemini: ["video-failed"],
  higgsfield: ["failed"],
}

/** Refusals that a provider bills: xAI charges for what its moderation withholds. */
export const BILLED_FAULTS: Readonly<Record<string, readonly string[]>> = {
  xai: ["block-reason", "disrespected", "empty-data", "video-moderated"],
}

/** Faults by which a provider breaks its own promise, so that no client could keep its own. */
export const BROKEN_PROMISES: Readonly<Record<string, readonly string[]>> = {
  higgsfield: ["forgets-keys"],
}
