/**
 * The parameters of a model that is a program, by the JSON Schema that describes them: checked like those of a file.
 * Of another library than valibot the description is what a request is checked by first, so that every model has the
 * same errors and bounds, and the library sees nothing that has none.
 */
import type * as v from "valibot"
import { SafelightError } from "../errors/safelight-error.ts"
import type { MediaKind } from "../models/media-url.ts"
import type { Model, ParameterValues } from "../models/model.ts"
import { describeForeign, type StandardSchema } from "../models/standard-schema.ts"
import type { JsonObject } from "../values/canonical-json.ts"
import { buildSchema } from "./build-schema.ts"
import {
  collectFaults,
  isObject,
  join,
  toFaultWords,
  type ModelFault,
  type Report,
} from "./fault.ts"
import { readLogged } from "./logged.ts"
import { findMediaPaths } from "./media-paths.ts"
import { readParameters } from "./parameters.ts"
import { reduceSchema, type Reading } from "./reduce-schema.ts"
import { resolveRefs } from "./resolve.ts"

type Media = Model["media"]

/** All that is wrong with what a model takes, logs and hands to channels, by `described`, its JSON Schema. */
export function findDescriptionFaults(
  described: unknown,
  { logged, media }: Pick<Model, "logged" | "media">,
  reading: Reading = {},
): readonly ModelFault[] {
  const { faults, report } = collectFaults()
  const schema = readParameters(described, report, (whole) => reduce(whole, reading))
  if (schema === undefined) return faults
  readLogged(logged, schema, report)
  checkMedia(media, findMediaPaths(schema, report), report)
  return faults
}

interface Foreign {
  readonly described: JsonObject
  readonly media: Media
  readonly parameters: v.GenericSchema<unknown, ParameterValues>
}

/** What the engine needs of a schema of another library. Throws `invalid-configuration`, with all that is wrong. */
export function readForeign(
  schema: StandardSchema<unknown>,
  { id, media = {} }: { readonly id: string; readonly media?: Media | undefined },
): Foreign {
  const { faults, report } = collectFaults()
  const resolved = resolveRefs(describeForeign(schema, id), "/parameters", report)
  const described = markMedia(resolved, "", media)
  const parameters = readParameters(described, report, (whole) => reduce(whole, {}))
  const found = parameters && findMediaPaths(parameters, report)
  if (found !== undefined) checkMedia({ ...found, ...media }, found, report)
  if (faults.length > 0 || parameters === undefined) {
    const message = `model ${id}: ${toFaultWords(faults)}`
    throw new SafelightError({ code: "invalid-configuration", message })
  }
  const built = buildSchema(parameters) as Foreign["parameters"]
  return { described: described as JsonObject, media: { ...media, ...found }, parameters: built }
}

/** Without a choice between members, which only narrows the object. */
function reduce(
  { anyOf: _any, oneOf: _one, ...whole }: Readonly<Record<string, unknown>>,
  reading: Reading,
): unknown {
  return reduceSchema(whole, reading)
}

function checkMedia(media: Media, found: Media, report: Report): void {
  for (const [path, kind] of Object.entries(media)) {
    if (found[path] === kind) continue
    report(
      join("/media", path),
      `is not where the parameters take media of the kind ${JSON.stringify(kind)}`,
    )
  }
  for (const [path, kind] of Object.entries(found)) {
    if (Object.hasOwn(media, path)) continue
    report(
      "/media",
      `lacks ${JSON.stringify(path)}, which no channel would get: add it as ${JSON.stringify(kind)}`,
    )
  }
}

/** Says of each text at a path of `media` that it is the address of one. */
function markMedia(schema: unknown, path: string, media: Media): unknown {
  if (Array.isArray(schema)) return schema.map((each) => markMedia(each, path, media))
  if (!isObject(schema)) return schema
  const { properties } = schema
  const kind = Object.hasOwn(media, path) ? media[path] : undefined
  const isText = [schema["type"]].flat().includes("string") && kind !== undefined
  return {
    ...schema,
    ...markAt(schema, ["allOf", "anyOf", "items", "oneOf", "prefixItems"], (each) =>
      markMedia(each, path, media),
    ),
    ...(isObject(properties) && {
      properties: markAt(properties, Object.keys(properties), (each, name) =>
        markMedia(each, path === "" ? name : `${path}/${name}`, media),
      ),
    }),
    ...(isText && { "x-media": kind satisfies MediaKind }),
  }
}

function markAt(
  of: Readonly<Record<string, unknown>>,
  names: readonly string[],
  mark: (value: unknown, name: string) => unknown,
): Readonly<Record<string, unknown>> {
  const present = names.filter((name) => of[name] !== undefined)
  return Object.fromEntries(present.map((name) => [name, mark(of[name], name)]))
}
