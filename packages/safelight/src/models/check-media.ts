/**
 * Whether a model's `media` agrees with its schema: the parameters that it names are fetched and handed to
 * channels, so they must be checked by `mediaUrl`, and no other parameter may be.
 */
import { mediaUrl, type MediaKind, type Model } from "@safelight/core"
import { describeParameters } from "@safelight/http"
import * as v from "valibot"

type Described = ReturnType<typeof describeParameters>

/** In words that follow the file's name; undefined if there is no fault. */
export function findMediaFault(
  media: Model["media"] | undefined,
  { properties = {} }: Described,
): string | undefined {
  const patterns = toPatterns()
  const named = Object.entries(media ?? {})
  const wrong = named.find(
    ([name, kind]) =>
      !Object.hasOwn(properties, name) || toPattern(properties[name]) !== patterns[kind],
  )
  if (wrong !== undefined) {
    const [name, kind] = wrong
    return `names parameters.${name} in media, which is no mediaUrl(${JSON.stringify(kind)}), alone or in a list`
  }
  const kinds = new Map(Object.entries(patterns).map(([kind, pattern]) => [pattern, kind]))
  for (const [name, property] of Object.entries(properties)) {
    const kind = findKind(property, kinds)
    if (kind === undefined || named.some(([each]) => each === name)) continue
    return `takes media in parameters.${name}, which no channel gets: add it to media as ${JSON.stringify(kind)}`
  }
  return undefined
}

/** The kind of the media anywhere in the schema. */
function findKind(
  described: unknown,
  kinds: ReadonlyMap<string | undefined, string>,
): string | undefined {
  if (typeof described !== "object" || described === null) return undefined
  const own = toPattern(described)
  const kind = own === undefined ? undefined : kinds.get(own)
  return (
    kind ??
    Object.values(described)
      .map((each) => findKind(each, kinds))
      .find(Boolean)
  )
}

/** The pattern of an address or of a list of addresses, which may be nullable. */
function toPattern(described: Described | boolean | undefined): string | undefined {
  if (typeof described !== "object") return undefined
  const { anyOf = [], items, pattern } = described
  if (typeof items === "object" && !Array.isArray(items)) return items.pattern
  return pattern ?? anyOf.map(toPattern).find(Boolean)
}

function patternOf(kind: MediaKind): string | undefined {
  const parameters = v.strictObject({ url: mediaUrl(kind) })
  return toPattern(describeParameters({ id: kind, parameters }).properties?.["url"])
}

function toPatterns(): Readonly<Record<string, string | undefined>> {
  return { image: patternOf("image"), video: patternOf("video"), audio: patternOf("audio") }
}
