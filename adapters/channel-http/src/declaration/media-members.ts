/**
 * The media of a request by the paths of its parameters, for rules that know a model's parameters from data alone.
 * Lists on the way are implied: `elements/image_url` is the member of each of the elements.
 */
import { listTextsAt, type MediaKind, type ParameterValues } from "@safelight/core"
import { isObject } from "./provider-request.ts"

/** The value with each text at `path` replaced by what `change` makes of it. */
export function changeAt(value: unknown, path: string, change: (url: string) => unknown): unknown {
  return changeBelow(value, path.split("/"), change)
}

function changeBelow(
  value: unknown,
  [name, ...below]: readonly string[],
  change: (url: string) => unknown,
): unknown {
  if (Array.isArray(value)) {
    const path = name === undefined ? [] : [name, ...below]
    return value.map((item) => changeBelow(item, path, change))
  }
  if (name === undefined) return typeof value === "string" ? change(value) : value
  if (!isObject(value) || !Object.hasOwn(value, name)) return value
  return { ...value, [name]: changeBelow(value[name], below, change) }
}

export interface Medium {
  /** The parameter that holds it. */
  readonly param: string
  readonly kind: MediaKind
  readonly url: string
}

/** The media of whole parameters, and the other parameters: those with media in members stay as they are. */
export function takeMedia(
  parameters: ParameterValues,
  media: Readonly<Record<string, MediaKind>>,
): { readonly found: readonly Medium[]; readonly others: ParameterValues } {
  const whole = Object.entries(media).filter(([path]) => !path.includes("/"))
  const found = whole.flatMap(([param, kind]) =>
    listTextsAt(parameters, param).map((url) => ({ param, kind, url })),
  )
  const names = new Set(whole.map(([param]) => param))
  const others = Object.entries(parameters).filter(([param]) => !names.has(param))
  return { found, others: Object.fromEntries(others) }
}
