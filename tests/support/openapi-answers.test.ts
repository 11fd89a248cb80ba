/** The checker of answers against answers that do not fit, each wrong in one thing alone. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createAnswerChecker, type SeenAnswer } from "./openapi-answers.ts"
import type { ApiDocument } from "./openapi-document.ts"

const ID = "019b7a3c-5d1e-7f60-8a2b-3c4d5e6f7081"

const thing = {
  type: "object",
  required: ["id", "parts"],
  properties: {
    id: { type: "string", format: "uuid" },
    parts: { type: "array", items: { $ref: "#/components/schemas/Part" } },
  },
}
const part = {
  type: "object",
  required: ["size"],
  properties: { size: { type: "integer", minimum: 0 } },
}
const error = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["code"],
      properties: { code: { enum: ["gone", "lost", "broken"] } },
    },
  },
}

function toError(...codes: readonly string[]) {
  const narrowed = { properties: { error: { properties: { code: { enum: codes } } } } }
  const schema = { allOf: [{ $ref: "#/components/schemas/Error" }, narrowed] }
  return { description: "no", content: { "application/json": { schema } } }
}

const DOCUMENT: ApiDocument = {
  openapi: "3.1.1",
  paths: {
    "/things/{id}": {
      get: {
        operationId: "getThing",
        responses: {
          "200": {
            description: "it",
            headers: {
              Age: { required: true, schema: { type: "integer" } },
              ETag: { schema: { type: "string", pattern: '^".*"$' } as object },
            },
            content: {
              "application/json": { schema: { $ref: "#/components/schemas/Thing" } },
              "image/png": {},
            },
          },
          "410": toError("gone"),
        },
      },
      head: { operationId: "headThing", responses: { "200": { description: "it" } } },
    },
    "/healthz": {
      get: { operationId: "getLiveness", responses: { "414": toError("broken") } },
    },
  },
  components: {
    schemas: { Thing: thing, Part: part, Error: error },
    responses: { RouteNotFound: toError("lost"), MethodNotAllowed: toError("lost") },
  },
}

const checker = createAnswerChecker(DOCUMENT)

interface Seen extends Partial<Omit<SeenAnswer, "headers" | "text">> {
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

const FITTING = { id: ID, parts: [{ size: 1 }] }

/** A fitting answer but for what is said of it. */
function check({ headers = {}, body = FITTING, ...changes }: Seen) {
  const text = typeof body === "string" ? body : JSON.stringify(body)
  const all = { age: "3", "content-type": "application/json; charset=utf-8", ...headers }
  const seen = { method: "GET", target: "/things/1?a=b", status: 200, text, ...changes }
  return checker.check({ ...seen, headers: new Map(Object.entries(all)) })
}

function checkError(code: string, changes: Seen) {
  const headers = new Map([["content-type", "application/json"]])
  const seen = { method: "GET", target: "/things/1", status: 410, ...changes, headers }
  return checker.check({ ...seen, text: JSON.stringify({ error: { code } }) })
}

describe("an answer fits its description", () => {
  it("where it is as described, whatever is optional being there or not", () => {
    const fits = { path: "/things/{id}", code: "200" }
    assert.deepEqual(check({}), fits)
    assert.deepEqual(check({ headers: { etag: '"a"', date: "today" } }), fits)
    assert.deepEqual(check({ headers: { "content-type": "image/png" }, body: "bytes" }), fits)
    assert.equal(check({ target: "/th%69ngs/%2f" }).path, "/things/{id}")
    assert.equal(check({ target: "http://a.example/things/1" }).path, "/things/{id}")
  })

  it("where its code is one of the status", () => {
    assert.deepEqual(checkError("gone", {}), { path: "/things/{id}", code: "gone" })
  })

  it("where there is no such path or no such method, and it says so", () => {
    assert.deepEqual(checkError("lost", { target: "/none", status: 404 }).path, undefined)
    assert.equal(checkError("lost", { method: "PUT", status: 405 }).code, "lost")
    assert.equal(checkError("broken", { target: "/none", status: 414 }).code, "broken")
  })
})

const MISFITS: readonly [name: string, seen: Seen, message: RegExp][] = [
  ["the status", { status: 201 }, /GET \/things\/\{id\} 201 is not described/],
  ["the method", { method: "POST" }, /POST \/things\/\{id\} 200 is not described/],
  ["the path", { target: "/things" }, /GET \/things 200 is not described/],
  ["a header", { headers: { "x-new": "1" } }, /headers that are not described/],
  ["a header's form", { headers: { etag: "a" } }, /ETag: .* pattern/],
  ["a header's number", { headers: { age: "3.5" } }, /Age: .* integer/],
  ["the type", { headers: { "content-type": "text/html" } }, /text\/html is not described/],
  ["a member", { body: { ...FITTING, more: 1 } }, /additional properties/],
  ["a member further in", { body: { id: ID, parts: [{ size: 1, more: 1 }] } }, /parts\/0 must NOT/],
  ["a member's absence", { body: { id: ID } }, /required property 'parts'/],
  ["a member's value", { body: { id: ID, parts: [{ size: -1 }] } }, />= 0/],
  ["a member's form", { body: { id: "1", parts: [] } }, /format "uuid"/],
]

describe("an answer does not fit, and the failure says why,", () => {
  for (const [name, seen, message] of MISFITS) {
    it(`where ${name} is not described`, () => {
      assert.throws(() => check(seen), { name: "AssertionError", message })
    })
  }

  it("where a header that is required is not there", () => {
    const headers = new Map([["content-type", "application/json"]])
    const seen = { method: "GET", target: "/things/1", status: 200, headers, text: "{}" }
    assert.throws(() => checker.check(seen), /200 lacks Age/)
  })

  it("where the code is another status's, or another path's", () => {
    for (const [code, seen] of [
      ["lost", {}],
      ["gone", { target: "/none", status: 404 }],
      ["broken", { method: "PUT", status: 405 }],
    ] as const) {
      assert.throws(() => checkError(code, seen), /allowed values/)
    }
  })

  it("where HEAD has a body", () => {
    const seen = { method: "HEAD", target: "/things/1", status: 200, headers: new Map() }
    assert.equal(checker.check({ ...seen, text: "" }).code, "200")
    assert.throws(() => checker.check({ ...seen, text: "x" }), /has a body/)
  })

  it("where OPTIONS names other methods", () => {
    const seen = { method: "OPTIONS", target: "/things/1", status: 204, text: "" }
    const headers = new Map([["allow", "GET, HEAD, OPTIONS"]])
    assert.equal(checker.check({ ...seen, headers }).code, "204")
    const more = new Map([["allow", "GET, HEAD, PUT, OPTIONS"]])
    assert.throws(() => checker.check({ ...seen, headers: more }))
  })
})
