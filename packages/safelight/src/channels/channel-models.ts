/**
 * Which models the channel of a provider makes, and how: what its declaration translates, what the models' files say
 * of the provider, and what the channel's configuration says, which wins member by member.
 */
import { findModelFault, type Provider, type ServedUpstream } from "@safelight/channel-http"
import type { Model, Upstream } from "@safelight/core"
import type { ChannelSettings } from "../configuration/channel-settings.ts"

export interface ChannelModels {
  readonly ids: readonly string[]
  /** Of those that are mapped by data. */
  readonly upstreams: Readonly<Record<string, ServedUpstream>>
}

/** Without `models` nothing is known of the models' files. */
export function toChannelModels(
  provider: Provider,
  settings: Pick<ChannelSettings, "models" | "module">,
  models?: readonly Model[],
): ChannelModels {
  const ids = listIds(settings) ?? listByDefault(provider, settings, models)
  const upstreams = ids.flatMap((id) => {
    const model = models?.find((each) => each.id === id)
    const upstream = findUpstream(provider, settings, model, id)
    return upstream === undefined ? [] : [[id, upstream] as const]
  })
  return { ids, upstreams: Object.fromEntries(upstreams) }
}

/** The public models that the configuration names; undefined if it names none. */
export function listIds({
  models,
}: Pick<ChannelSettings, "models">): readonly string[] | undefined {
  if (models === undefined || isList(models)) return models
  return Object.keys(models)
}

/** The mapping of the configuration; undefined if it only lists models. */
export function findMapping({
  models,
}: Pick<ChannelSettings, "models">): Readonly<Record<string, Upstream>> | undefined {
  return models === undefined || isList(models) ? undefined : models
}

function isList(models: NonNullable<ChannelSettings["models"]>): models is readonly string[] {
  return Array.isArray(models)
}

/** A module's declaration is the operator's own: a model of it that nobody serves is a mistake. */
function listByDefault(
  { models: exact, name }: Provider,
  { module }: Pick<ChannelSettings, "module">,
  models: readonly Model[] | undefined,
): readonly string[] {
  const own = Object.keys(exact)
  if (models === undefined) return own
  const isServed = (id: string) => models.some((model) => model.id === id)
  const told = models.filter(({ upstreams = {} }) => Object.hasOwn(upstreams, name))
  const kept = module === undefined ? own.filter(isServed) : own
  return [...new Set([...kept, ...told.map(({ id }) => id)])]
}

function findUpstream(
  { name }: Provider,
  settings: Pick<ChannelSettings, "models">,
  model: Model | undefined,
  id: string,
): ServedUpstream | undefined {
  const mapping = findMapping(settings) ?? {}
  const configured = Object.hasOwn(mapping, id) ? mapping[id] : undefined
  const { upstreams = {} } = model ?? {}
  const told = Object.hasOwn(upstreams, name) ? upstreams[name] : undefined
  const upstream = configured ?? told
  if (upstream === undefined) return undefined
  const { artifacts = [], media = {} } = model ?? {}
  return { ...told, ...upstream, artifacts, media }
}

/** What keeps the channel from making its models, in words for people. */
export function listModelFaults(
  provider: Provider,
  { ids, upstreams }: ChannelModels,
  areFilesRead = true,
): readonly string[] {
  if (ids.length === 0) {
    return [
      `${provider.name} makes none of the models that are served: "models" maps them to its own`,
    ]
  }
  // A model that only its file maps is unknown as long as the files are not read.
  const known =
    areFilesRead || provider.toModel === undefined ? ids : ids.filter((id) => id in upstreams)
  return known.flatMap((id) => findModelFault(provider, id, upstreams[id]) ?? [])
}
