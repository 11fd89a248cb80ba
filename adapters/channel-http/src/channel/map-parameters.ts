/**
 * Parameters as a provider names them, by the data of an `Upstream`: some are left out, then renamed, then get the
 * provider's values, and constants are added last. Every other parameter is sent unchanged. Inputs are put in place
 * before it, under our own names.
 */
import {
  MEMBERS,
  toValueName,
  type MediaKind,
  type ParameterValues,
  type Upstream,
} from "@safelight/core"
import { isObject } from "../declaration/provider-request.ts"

export type Mapping = Pick<Upstream, "constants" | "drop" | "rename" | "values">

export function mapParameters(mapping: Mapping, parameters: ParameterValues): ParameterValues {
  const { constants = {}, drop = [] } = mapping
  let mapped: Record<string, unknown> = {}
  for (const [param, value] of Object.entries(parameters)) {
    if (value === undefined || drop.includes(param)) continue
    const name = toName(mapping, param)
    const sent = toValue(mapping, name, value)
    if (name === MEMBERS) mapped = { ...mapped, ...(isObject(sent) ? sent : {}) }
    else setAt(mapped, name, sent)
  }
  for (const [name, value] of Object.entries(constants)) setAt(mapped, name, value)
  return mapped
}

/** The media of a request by the paths that they have once it is mapped; those that are not sent are left out. */
export function mapMedia(
  mapping: Mapping,
  media: Readonly<Record<string, MediaKind>>,
): Readonly<Record<string, MediaKind>> {
  const { drop = [] } = mapping
  const paths = Object.entries(media).flatMap(([path, kind]) => {
    const [param = "", ...below] = path.split("/")
    return drop.includes(param)
      ? []
      : [[[toName(mapping, param), ...below].join("/"), kind] as const]
  })
  return Object.fromEntries(paths)
}

/** Whether it says how parameters are sent; otherwise it only names a model. */
export function isMapping({ constants, drop, rename, values }: Mapping): boolean {
  return [constants, drop, rename, values].some((each) => each !== undefined)
}

function toName({ rename = {} }: Mapping, param: string): string {
  return (Object.hasOwn(rename, param) ? rename[param] : undefined) ?? param
}

/** Of a list by each of its items. */
function toValue({ values = {} }: Mapping, name: string, value: unknown): unknown {
  const known = Object.hasOwn(values, name) ? values[name] : undefined
  if (known === undefined) return value
  const toOne = (each: unknown): unknown => {
    const key = toValueName(each)
    return Object.hasOwn(known, key) ? known[key] : each
  }
  return Array.isArray(value) ? value.map(toOne) : toOne(value)
}

/** The schema lets no name through that an object has of itself. */
function setAt(target: Record<string, unknown>, path: string, value: unknown): void {
  const parts = path.split("/")
  const last = parts.pop() ?? ""
  let place = target
  for (const part of parts) {
    const found = place[part]
    const inner = isObject(found) ? { ...found } : {}
    place[part] = inner
    place = inner
  }
  place[last] = isObject(place[last]) && isObject(value) ? { ...place[last], ...value } : value
}
