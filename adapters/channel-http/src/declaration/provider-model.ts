/**
 * How a provider makes one public model: which requests it can express, and the request that buys. The engine
 * has checked the parameters and applied the defaults, so a model of ours names the type of its own parameters.
 */
import type {
  ChannelRequest,
  ImageEditParameters,
  Ineligible,
  Json,
  MediaKind,
  ParameterValues,
  ReferenceToVideoParameters,
  TextToImageParameters,
} from "@safelight/core"
import type { ProviderRequest } from "./provider-request.ts"

/** How the URLs of a parameter are changed if the provider does not take them unchanged. */
export interface InputRule {
  /**
   * `link`: a data URL becomes an address of this service, the same each time, if it has a public one.
   * `upload`: a data URL is uploaded. `inline`: an http(s) URL becomes a data URL.
   */
  readonly by: "link" | "upload" | "inline"
  /** Shorter data URLs are sent unchanged. */
  readonly fromCharacters?: number
}

/** The ways in which inputs can reach a provider here. */
export interface InputWays {
  /** Whether the service has a public address, so that a data URL can become one. */
  readonly canLink: boolean
}

/** Ineligible for one reason, and for every further one. */
export interface Unaccepted extends Ineligible {
  readonly further?: readonly Ineligible[]
}

/** What a purchase was asked for, beside its parameters. */
export interface Asked extends Pick<ChannelRequest, "model" | "hops" | "traceparent"> {
  /** The provider's own model: the declaration's, unless the channel's operator names another. */
  readonly upstream: string
}

export interface ProviderModel<Parameters extends ParameterValues = ParameterValues> {
  /** The provider's own model. */
  readonly upstream?: string
  /** Whether the parameters can be expressed exactly; by default they can. */
  accepts?(this: void, parameters: Parameters, ways: InputWays): true | Unaccepted
  /**
   * By parameter, or by the path of a member (`elements/image_url`, lists implied); all others are sent unchanged.
   * Applied after `accepts` and before `toRequest`.
   */
  readonly inputs?: Readonly<Record<string, InputRule>>
  toRequest(this: void, parameters: Parameters, upstreamKey: string, asked: Asked): ProviderRequest
}

/** A model that the provider makes under a name that only the operator knows. */
export interface GeneralModel {
  /** The provider's own id. */
  readonly upstream: string
  /** What it makes, the main kind first; empty if that is not known. */
  readonly artifacts: readonly string[]
  /** What its media are, by the path of the parameter as it is sent, lists implied. */
  readonly media: Readonly<Record<string, MediaKind>>
}

/**
 * By the id of the public model. Those of a built-in model have their types; any other may name its own, as in
 * `toRequest: ({ prompt }: { readonly prompt: string }) => …`.
 */
export interface ProviderModels {
  readonly "vendor-a/v4.1/flash/text-to-image"?: ProviderModel<TextToImageParameters>
  readonly "vendor-b/imagine-image/v2.0/edit"?: ProviderModel<ImageEditParameters>
  readonly "vendor-c/video-2.5/reference-to-video"?: ProviderModel<ReferenceToVideoParameters>
  readonly [id: string]: ProviderModel
}

/** Parameters that a provider takes under our own names: they came from JSON. */
export function toJson(parameters: ParameterValues): Json {
  return parameters as Json
}
