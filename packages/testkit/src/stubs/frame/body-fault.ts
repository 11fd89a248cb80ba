/**
 * Holds the body of a request against what its provider publishes of it: an API document, or the types of
 * its own client. A provider may let an unknown member pass today; a channel that sends one is wrong all the
 * same, so every stub refuses it.
 */
import * as v from "valibot"

export interface BodyFault {
  /** Members and indexes, from the outside in. */
  readonly path: readonly (string | number)[]
  readonly kind: "missing" | "unknown" | "invalid"
  /** valibot's name of the rule that was broken: `string`, `picklist`, `max_value`. */
  readonly rule: string
  readonly words: string
}

export type BodySchema = v.GenericSchema

/** The first fault; undefined if there is none. */
export function findBodyFault(schema: BodySchema, body: unknown): BodyFault | undefined {
  const [issue] = v.safeParse(schema, body, { abortEarly: true }).issues ?? []
  if (issue === undefined) return undefined
  const path = (issue.path ?? []).map(({ key }) => key as string | number)
  return { path, kind: toKind(issue), rule: issue.type, words: issue.message }
}

/** `image.url`, `content[0].role`. */
export function toPathText(path: BodyFault["path"]): string {
  return path.reduce<string>(
    (text, part) =>
      text + (typeof part === "number" ? `[${part}]` : text === "" ? part : `.${part}`),
    "",
  )
}

/** A strict object reports a member that it lacks, and one that it does not have, as issues of its own. */
function toKind({ type, expected, received }: v.BaseIssue<unknown>): BodyFault["kind"] {
  if (type !== "strict_object") return "invalid"
  if (expected === "never") return "unknown"
  return received === "undefined" ? "missing" : "invalid"
}

/** Code points, as the interface counts them. */
export function textOf(least: number, most: number): v.GenericSchema<unknown, string> {
  const isWithin = (text: string): boolean => {
    const length = Array.from(text).length
    return length >= least && length <= most
  }
  return v.pipe(v.string(), v.check(isWithin, `String should have ${least} to ${most} characters`))
}

/** One of these texts. */
export function oneOf(...texts: readonly string[]): v.GenericSchema<unknown, string> {
  return v.picklist(texts)
}

export function integerOf(least: number, most: number): v.GenericSchema<unknown, number> {
  return v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most))
}

export function numberOf(least: number, most: number): v.GenericSchema<unknown, number> {
  return v.pipe(v.number(), v.minValue(least), v.maxValue(most))
}

export function listOf<Item>(
  item: v.GenericSchema<unknown, Item>,
  least: number,
  most: number,
): v.GenericSchema<unknown, Item[]> {
  return v.pipe(v.array(item), v.minLength(least), v.maxLength(most))
}

/** An object of these members alone, all of them optional but those in `required`. */
export function bodyOf(
  required: Readonly<Record<string, BodySchema>>,
  optional: Readonly<Record<string, BodySchema>> = {},
): BodySchema {
  const others = Object.entries(optional).map(([name, schema]) => [name, v.optional(schema)])
  return v.strictObject({ ...required, ...Object.fromEntries(others) })
}

/** An `http(s)` URL. */
export const WEB_URL: BodySchema = v.pipe(v.string(), v.regex(/^https?:\/\//, "not an http(s) URL"))

/** An `http(s)` URL, or a data URL. */
export const MEDIA_URL: BodySchema = v.pipe(
  v.string(),
  v.regex(
    /^(?:https?:\/\/|data:[\w.+-]+\/[\w.+-]+;base64,)/,
    "neither an http(s) URL nor a data URL",
  ),
)
