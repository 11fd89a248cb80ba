/**
 * The client's types, written from the document that a service serves: the parameters of each model, the
 * answers, the codes of errors, the query of the list. A schema that is not known here throws, so that no
 * type says less than its schema without anybody noticing. The texts are as oxfmt leaves them.
 */
import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { join } from "node:path"
import { text as readText } from "node:stream/consumers"
import { ROOT } from "../architecture/workspaces.ts"
import { createInProcessService } from "../service/in-process-service.ts"

const FOLDER = "packages/client/src/api"

interface Schema {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly $ref?: string
  readonly title?: string
  readonly description?: string
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly description: string
  readonly schema: Schema
}

interface Document {
  readonly paths: Readonly<Record<string, { readonly get?: { readonly parameters: Parameter[] } }>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** What a request takes: a member that may be absent may be undefined too. */
interface Style {
  readonly isRequest: boolean
}

/** The answers that the client reads; the error body gives only its parts. */
const ANSWERS = [
  "Task",
  "TaskFailure",
  "TaskList",
  "Artifact",
  "ArtifactList",
  "ArtifactLink",
  "EventList",
  "TaskUsage",
  "UsageReport",
]

/** The text of each generated file, by its path from the root. */
export async function generateClientTypes(): Promise<Readonly<Record<string, string>>> {
  await using service = await createInProcessService()
  const response = await fetch(`${service.url}/openapi.json`)
  const document = (await response.json()) as Document
  const texts = { "models.ts": toModels(document), "answers.ts": toAnswers(document) }
  const written = Object.entries(texts).map(async ([name, text]) => {
    const path = `${FOLDER}/${name}`
    return [path, await format(path, text)] as const
  })
  return Object.fromEntries(await Promise.all(written))
}

function toModels({ components }: Document): string {
  const models = Object.values(components.schemas).flatMap(({ title, properties }) =>
    title === undefined ? [] : [{ id: title, parameters: properties?.["parameters"] ?? {} }],
  )
  assert.ok(models.length > 0, "the document describes models")
  const style = { isRequest: true }
  const members = models.map(({ id, parameters }) => `"${id}": ${toType(parameters, style)}`)
  return `
/**
 * The parameters of each model, generated from the schemas that check them: \`npm run client:update\`. A
 * service with models of its own declares theirs by merging into \`ModelParameters\`.
 */

/** By the model's public id. */
export interface ModelParameters {
${members.join("\n")}
}
`
}

function toAnswers({ components, paths }: Document): string {
  const { schemas } = components
  const named = ANSWERS.map((name) => {
    const schema = schemas[name] ?? assert.fail(`the document describes no ${name}`)
    return `${toComment(schema)}export interface ${name} ${toType(schema, { isRequest: false })}\n`
  })
  const body = schemas["Error"]?.properties?.["error"]?.properties ?? {}
  const query = (paths["/v1/tasks"]?.get?.parameters ?? [])
    // Pages are the client's own affair.
    .filter((each) => each.in === "query" && each.name !== "cursor")
    .map((each) => [each.name, { ...each.schema, description: each.description }] as const)
  return `
/** What the service answers, generated from the schemas of its document: \`npm run client:update\`. */

${named.join("\n")}
/** What every refusal is decided by. */
export type RefusalCode = ${toType(body["code"] ?? {}, { isRequest: false })}

/** The kind of refusal. */
export type RefusalType = ${toType(body["type"] ?? {}, { isRequest: false })}

/** What \`list\` is asked for. */
export interface ListQuery ${toType({ type: "object", properties: Object.fromEntries(query) }, { isRequest: true })}
`
}

function toType(schema: Schema, style: Style): string {
  const { $ref: ref, anyOf, enum: choices } = schema
  if (ref !== undefined) return ref.split("/").at(-1) ?? assert.fail(ref)
  if (anyOf !== undefined) return anyOf.map((each) => toType(each, style)).join(" | ")
  if ("const" in schema) return JSON.stringify(schema.const)
  if (choices !== undefined) return choices.map((each) => JSON.stringify(each)).join(" | ")
  return toPlainType(schema, style)
}

function toPlainType(schema: Schema, style: Style): string {
  const { items, properties, type } = schema
  switch (type) {
    case "array":
      return `readonly (${toType(items ?? {}, style)})[]`
    case "object":
      return properties === undefined ? assert.fail("any members") : toObject(schema, style)
    case "integer":
    case "number":
      return "number"
    case "string":
    case "boolean":
    case "null":
      return type
    case undefined:
    default:
      throw new Error(`no type is known for ${JSON.stringify(schema)}`)
  }
}

function toObject({ properties = {}, required = [] }: Schema, style: Style): string {
  const members = Object.entries(properties).map(([name, schema]) => {
    const isRequired = required.includes(name)
    const absent = !isRequired && style.isRequest ? " | undefined" : ""
    const mark = isRequired ? "" : "?"
    return `${toComment(schema)}readonly ${name}${mark}: ${toType(schema, style)}${absent}\n`
  })
  return `{\n${members.join("")}}`
}

/** What a type can't say: the description, bounds and default. */
function toComment(schema: Schema): string {
  const words = [
    schema.description ?? schema.items?.description ?? "",
    toBounds(schema.minimum, schema.maximum, ""),
    toBounds(schema.minLength, schema.maxLength, " characters"),
    toBounds(schema.minItems, schema.maxItems, " items"),
    schema.default === undefined ? "" : `Default \`${JSON.stringify(schema.default)}\`.`,
  ].filter((each) => each !== "")
  return words.length === 0 ? "" : `/** ${words.join(" ")} */\n`
}

function toBounds(least: number | undefined, most: number | undefined, unit: string): string {
  if (most !== undefined) {
    return least === undefined ? `At most ${most}${unit}.` : `${least} to ${most}${unit}.`
  }
  // That a count is not negative says nothing to a reader.
  return least === undefined || least === 0 ? "" : `At least ${least}${unit}.`
}

async function format(path: string, text: string): Promise<string> {
  const oxfmt = join(ROOT, "node_modules/oxfmt/bin/oxfmt")
  const words = [oxfmt, `--stdin-filepath=${path}`]
  const child = spawn(process.execPath, words, { cwd: ROOT, stdio: ["pipe", "pipe", "inherit"] })
  child.stdin.end(text.trimStart())
  const formatted = await readText(child.stdout)
  assert.ok(formatted.length > 0, "oxfmt left nothing")
  return formatted
}
