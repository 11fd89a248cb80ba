/**
 * `safelight models import`: writes a model's file from what its provider says of it. Bounds that the provider does
 * not state, what is left out, and what only a person can check are told; nothing is guessed silently.
 */
import { join, relative, resolve } from "node:path"
import { ARTIFACT_KINDS, LONGEST_MODEL_ID, MODEL_ID } from "@safelight/core"
import type { ImportNote } from "@safelight/catalogue"
import type { CommandContext } from "../command-line/command-context.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { argument, option, optionWithDefault, requiredOption } from "../command-line/parameters.ts"
import { refused } from "../errors/command-error.ts"
import type { ReadProviderDocument } from "../models/provider-document.ts"
import { formatOneLine } from "../text/one-line.ts"

interface Source {
  readonly keyVariable: string
  /** Whether the address asks for the key. */
  readonly asksKey: boolean
  readonly base: string
  readonly toPath: (endpoint: string) => string
}

const SOURCES = {
  fal: {
    keyVariable: "FAL_KEY",
    asksKey: false,
    base: "https://fal.ai",
    toPath: (endpoint) =>
      `/api/openapi/queue/openapi.json?endpoint_id=${encodeURIComponent(endpoint)}`,
  },
  replicate: {
    keyVariable: "REPLICATE_API_TOKEN",
    asksKey: true,
    base: "https://api.replicate.com",
    toPath: (endpoint) => {
      const [name, version] = endpoint.split(":")
      return `/v1/models/${name}${version === undefined ? "" : `/versions/${version}`}`
    },
  },
} as const satisfies Readonly<Record<string, Source>>

type Type = keyof typeof SOURCES

/** As both providers name their models. */
const ENDPOINT = /^[\w.-]+(?:\/[\w.-]+)+(?::[\da-f]{64})?$/
const LONGEST_ENDPOINT = 200
/** Of a report that is read. */
const MOST_NOTES = 200

export const command = defineCommand({
  name: "models import",
  description: "write a model's file from what its provider says of it",
  arguments: {
    provider: argument(Object.keys(SOURCES).join(" or ")),
    endpoint: argument("what the provider calls the model, such as fal-ai/flux/dev"),
  },
  options: {
    as: requiredOption("<id>", "the public id, such as acme/flux"),
    folder: optionWithDefault("<folder>", "where the file goes", "models"),
    kind: option(
      "<kind>",
      `what it makes, if the provider leaves that open: ${ARTIFACT_KINDS.join(", ")}`,
    ),
    from: option("<file>", "the provider's OpenAPI document (default: it is asked for)"),
    url: option("<url>", "the provider's address, such as that of a stub"),
  },
  async run({ arguments: { endpoint, provider }, options, context }) {
    const type = readType(provider)
    requireNames(endpoint, options.as)
    const kind = readKind(options.kind)
    const path = join(resolve(context.folder, options.folder), toFileName(options.as))
    const shown = relative(context.folder, path) || path
    const { refuseExisting, writeModelFile } = await import("../models/write-model-file.ts")
    const { MOST_MODEL_BYTES } = await import("../models/model-places.ts")
    refuseExisting([{ path, shown }])
    const { document, place } = await readDocument(type, endpoint, { options, context })
    const { importModel } = await import("@safelight/catalogue")
    const address =
      options.from === undefined ? toPublicAddress(type, endpoint) : `file:${options.from}`
    const source = { address, read: toDay(new Date()) }
    const asked = { provider: type, endpoint, id: options.as, source }
    const made = importModel(document, { ...asked, ...(kind !== undefined && { kind }) })
    if (made.kind === "refused") {
      const words = made.faults.map(({ pointer, reason }) => `${pointer} ${reason}`.trim())
      throw refused(`${place}: ${words.map(formatOneLine).join("; ")}`)
    }
    const text = `${JSON.stringify(made.file, undefined, 2)}\n`
    if (Buffer.byteLength(text) > MOST_MODEL_BYTES) {
      throw refused(`${place}: the model's file would be larger than ${MOST_MODEL_BYTES} bytes`)
    }
    await writeModelFile(path, text)
    const { keyVariable } = SOURCES[type]
    context.print(`${shown}: ${options.as}, made by ${type} (${keyVariable})\n`)
    context.print(toReport(made.notes))
    context.print(toNextSteps(options.folder, type))
  },
})

