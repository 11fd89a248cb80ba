/**
 * Where in a provider's document the schemas of a model's input and answer are, and what else it says of the model.
 * It is read as a stranger's: what is not there is told by its place.
 */
import type { ArtifactKind } from "@safelight/core"
import { findOutputs, open, toFileOutput, type FoundOutput } from "./outputs.ts"
import type { Walk } from "./flatten-schema.ts"
import { Untranslatable } from "./import-note.ts"
import { at, isList, textOf } from "./raw.ts"

export interface ReadDocument {
  /** In which references are looked up. */
  readonly document: unknown
  readonly input: unknown
  /** By what the answer says; undefined if that leaves the kind open. */
  readonly findOutputs: (walk: Walk) => readonly FoundOutput[] | undefined
  /** If the kind is asked for, whether the answer is a list. */
  readonly isMany: (walk: Walk) => boolean
  /** The id by which the channel asks for it. */
  readonly upstream: string
  readonly title: string
  readonly description?: string
}

/** Throws `Untranslatable`. */
export type ReadProviderDocument = (document: unknown, endpoint: string) => ReadDocument

const SCHEMA = ["content", "application/json", "schema"]

/** The API document of fal's queue: an endpoint is its one path, and its result is below that. */
function readFal(document: unknown, endpoint: string): ReadDocument {
  const path = `/${endpoint}`
  const post = at(document, "paths", path, "post")
  const input = at(post, "requestBody", ...SCHEMA)
  if (input === undefined) {
    throw new Untranslatable(`describes no input of ${endpoint}`, "/paths")
  }
  const below = `${path}/requests/{request_id}`
  const answer = at(document, "paths", below, "get", "responses", "200", ...SCHEMA)
  if (answer === undefined) {
    throw new Untranslatable(`describes no result of ${endpoint}`, "/paths")
  }
  return {
    document,
    input,
    findOutputs: (walk) => findOutputs(answer, walk),
    isMany: (walk) => findOutputs(answer, walk).some(({ isMany }) => isMany),
    upstream: endpoint,
    title: endpoint,
  }
}

/** A model of Replicate's API with its latest version, a version, or the API document of one alone. */
function readReplicate(found: unknown, endpoint: string): ReadDocument {
  const version = at(found, "latest_version") ?? found
  const document = at(version, "openapi_schema") ?? version
  const input = at(document, "components", "schemas", "Input")
  const answer = at(document, "components", "schemas", "Output")
  if (input === undefined || answer === undefined) {
    const lacking = input === undefined ? "Input" : "Output"
    throw new Untranslatable("is not in the document", `/components/schemas/${lacking}`)
  }
  const description = textOf(at(found, "description")).trim()
  return {
    document,
    input,
    findOutputs: (walk) => findReplicateOutputs({ answer, found, input }, walk),
    isMany: (walk) => toFileOutput(answer, walk).isMany,
    upstream: toUpstream(found, endpoint),
    title: endpoint,
    ...(description !== "" && { description }),
  }
}

/** An official model goes by its name, any other by its version. */
function toUpstream(found: unknown, endpoint: string): string {
  const id = textOf(at(found, "latest_version", "id"))
  if (endpoint.includes(":") || at(found, "is_official") === true || !/^[\da-f]{64}$/.test(id)) {
    return endpoint
  }
  return `${endpoint}:${id}`
}

const ENDINGS: Readonly<Record<string, ArtifactKind>> = {
  png: "image",
  jpg: "image",
  jpeg: "image",
  webp: "image",
  mp4: "video",
  webm: "video",
  mov: "video",
  mp3: "audio",
  wav: "audio",
  flac: "audio",
  ogg: "audio",
  m4a: "audio",
  glb: "3d",
  obj: "3d",
  ply: "3d",
}

interface Answer {
  readonly answer: unknown
  readonly found: unknown
  readonly input: unknown
}

/** An address says nothing of its kind: the model's own example does, or the formats that can be asked for. */
function findReplicateOutputs(
  { answer, found, input }: Answer,
  walk: Walk,
): readonly FoundOutput[] | undefined {
  const { isFile, isMany, isText } = toFileOutput(answer, walk)
  if (isText) return [{ kind: "text", isMany: false }]
  if (!isFile) return findOutputs(answer, walk)
  const examples = [at(found, "default_example", "output")].flat().map(toEnding)
  const properties = at(open(input, walk), "properties")
  const format = open(at(properties, "output_format"), walk)?.["enum"]
  const formats = (isList(format) ? format : []).map((each) => textOf(each).toLowerCase())
  const endings = examples.some((each) => each !== "") ? examples : formats
  const kinds = new Set(
    endings.map((each) => (Object.hasOwn(ENDINGS, each) ? ENDINGS[each] : undefined)),
  )
  const [kind, ...others] = kinds
  return kind === undefined || others.length > 0 ? undefined : [{ kind, isMany }]
}

function toEnding(example: unknown): string {
  const [path = ""] = textOf(example).slice(0, 4_096).split(/[?#]/, 1)
  return /\.([a-z\d]{1,5})$/i.exec(path)?.[1]?.toLowerCase() ?? ""
}

export const DOCUMENTS = { fal: readFal, replicate: readReplicate } as const satisfies Readonly<
  Record<string, ReadProviderDocument>
>
