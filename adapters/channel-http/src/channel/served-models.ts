/**
 * The models of one channel: what the declaration translates exactly, and any other by the provider's one rule and the
 * operator's data. What the data says of values takes the place of what the declaration says of them.
 */
import {
  findMisfit,
  isDataUrl,
  listTextsAt,
  SafelightError,
  type Ineligible,
  type MediaKind,
  type ParameterValues,
  type Upstream,
} from "@safelight/core"
import type { Provider } from "../declaration/provider.ts"
import type { Asked, InputRule, InputWays, ProviderModel } from "../declaration/provider-model.ts"
import type { ProviderRequest } from "../declaration/provider-request.ts"
import { isMapping, mapMedia, mapParameters } from "./map-parameters.ts"

/** How a provider makes a public model, and what its rule has to know of that. */
export interface ServedUpstream extends Upstream {
  /** What the public model makes, the main kind first. */
  readonly artifacts?: readonly string[]
  /** By the path of a parameter, lists implied. */
  readonly media?: Readonly<Record<string, MediaKind>>
}

export interface ServedModel {
  readonly accepts: (parameters: ParameterValues, ways: InputWays) => true | Ineligible
  readonly inputs: ProviderModel["inputs"]
  readonly toPurchase: (
    parameters: ParameterValues,
    upstreamKey: string,
    asked: Omit<Asked, "upstream">,
  ) => ProviderRequest
}

type Upstreams = Readonly<Record<string, ServedUpstream>>

/** Those of one address: some providers have other ids at another of theirs. */
export function toUpstreamsAt(upstreams: Upstreams, baseUrl: string | undefined): Upstreams {
  const { host } = URL.parse(baseUrl ?? "") ?? { host: "" }
  const there = Object.entries(upstreams).map(([id, upstream]) => {
    const { at = {}, model } = upstream
    return [id, { ...upstream, model: Object.hasOwn(at, host) ? at[host] : model }] as const
  })
  return Object.fromEntries(there) as Upstreams
}

export interface ServeOptions {
  readonly provider: Provider
  /** The channel's. */
  readonly name: string
  readonly models: readonly string[]
  readonly upstreams: Upstreams
  readonly baseUrl?: string | undefined
}

export function listModels({ models }: Provider, upstreams: Upstreams): readonly string[] {
  return [...new Set([...Object.keys(models), ...Object.keys(upstreams)])]
}

/** Throws `invalid-configuration`, naming the channel and the model that it can't make. */
export function serveModels(options: ServeOptions): ReadonlyMap<string, ServedModel> {
  const { models, name, provider, upstreams } = options
  const there = provider.upstreamsAt?.[URL.parse(options.baseUrl ?? "")?.host ?? ""] ?? {}
  return new Map(
    models.map((id) => {
      const upstream = Object.hasOwn(upstreams, id) ? upstreams[id] : undefined
      const served = toServed(provider, id, upstream, there[id])
      if (served !== undefined) return [id, served]
      throw invalid(name, `has no model ${id}`)
    }),
  )
}

/** Throws `invalid-configuration` if a request is for a model that the channel does not make. */
export function findServed(
  served: ReadonlyMap<string, ServedModel>,
  name: string,
  id: string,
): ServedModel {
  const model = served.get(id)
  if (model === undefined) throw invalid(name, `has no model ${id}`)
  return model
}

/** Why a channel can't make a public model, in words for people; undefined if it can. */
export function findModelFault(
  provider: Provider,
  id: string,
  upstream: ServedUpstream | undefined,
): string | undefined {
  const { name, toModel } = provider
  if (upstream === undefined) return findUnmapped(provider, id)
  if (toModel === undefined && isMapping(upstream)) {
    return `${name} translates its models itself, so ${id} takes no other names, values or constants`
  }
  if (toServed(provider, id, upstream) !== undefined) return undefined
  const { artifacts = [] } = upstream
  return toModel === undefined
    ? `${name} has no model ${id}`
    : `${name} can't make ${id}: ${artifacts.join(" and ")}`
}