function readType(provider: string): Type {
  if (Object.hasOwn(SOURCES, provider)) return provider as Type
  throw refused(`models are imported from ${Object.keys(SOURCES).join(" and ")}, not ${provider}`)
}

function requireNames(endpoint: string, as: string): void {
  if (!ENDPOINT.test(endpoint) || endpoint.length > LONGEST_ENDPOINT || endpoint.includes("..")) {
    throw refused(`${endpoint} is no name of a model there: expected one such as fal-ai/flux/dev`)
  }
  if (!MODEL_ID.test(as) || as.length > LONGEST_MODEL_ID) {
    throw refused(`--as is ${as}: expected an id such as acme/flux`)
  }
}

function readKind(text: string | undefined): (typeof ARTIFACT_KINDS)[number] | undefined {
  const kind = ARTIFACT_KINDS.find((each) => each === text)
  if (text === undefined || kind !== undefined) return kind
  throw refused(`--kind is ${text}: expected one of ${ARTIFACT_KINDS.join(", ")}`)
}

function toFileName(id: string): string {
  return `${id.slice(id.lastIndexOf("/") + 1)}.json`
}

interface Asking {
  readonly options: { readonly from?: string | undefined; readonly url?: string | undefined }
  readonly context: CommandContext
}

async function readDocument(
  type: Type,
  endpoint: string,
  { context, options }: Asking,
): Promise<ReadProviderDocument> {
  const { fetchDocument, readDocumentFile } = await import("../models/provider-document.ts")
  const { from, url } = options
  if (from !== undefined) return readDocumentFile(resolve(context.folder, from), from)
  const { asksKey, base, keyVariable, toPath } = SOURCES[type]
  const address = URL.parse(toPath(endpoint), url ?? base)
  if (address === null || !/^https?:$/.test(address.protocol)) {
    throw refused(`--url is ${url}: expected an address such as ${base}`)
  }
  const key = asksKey ? context.environment[keyVariable] : undefined
  if (asksKey && key === undefined) throw refused(`${type} asks for a key: set ${keyVariable}`)
  return fetchDocument(address.href, key)
}

function toPublicAddress(type: Type, endpoint: string): string {
  const { base, toPath } = SOURCES[type]
  return new URL(toPath(endpoint), base).href
}

function toDay(date: Date): string {
  return date.toISOString().slice(0, 10)
}

const TOPICS = [
  ["bounded", "bounded here, since the provider states none; check each:"],
  ["check", "check:"],
  ["left-out", "left out:"],
] as const

function toReport(notes: readonly ImportNote[]): string {
  return TOPICS.flatMap(([topic, title]) => {
    const all = notes.filter((each) => each.topic === topic)
    if (all.length === 0) return []
    const lines = all.slice(0, MOST_NOTES).map(({ pointer, words }) => `${pointer} ${words}`)
    const more = all.length > lines.length ? [`and ${all.length - lines.length} more`] : []
    return [`  ${title}\n`, ...[...lines, ...more].map((line) => `    ${formatOneLine(line)}\n`)]
  }).join("")
}

function toNextSteps(folder: string, type: Type): string {
  const path = /^[./]/.test(folder) ? folder : `./${folder}`
  return [
    `next: read the file, and give "price" or a price table, and the provider's "cost";`,
    `in the configuration: "models": [${JSON.stringify(path)}], "channels": [{ "type": "${type}" }];`,
    "then safelight models check\n",
  ].join("\n  ")
}
