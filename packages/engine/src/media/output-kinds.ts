/**
 * Of which kind an output is, and how many of each kind were asked for. A model that makes one kind makes nothing
 * else, whatever an output's declared type is; of several, the type decides.
 */
import {
  countAsked,
  isTimed,
  SafelightError,
  toDeclaredKind,
  toMainKind,
  type ArtifactKind,
  type Model,
  type ParameterValues,
} from "@safelight/core"
import type { StoredOutput } from "./kept-outputs.ts"

/** By kind that the model makes; Infinity if nobody can tell any more. */
export type AskedCounts = ReadonlyMap<ArtifactKind, number>

/** Of parameters that were erased nobody can tell; the reservation bounds the charge all the same. */
export function toAskedCounts(model: Model, parameters: ParameterValues | undefined): AskedCounts {
  const counts = model.artifacts.map((kind) => {
    if (parameters !== undefined) return [kind, countAsked(model, parameters, kind)] as const
    return [kind, kind === "image" || model.counts !== undefined ? Infinity : 1] as const
  })
  return new Map(counts)
}

/** What may be stored for a task: previews and the like that a provider adds to several kinds are few. */
const MOST_SURPLUS = 8

/** As many outputs as may be of use. Of several kinds that is known for sure once they are stored. */
export function countUsable(asked: AskedCounts): number {
  const total = [...asked.values()].reduce((sum, count) => sum + count, 0)
  return asked.size === 1 ? total : total + MOST_SURPLUS
}

/** As many of each kind as were asked for, in order. */
export function takeAskedKinds(
  stored: readonly StoredOutput[],
  asked: AskedCounts,
): readonly StoredOutput[] {
  const left = new Map(asked)
  return stored.filter(({ type }) => {
    const count = left.get(type) ?? 0
    left.set(type, count - 1)
    return count > 0
  })
}

/** The kinds of which there are fewer than were asked for. */
export function findLacking(
  taken: readonly StoredOutput[],
  asked: AskedCounts,
): readonly ArtifactKind[] {
  return [...asked]
    .filter(([kind, count]) => taken.filter(({ type }) => type === kind).length < count)
    .map(([kind]) => kind)
}

export function hasMainKind(model: Model, taken: readonly StoredOutput[]): boolean {
  const main = toMainKind(model)
  return taken.some(({ type }) => type === main)
}

/** What an output may be, the likeliest first; several only of what is measured. */
export type OutputKinds = readonly [ArtifactKind, ...ArtifactKind[]]

/**
 * What an output of a declared type may be, the likeliest first. Throws `unsupported_media_type` if the model makes
 * nothing of that type.
 */
export function toKinds({ artifacts }: Model, mimeType: string): OutputKinds {
  const [only, ...others] = artifacts
  if (only !== undefined && others.length === 0) return [only]
  const kind = toDeclaredKind(mimeType)
  if (kind !== undefined && artifacts.includes(kind)) return withTwin(artifacts, kind)
  const message = `an output is of type ${mimeType}, which its model does not make`
  throw new SafelightError({ code: "unsupported_media_type", message })
}

/** Containers may hold sound alone or pictures too: their tracks tell which, once they are stored. */
export function withTwin(artifacts: readonly ArtifactKind[], kind: ArtifactKind): OutputKinds {
  if (!isTimed(kind)) return [kind]
  return [kind, ...artifacts.filter((each) => each !== kind && isTimed(each))]
}
