/**
 * A model's file from a provider's own description of one of its models: pure, and safe on whatever a stranger sends.
 * What is made is taken by the reader of model files. Nothing is guessed silently: bounds that the provider doesn't
 * state, parts that are left out and what only a person can check are notes.
 */
import {
  ARTIFACT_KINDS,
  isTimed,
  SCHEMA_LIMITS,
  type ArtifactKind,
  type ModelFault,
} from "@safelight/core"
import { BOUNDS, COUNTS, SECONDS } from "./bounds.ts"
import { DOCUMENTS, type ReadDocument } from "./documents.ts"
import type { Walk } from "./flatten-schema.ts"
import { TooLarge, Untranslatable, type ImportNote, type Note } from "./import-note.ts"
import { open, type FoundOutput } from "./outputs.ts"
import { pruneFile } from "./prune-file.ts"
import { toFileQuantity, toQuantity } from "./quantities.ts"
import { at, isList, isObject, type Raw } from "./raw.ts"
import { translate } from "./translate-schema.ts"

/** Providers whose descriptions can be read. */
export const IMPORTED_FROM = Object.keys(DOCUMENTS) as readonly (keyof typeof DOCUMENTS)[]

export interface ImportOptions {
  readonly provider: keyof typeof DOCUMENTS
  /** The provider's own id. */
  readonly endpoint: string
  /** The public one. */
  readonly id: string
  /** What it makes, if the document leaves that open. */
  readonly kind?: ArtifactKind
  /** Where the document was read, and on which day. */
  readonly source: { readonly address: string; readonly read: string }
}

export type ModelImport =
  | { readonly kind: "model"; readonly file: Raw; readonly notes: readonly ImportNote[] }
  | { readonly kind: "refused"; readonly faults: readonly [ModelFault, ...ModelFault[]] }

/** `document` is parsed JSON. A fault's pointer is of the document if that lacks something, else of the file. */
export function importModel(document: unknown, options: ImportOptions): ModelImport {
  const notes: ImportNote[] = []
  const note: Note = (each) => {
    if (notes.length < MOST_NOTES) notes.push(each)
  }
  try {
    const read = DOCUMENTS[options.provider](document, options.endpoint)
    const drafted = pruneFile(draft(read, options, note), note)
    if (drafted.kind === "refused") return drafted
    const pruned = pruneFile(addOutputs(drafted.file, read, options, note), note)
    return pruned.kind === "refused" ? pruned : { kind: "model", file: pruned.file, notes }
  } catch (error) {
    const isTold = error instanceof Untranslatable || error instanceof TooLarge
    if (!isTold) throw error
    const pointer = (error instanceof Untranslatable ? error.pointer : undefined) ?? ""
    return { kind: "refused", faults: [{ pointer, reason: error.message }] }
  }
}

/** More would be read by nobody. */
const MOST_NOTES = 2_000

function startWalk({ document }: ReadDocument): Walk {
  return { document, left: SCHEMA_LIMITS.schemas }
}

/** With what every model makes in the meantime: what it makes is told by parameters that the reader takes. */
function draft(read: ReadDocument, { id, provider, source }: ImportOptions, note: Note): Raw {
  const pointer = "/parameters"
  const place = { pointer, name: "", told: "", depth: 0, open: [], walk: startWalk(read), note }
  const {
    default: _default,
    description: _description,
    ...parameters
  } = translate(read.input, place)
  const { description, title, upstream } = read
  const example = toExample(read, parameters)
  return {
    id,
    title: title.slice(0, 200),
    ...(description !== undefined && { description: description.slice(0, 500).toWellFormed() }),
    outputs: { image: 1 },
    parameters,
    ...(example !== undefined && { examples: [example] }),
    providers: { [provider]: upstream },
    sources: [{ ...source, says: "its parameters and what it makes" }],
  }
}

/** What it makes, and how much of it, by parameters that the reader of model files takes. */
function addOutputs(file: Raw, read: ReadDocument, { kind }: ImportOptions, note: Note): Raw {
  const walk = startWalk(read)
  const found = kind === undefined ? read.findOutputs(walk) : [{ kind, isMany: read.isMany(walk) }]
  if (found === undefined || found.length === 0) {
    throw new Untranslatable(`leaves open what it makes: ${ARTIFACT_KINDS.join(", ")}`)
  }
  const whole = isObject(file["parameters"]) ? file["parameters"] : {}
  const parameters = found.some(({ isMany }) => isMany) ? withOneCount(whole, note) : whole
  const outputs = found.map((output) => [output.kind, toOutput(output, parameters, note)] as const)
  return { ...file, parameters, outputs: Object.fromEntries(outputs) }
}

function toOutput({ isMany, kind }: FoundOutput, parameters: Raw, note: Note): unknown {
  const pointer = `/outputs/${kind}`
  const count = isMany ? findQuantity(COUNTS, parameters, true) : undefined
  if (isMany && count === undefined) {
    const words = "is a list, and no parameter says how many: one is counted"
    note({ topic: "check", pointer, words })
  }
  if (!isTimed(kind)) return count ?? 1
  const seconds = findQuantity(SECONDS, parameters, false) ?? BOUNDS.length[kind]
  if (typeof seconds === "number") {
    note({ topic: "bounded", pointer: `${pointer}/seconds`, words: String(seconds) })
  }
  return { ...(count !== undefined && { count }), seconds }
}

/**
 * Two parameters that count would multiply, and only one of them can be reserved for: the others are left out. Throws
 * `Untranslatable` if a request needs one of those.
 */
function withOneCount(parameters: Raw, note: Note): Raw {
  const { properties, required } = parameters
  if (!isObject(properties)) return parameters
  const [, ...others] = COUNTS.filter((name) => toQuantity(parameters, name, { isWhole: true }))
  const needed = others.find((name) => isList(required) && required.includes(name))
  if (needed !== undefined) {
    throw new Untranslatable("counts beside another parameter", `/parameters/properties/${needed}`)
  }
  for (const name of others) {
    const words = "counts beside another parameter, and both would multiply"
    note({ topic: "left-out", pointer: `/parameters/properties/${name}`, words })
  }
  const kept = Object.entries(properties).filter(([name]) => !others.includes(name))
  return { ...parameters, properties: Object.fromEntries(kept) }
}

function findQuantity(
  names: readonly string[],
  parameters: Raw,
  isWhole: boolean,
): string | Raw | undefined {
  const [found] = names.flatMap((name) => toQuantity(parameters, name, { isWhole }) ?? [])
  return found && toFileQuantity(found)
}

/** Of what every request needs, the document's own example of each; undefined if one has none. */
function toExample(read: ReadDocument, { required }: Raw): Raw | undefined {
  const walk = startWalk(read)
  const properties = at(open(read.input, walk), "properties")
  const names = isList(required) ? required.map(String) : []
  const members = names.map((name) => [name, findExample(at(properties, name), walk)] as const)
  const isWhole = members.every(([, value]) => value !== undefined)
  return isWhole ? Object.fromEntries(members) : undefined
}

function findExample(raw: unknown, walk: Walk): unknown {
  const { default: byDefault, example, examples } = open(raw, walk) ?? {}
  const [first] = isList(examples) ? examples : []
  return first ?? example ?? byDefault ?? undefined
}
