/**
 * Whether everything that a model takes has bounds. Strangers send it, and it is stored: an unbounded text could
 * be a medium that nobody checked, an unbounded number may be infinite (`1e999` is JSON), and an unbounded list
 * could name as many addresses to fetch as a body holds.
 */
import { isOfMedia, type describeParameters } from "@safelight/http"

type Described = ReturnType<typeof describeParameters>

/** The longest prompt of the three built-in models. */
const MOST_CHARACTERS = 1_000_000
/** Each may be fetched and measured. */
const MOST_MEDIA = 100
/** Formats whose texts are short by themselves. */
const SHORT_FORMATS = new Set(["date", "date-time", "ipv4", "ipv6", "time", "uuid"])

/** The first part without bounds, in words that follow the file's name; undefined if all is bounded. */
export function findUnbounded(path: string, described: Described | boolean): string | undefined {
  if (typeof described === "boolean") return `${path} takes anything`
  const { allOf, anyOf, const: only, enum: values, oneOf, type } = described
  if (path === "parameters" && type !== "object") {
    return "parameters must be an object: fields({ … })"
  }
  const options = anyOf ?? oneOf ?? allOf
  if (options !== undefined) return findFirst(options, (option) => findUnbounded(path, option))
  if (values !== undefined || only !== undefined) return undefined
  const find = FINDERS[String(type)]
  return find === undefined ? `${path} takes anything: name its type` : find(path, described)
}

type Find = (path: string, described: Described) => string | undefined

const FINDERS: Readonly<Record<string, Find>> = {
  object: findInObject,
  array: findInList,
  string: findInText,
  integer: findInNumber,
  number: findInNumber,
  boolean: () => undefined,
  null: () => undefined,
}

function findInObject(path: string, { additionalProperties, properties = {} }: Described) {
  if (additionalProperties !== false) {
    return `${path} takes members that it doesn't name: use fields({ … })`
  }
  return findFirst(Object.entries(properties), ([name, property]) =>
    findUnbounded(`${path}.${name}`, property),
  )
}

function findInList(path: string, { items, maxItems, prefixItems = [] }: Described) {
  const inPrefix = findFirst(prefixItems, (item, place) => findUnbounded(`${path}[${place}]`, item))
  if (inPrefix !== undefined) return inPrefix
  if (typeof items !== "object" || Array.isArray(items)) return undefined
  if (maxItems === undefined) return `${path} may have any number of items: add v.maxLength(…)`
  if (maxItems > MOST_MEDIA && isOfMedia(items)) {
    return `${path} may have ${maxItems} media: at most ${MOST_MEDIA} are taken`
  }
  return findUnbounded(`${path}[]`, items)
}

function findInText(path: string, described: Described) {
  const { format = "", maxLength } = described
  if (isOfMedia(described) || SHORT_FORMATS.has(format)) return undefined
  if (maxLength === undefined) {
    return `${path} may have any length: use text(min, max), or mediaUrl(kind) for media`
  }
  if (maxLength <= MOST_CHARACTERS) return undefined
  return `${path} may have ${maxLength} characters, and more than ${MOST_CHARACTERS} are taken of media alone: mediaUrl(kind)`
}

function findInNumber(path: string, described: Described) {
  const { exclusiveMaximum, exclusiveMinimum, maximum, minimum } = described
  const isBounded =
    (minimum ?? exclusiveMinimum) !== undefined && (maximum ?? exclusiveMaximum) !== undefined
  return isBounded ? undefined : `${path} may be any number: add v.minValue(…) and v.maxValue(…)`
}

function findFirst<Item>(
  items: readonly Item[],
  find: (item: Item, place: number) => string | undefined,
): string | undefined {
  for (const [place, item] of items.entries()) {
    const found = find(item, place)
    if (found !== undefined) return found
  }
  return undefined
}
