/**
 * What a model makes, by the schema of its answer: files by the names under which the channels look for them, or else
 * by what their own names speak of.
 */
import type { ArtifactKind } from "@safelight/core"
import { flatten, type Walk } from "./flatten-schema.ts"
import { Untranslatable } from "./import-note.ts"
import { isAddress } from "./media-kind.ts"
import { isList, isObject, type Raw } from "./raw.ts"

export interface FoundOutput {
  readonly kind: ArtifactKind
  /** Whether it is a list. */
  readonly isMany: boolean
}

const KNOWN: Readonly<Record<string, ArtifactKind>> = {
  images: "image",
  image: "image",
  videos: "video",
  video: "video",
  audio: "audio",
  audio_file: "audio",
  audio_url: "audio",
  audios: "audio",
  model_mesh: "3d",
  model_glb: "3d",
  model_glb_pbr: "3d",
  mesh: "3d",
  glb: "3d",
}
const TEXTS: ReadonlySet<string> = new Set(["output", "text", "outputs", "results", "lyrics"])

const WORDS: readonly (readonly [ArtifactKind, RegExp])[] = [
  ["3d", /(?:^|_)(?:3d|mesh|glb|obj|fbx|usdz|splat)(?:_|$)/i],
  ["video", /(?:^|_)(?:videos?|film|mp4)(?:_|$)/i],
  ["audio", /(?:^|_)(?:audios?|speech|music|song|sound|vocals|mp3|wav)(?:_|$)/i],
  ["image", /(?:^|_)(?:images?|picture|photo|png|jpeg|webp)(?:_|$)/i],
]

interface Member {
  readonly name: string
  readonly isFile: boolean
  readonly isMany: boolean
  readonly isText: boolean
}

/** The outputs of an answer that is an object, the first of them the main one; empty if none is known. */
export function findOutputs(answer: unknown, walk: Walk): readonly FoundOutput[] {
  const schema = open(answer, walk)
  const properties = isObject(schema?.["properties"]) ? schema["properties"] : {}
  const members = Object.entries(properties).map(([name, raw]) => toMember(name, raw, walk))
  const files = members.filter(({ isFile }) => isFile)
  const known = files.filter(({ name }) => Object.hasOwn(KNOWN, name))
  const found = (known.length > 0 ? known : files).flatMap(({ isMany, name }) => {
    const kind = Object.hasOwn(KNOWN, name) ? KNOWN[name] : findKind(name)
    return kind === undefined ? [] : [{ kind, isMany }]
  })
  if (found.length > 0) return join(found)
  const isText = members.some((each) => each.isText && TEXTS.has(each.name))
  return isText && files.length === 0 ? [{ kind: "text", isMany: false }] : []
}

export function findKind(name: string): ArtifactKind | undefined {
  return WORDS.find(([, pattern]) => pattern.test(name))?.[0]
}

/** Each kind once. Further files of a 3D model are other forms of it. */
function join(found: readonly FoundOutput[]): readonly FoundOutput[] {
  return [...new Set(found.map(({ kind }) => kind))].map((kind) => ({
    kind,
    isMany: kind !== "3d" && found.some((each) => each.kind === kind && each.isMany),
  }))
}

/** Without references and null; undefined if it can't be read, and then it is no output that is known. */
export function open(raw: unknown, walk: Walk): Raw | undefined {
  try {
    const { schema } = flatten(raw, [], walk)
    const options = [schema["anyOf"], schema["oneOf"]].find(isList)
    const [only, ...others] = (options ?? []).filter(
      (each) => !isObject(each) || each["type"] !== "null",
    )
    return only === undefined || others.length > 0 ? schema : flatten(only, [], walk).schema
  } catch (error) {
    if (error instanceof Untranslatable) return undefined
    throw error
  }
}

function toMember(name: string, raw: unknown, walk: Walk): Member {
  const schema = open(raw, walk) ?? {}
  const items = schema["items"] === undefined ? undefined : (open(schema["items"], walk) ?? {})
  const one = items ?? schema
  const isFile = isFileOf(name, one)
  return { name, isMany: items !== undefined, isFile, isText: !isFile && one["type"] === "string" }
}

function isFileOf(name: string, schema: Raw): boolean {
  const { properties, type } = schema
  if (isObject(properties)) return Object.hasOwn(properties, "url")
  return type === "string" && isAddress(name, schema)
}

/** Whether a schema is the address of a file, or a list of them. */
export function toFileOutput(
  answer: unknown,
  walk: Walk,
): { readonly isFile: boolean; readonly isText: boolean; readonly isMany: boolean } {
  const { isFile, isMany, isText } = toMember("", answer, walk)
  return { isFile, isMany, isText }
}
