/**
 * Holds answers to the OpenAPI document of the service that gave them: status, headers, media type
 * and body. It is stricter than a client may be: what the document does not name, in a body or in
 * a header, fails too, so nothing is answered that nobody described.
 */
import assert from "node:assert/strict"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import {
  createAnswerFinder,
  toPointer,
  type ApiDocument,
  type DescribedAnswer,
  type DescribedHeader,
} from "./openapi-document.ts"

export interface SeenAnswer {
  readonly method: string
  /** As in a request line: path and query. */
  readonly target: string
  readonly status: number
  /** Lower-case names. */
  readonly headers: ReadonlyMap<string, string>
  /** Undefined where the bytes are no text, or still on their way. */
  readonly text: string | undefined
}

export interface CheckedAnswer {
  /** The path as the document names it; undefined where it has no such path. */
  readonly path: string | undefined
  /** The error's code, or the status of an answer that is no error or has no body. */
  readonly code: string
}

/** Both throw an assertion error that says where what does not fit. */
export interface AnswerChecker {
  check(answer: SeenAnswer): CheckedAnswer
  /** A value by the schema that `steps` lead to in the document. */
  checkValue(steps: readonly string[], value: unknown, where: string): void
}

/** Not told by OpenAPI, or the connection's own. A length is described where one may rely on it. */
const UNDESCRIBED = [
  "connection",
  "content-length",
  "content-type",
  "date",
  "keep-alive",
  "transfer-encoding",
]

const ID = "openapi.json"

export function createAnswerChecker(document: ApiDocument): AnswerChecker {
  const finder = createAnswerFinder(document)
  const validators = new Map<string, ValidateFunction>()
  const ajv = new Ajv2020({
    strictTypes: false,
    formats: { uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, uri: URL.canParse },
  })
  // The whole document is added, for its references to find their ends.
  ajv.addVocabulary([...Object.keys(document), "discriminator"])
  ajv.addSchema(closeSchemas(document), ID)

  /** The schema at `pointer`, compiled when it is first asked for. */
  function validate(pointer: string, value: unknown, where: string): void {
    let validator = validators.get(pointer)
    if (validator === undefined) {
      validator = ajv.compile({ $ref: `${ID}${pointer}` })
      validators.set(pointer, validator)
    }
    assert.ok(validator(value), `${where}: ${ajv.errorsText(validator.errors)}`)
  }

  function checkHeaders(
    { headers: described = {} }: DescribedAnswer,
    { headers }: SeenAnswer,
    { pointer, where }: Place,
  ): void {
    const known = new Set(UNDESCRIBED)
    for (const [name, header] of Object.entries(described)) {
      known.add(name.toLowerCase())
      const text = headers.get(name.toLowerCase())
      assert.ok(text !== undefined || header.required !== true, `${where} lacks ${name}`)
      if (text === undefined) continue
      const schema = `${pointer}${toPointer(["headers", name, "schema"]).slice(1)}`
      validate(schema, toHeaderValue(header, text), `${where} ${name}`)
    }
    const strangers = [...headers.keys()].filter((name) => !known.has(name))
    assert.deepEqual(strangers, [], `${where} has headers that are not described`)
  }

  /** Returns the code of an error. */
  function checkBody(
    { content = {} }: DescribedAnswer,
    { headers, text }: SeenAnswer,
    { pointer, where }: Place,
  ): string | undefined {
    const type = headers.get("content-type")?.replace(/;.*$/, "").trim().toLowerCase() ?? "none"
    const media = content[type]
    assert.ok(media !== undefined, `${where}: the type ${type} is not described`)
    if (media.schema === undefined || text === undefined) return undefined
    const value = JSON.parse(text) as { readonly error?: { readonly code?: string } | null }
    validate(`${pointer}${toPointer(["content", type, "schema"]).slice(1)}`, value, where)
    return value.error?.code
  }

  return {
    checkValue: (steps, value, where) => validate(toPointer(steps), value, where),
    check(answer) {
      const { method, target, status, text } = answer
      const methods = finder.findMethods(target)
      if (method === "OPTIONS" && methods !== undefined && status < 300) {
        return checkOptions(answer, methods)
      }
      const { path, described, pointer } = finder.find(method, target, status)
      const place = { pointer, where: `${method} ${path ?? "elsewhere"} ${status}` }
      checkHeaders(described, answer, place)
      if (method === "HEAD" || status === 204 || status === 304) {
        assert.equal(text ?? "", "", `${place.where} has a body`)
        return { path, code: `${status}` }
      }
      return { path, code: checkBody(described, answer, place) ?? `${status}` }
    },
  }
}

interface Place {
  readonly pointer: string
  readonly where: string
}

/** The document tells of OPTIONS in words: 204 and `Allow`. */
function checkOptions(answer: SeenAnswer, methods: readonly string[]): CheckedAnswer {
  const allowed = answer.headers.get("allow")?.split(", ") ?? []
  const described = [...methods.map((name) => name.toUpperCase()), "OPTIONS"]
  assert.deepEqual(allowed.toSorted(), described.toSorted(), `OPTIONS ${answer.target}`)
  assert.deepEqual([answer.status, answer.text ?? ""], [204, ""], `OPTIONS ${answer.target}`)
  return { path: answer.target, code: "204" }
}

/** A header is text; what its schema calls an integer is read as one where it is one. */
function toHeaderValue({ schema }: DescribedHeader, text: string): string | number {
  return schema.type === "integer" && /^\d+$/.test(text) ? Number(text) : text
}

/**
 * The component schemas with nothing but their described members. Schemas that stand in an
 * operation narrow one of these, so they are left open.
 */
function closeSchemas({ components, ...document }: ApiDocument): object {
  const schemas = close(components["schemas"] ?? {})
  return { ...document, components: { ...components, schemas } }
}

function close(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(close)
  if (typeof part !== "object" || part === null) return part
  const closed = Object.fromEntries(Object.entries(part).map(([name, own]) => [name, close(own)]))
  const isOpen = closed["type"] === "object" && closed["additionalProperties"] === undefined
  return isOpen ? { ...closed, additionalProperties: false } : closed
}