/** A service that relays requests knows models by their public names. */
function findUnmapped({ models, name, relays, toModel }: Provider, id: string): string | undefined {
  if (Object.hasOwn(models, id) || relays === true) return undefined
  const example = toModel === undefined ? "" : `: "models": { "${id}": "…" } names its model there`
  return `${name} has no model ${id}${example}`
}

/** Undefined if the provider can't make it. Without data a model has its public name there too. */
function toServed(
  provider: Provider,
  id: string,
  upstream: ServedUpstream | undefined,
  there?: string,
): ServedModel | undefined {
  const exact = Object.hasOwn(provider.models, id) ? provider.models[id] : undefined
  if (exact !== undefined && (upstream === undefined || !isMapping(upstream))) {
    return toExact(exact, upstream, upstream?.model ?? there ?? exact.upstream ?? id)
  }
  return toGeneral(provider, upstream ?? { model: id })
}

function toExact(
  model: ProviderModel,
  upstream: ServedUpstream | undefined,
  own: string,
): ServedModel {
  return {
    inputs: model.inputs,
    accepts: (parameters, ways) => judge(model, upstream, parameters, ways),
    toPurchase: (parameters, key, asked) =>
      model.toRequest(parameters, key, { ...asked, upstream: own }),
  }
}

function toGeneral(provider: Provider, upstream: ServedUpstream): ServedModel | undefined {
  const { artifacts = [], media = {}, model: own } = upstream
  const sent = mapMedia(upstream, media)
  const model = provider.toModel?.({ upstream: own, artifacts, media: sent })
  if (model === undefined) return undefined
  const inputs = { ...model.inputs, ...toInputs(provider, media) }
  return {
    inputs: Object.keys(inputs).length > 0 ? inputs : undefined,
    accepts: (parameters, ways) =>
      findUnlinked(inputs, parameters, ways) ?? judge(model, upstream, parameters, ways),
    toPurchase: (parameters, key, asked) =>
      model.toRequest(mapParameters(upstream, parameters), key, { ...asked, upstream: own }),
  }
}

function toInputs(
  { mediaInputs = {} }: Provider,
  media: Readonly<Record<string, MediaKind>>,
): Readonly<Record<string, InputRule>> {
  const rules = Object.entries(media).flatMap(([path, kind]) => {
    const rule = mediaInputs[kind]
    return rule === undefined ? [] : [[path, rule] as const]
  })
  return Object.fromEntries(rules)
}

/** A provider that takes some media by URL alone takes no data URL of them, unless it can become a URL. */
function findUnlinked(
  inputs: Readonly<Record<string, InputRule>>,
  parameters: ParameterValues,
  { canLink }: InputWays,
): Ineligible | undefined {
  if (canLink) return undefined
  const path = Object.entries(inputs).find(
    ([each, { by, fromCharacters }]) =>
      by === "link" &&
      fromCharacters === undefined &&
      listTextsAt(parameters, each).some(isDataUrl),
  )?.[0]
  if (path === undefined) return undefined
  const [param = path] = path.split("/")
  return { kind: "ineligible", reason: "media are taken by URL alone", param }
}

/** What the data says of a parameter counts, and what the declaration says of the others. */
function judge(
  model: ProviderModel,
  upstream: Upstream | undefined,
  parameters: ParameterValues,
  ways: InputWays,
): true | Ineligible {
  const misfit = findMisfit(upstream ?? {}, parameters)
  if (misfit !== undefined) return { kind: "ineligible", ...misfit }
  const verdict = model.accepts?.(parameters, ways) ?? true
  if (verdict === true) return true
  const { further = [], ...first } = verdict
  const isTold = ({ param = "" }: Ineligible) => Object.hasOwn(upstream?.accepts ?? {}, param)
  return [first, ...further].find((each) => !isTold(each)) ?? true
}

function invalid(name: string, why: string): SafelightError {
  return new SafelightError({ code: "invalid-configuration", message: `channel ${name} ${why}` })
}
