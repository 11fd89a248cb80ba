/** What a model's file says it makes, and how much of it a request uses up. */
import type { Usage } from "../task/events.ts"
import { VIDEO_BILLING } from "../money/billed-input.ts"
import { ARTIFACT_KINDS, isTimed, type ArtifactKind } from "../models/artifact-kind.ts"
import type { MediaKind } from "../models/media-url.ts"
import type { ArtifactCounts, ParameterValues } from "../models/model.ts"
import { isObject, join, split, type Report } from "./fault.ts"
import { findProperty, readQuantity, readValue, type Quantity } from "./quantity.ts"
import { toOptions, type Schema } from "./schema.ts"

export interface Outputs {
  readonly artifacts: readonly [ArtifactKind, ...ArtifactKind[]]
  readonly counts: (parameters: ParameterValues) => ArtifactCounts
  readonly estimate: (parameters: ParameterValues) => Usage
}

interface Output {
  readonly kind: ArtifactKind
  readonly count: Quantity
  readonly seconds: Quantity
}

interface Context {
  readonly parameters: Schema
  readonly report: Report
}

export interface OutputMembers {
  readonly outputs?: unknown
  readonly inputVideos?: unknown
  readonly characters?: unknown
}

const NONE: Quantity = () => 0

/** Reports what is wrong, and is undefined then. */
export function readOutputs(
  raw: OutputMembers,
  media: Readonly<Record<string, MediaKind>>,
  context: Context,
): Outputs | undefined {
  const outputs = readKinds(raw.outputs, context)
  const videos = readInputVideos(raw.inputVideos, media, context)
  const characters = readCharacters(raw.characters, context)
  const [main, ...others] = outputs ?? []
  if (main === undefined || videos === undefined || characters === undefined) return undefined
  const all = [main, ...others]
  const find = (kind: ArtifactKind): Output | undefined => all.find((each) => each.kind === kind)
  const [images, video, audio] = [find("image"), find("video"), find("audio")]
  return {
    artifacts: [main.kind, ...others.map(({ kind }) => kind)],
    counts: (parameters) =>
      Object.fromEntries(all.map(({ count, kind }) => [kind, count(parameters)])),
    estimate(parameters) {
      const outputAudioMs = toMs(audio, parameters)
      const written = characters(parameters)
      return {
        images: images?.count(parameters) ?? 0,
        inputVideosMs: videos(parameters) ? [VIDEO_BILLING.longestInputMs] : [],
        outputVideoMs: toMs(video, parameters),
        ...(outputAudioMs > 0 && { outputAudioMs }),
        ...(written > 0 && { characters: written }),
      }
    },
  }
}

function toMs(output: Output | undefined, parameters: ParameterValues): number {
  if (output === undefined) return 0
  return Math.ceil(output.count(parameters) * output.seconds(parameters) * 1000)
}

function readKinds(raw: unknown, context: Context): readonly Output[] | undefined {
  const pointer = "/outputs"
  const kinds = isObject(raw) ? Object.keys(raw) : []
  if (!isObject(raw) || kinds.length === 0) {
    context.report(pointer, `must say what is made: ${ARTIFACT_KINDS.join(", ")}`)
    return undefined
  }
  const outputs = kinds.map((kind, place) =>
    readOutput(kind, raw[kind], { ...context, isMain: place === 0 }),
  )
  return outputs.every((output) => output !== undefined) ? outputs : undefined
}

function readOutput(
  name: string,
  raw: unknown,
  { isMain, ...context }: Context & { readonly isMain: boolean },
): Output | undefined {
  const pointer = join("/outputs", name)
  const kind = ARTIFACT_KINDS.find((each) => each === name)
  if (kind === undefined) {
    context.report(pointer, `is no kind: ${ARTIFACT_KINDS.join(", ")}`)
    return undefined
  }
  const said = toSaid(raw, kind)
  const other = Object.keys(said).find((key) => key !== "count" && key !== "seconds")
  if (other !== undefined) {
    context.report(join(pointer, other), "is not known here: count, seconds")
    return undefined
  }
  const least = isMain ? 1 : 0
  const count = readQuantity(said["count"] ?? 1, {
    ...context,
    pointer: join(pointer, "count"),
    rule: { isWhole: true, least },
  })
  const seconds = readSeconds(said["seconds"], kind, context)
  return count && seconds && { kind, count, seconds }
}

/** `4`, a pointer and `{ from }` are how many; of video and sound how long. */
function toSaid(raw: unknown, kind: ArtifactKind): Readonly<Record<string, unknown>> {
  if (isObject(raw) && !Object.hasOwn(raw, "from")) return raw
  return isTimed(kind) ? { seconds: raw } : { count: raw }
}

function readSeconds(raw: unknown, kind: ArtifactKind, context: Context): Quantity | undefined {
  const pointer = join("/outputs", kind, "seconds")
  if (isTimed(kind)) {
    const rule = { isWhole: false, least: 0.001 }
    return readQuantity(raw, { ...context, pointer, rule })
  }
  if (raw === undefined) return NONE
  context.report(pointer, "is said of video and audio alone")
  return undefined
}

type Present = (parameters: ParameterValues) => boolean

function readInputVideos(
  raw: unknown,
  media: Readonly<Record<string, MediaKind>>,
  { report }: Context,
): Present | undefined {
  if (raw === undefined) return () => false
  const names = typeof raw === "string" ? split(raw) : undefined
  if (names === undefined || media[names.join("/")] !== "video") {
    report("/inputVideos", 'must point to a parameter with videos, as "/video_urls"')
    return undefined
  }
  return (parameters) => {
    const value = readValue(parameters, names)
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null
  }
}

function readCharacters(raw: unknown, { parameters, report }: Context): Quantity | undefined {
  if (raw === undefined) return NONE
  const names = typeof raw === "string" && raw !== "" ? split(raw) : undefined
  const found = names === undefined ? undefined : findProperty(parameters, names)
  const isText =
    found !== undefined &&
    toOptions(found.schema).every(({ type }) => type === "string" || type === "null")
  if (names === undefined || !isText) {
    report("/characters", 'must point to a text among the parameters, as "/prompt"')
    return undefined
  }
  return (values) => {
    const value = readValue(values, names)
    return typeof value === "string" ? Array.from(value).length : 0
  }
}
