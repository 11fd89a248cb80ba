/**
 * How a provider makes one public model: which requests it can express, and the request that buys. The engine
 * has checked the parameters and applied the defaults, so a model of ours names the type of its own parameters.
 */
import type { ChannelRequest, Ineligible, Json, ParameterValues } from "@safelight/core"
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

export interface ProviderModel<Parameters extends ParameterValues = ParameterValues> {
  /** The provider's own model, for people. */
  readonly upstream?: string
  /** Whether the parameters can be expressed exactly; by default they can. */
  accepts?(this: void, parameters: Parameters, ways: InputWays): true | Ineligible
  /** By parameter; the others are sent unchanged. Applied after `accepts` and before `toRequest`. */
  readonly inputs?: Readonly<Record<string, InputRule>>
  toRequest(
    this: void,
    parameters: Parameters,
    upstreamKey: string,
    asked: Pick<ChannelRequest, "model" | "hops" | "traceparent">,
  ): ProviderRequest
}

/** Parameters that a provider takes under our own names: they came from JSON. */
export function toJson(parameters: ParameterValues): Json {
  return parameters as Json
}
