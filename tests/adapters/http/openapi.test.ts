/**
 * The document against the service itself: what is described is answered, all of it. That whatever
 * is answered is described is checked at every call of a world, in all tests.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { MODELS, textToImage, type Model } from "@safelight/core"
import { ERROR_CODES } from "@safelight/http"
import { DOCS_FILES } from "../../../adapters/http/src/openapi/docs-files.ts"
import { createApiDocument } from "../../../adapters/http/src/openapi/document.ts"
import { createKeptFile } from "../../../adapters/http/src/openapi/kept-file.ts"
import { checkResponse } from "../../support/openapi-response.ts"
import { BODY_BYTES, STREAMS, toEveryCall, toUnsignedCalls } from "./every-call.ts"
import { checker, createWorld, DOCUMENT, WORLDS, type World } from "./worlds.ts"

interface Described {
  readonly description: string
  readonly headers: Record<string, { readonly required?: boolean; readonly schema: Schema }>
  readonly content?: Record<string, { readonly schema?: Schema; readonly examples?: object }>
}

interface Schema {
  readonly [keyword: string]: unknown
  readonly const?: string
  readonly default?: string | number | boolean
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly pattern?: string
  readonly properties?: Record<string, Schema>
  readonly items?: Schema
  readonly allOf?: readonly Schema[]
}

interface OperationPart {
  readonly operationId: string
  readonly security: readonly object[]
  readonly parameters: readonly {
    readonly name: string
    readonly in: string
    readonly schema: Schema
  }[]
  readonly responses: Record<string, Described>
}

interface Document {
  readonly openapi: string
  readonly paths: Record<string, Record<string, OperationPart>>
  readonly components: Record<string, Record<string, Record<string, unknown>>>
}

const document = DOCUMENT as unknown as Document
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
)

describe("the document", () => {
  it("is OpenAPI 3.1 with distinct operation ids", () => {
    assert.match(document.openapi, /^3\.1\.\d+$/)
    const ids = operations.map(({ operation }) => operation.operationId)
    assert.deepEqual([...new Set(ids)], ids)
  })

  it("describes exactly the handler's paths and methods", async () => {
    await using world = await open("in process")
    const routes = world.handler.app.routes.map(({ path }) => path)
    assert.deepEqual(
      routes.map((path) => path.replaceAll(/:\w+(?:\{.+\})?/g, "{}")).toSorted(),
      Object.keys(document.paths)
        .map((path) => path.replaceAll(/\{\w+\}/g, "{}"))
        .toSorted(),
    )
    for (const [path, item] of Object.entries(document.paths)) {
      const response = await world.bare(path.replaceAll(/[{}]/g, "x"), { method: "OPTIONS" })
      const described = Object.keys(item).map((method) => method.toUpperCase())
      const allowed = response.headers.get("allow")?.split(", ") ?? []
      assert.deepEqual([...described, "OPTIONS"].toSorted(), allowed.toSorted(), path)
    }
  })

  it("declares the parameters that its paths name", () => {
    for (const { path, operation } of operations) {
      const named = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name)
      const declared = operation.parameters.filter((each) => each.in === "path")
      assert.deepEqual(
        declared.map(({ name }) => name),
        named,
        path,
      )
    }
  })

  it("has something at the end of every reference", () => {
    const references = findReferences(document)
    assert.ok(references.length > 100, `${references.length} found`)
    for (const reference of references) assert.ok(resolve(reference), reference)
  })

  it("gives names to models that a component may have, different for different ids", () => {
    const ids = ["a/b c", "a.b_c", "a/b_20_c", "a__b_20_c", "ü"]
    const models = ids.map((id): Model => ({ ...textToImage, id }))
    const all = Object.keys(document.components["schemas"] ?? {})
    const names = Object.keys(createApiDocument(models).components["schemas"] ?? {})
    for (const name of names) assert.match(name, /^[\w.-]+$/)
    assert.equal(names.length, all.length - MODELS.length + ids.length)
  })

  it("says where models are described in place of more than fifty, and stays as large as it is", () => {
    const make = (count: number) =>
      createApiDocument(
        Array.from({ length: count }, (_, index) => ({ ...textToImage, id: `acme/m${index}` })),
      )
    const schemaOf = (made: ReturnType<typeof make>) =>
      made.components["schemas"]?.["CreationRequest"]
    assert.equal((schemaOf(make(50)) as { oneOf: unknown[] }).oneOf.length, 50)
    const [some, many] = [make(51), make(1_000)]
    assert.deepEqual(Object.keys((schemaOf(some) as Schema).properties ?? {}), [
      "model",
      "parameters",
    ])
    assert.match(JSON.stringify(schemaOf(many)), /GET \/v1\/models\/\{model_id\}/)
    assert.equal(JSON.stringify(many).includes("acme/m1"), false)
    const references = JSON.stringify(many).matchAll(/"\$ref":"#([^"]+)"/g)
    for (const [, path = ""] of references) {
      const found = path
        .split("/")
        .slice(1)
        .reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], many)
      assert.ok(found, path)
    }
    assert.ok(JSON.stringify(many).length < JSON.stringify(document).length)
  })
})

describe("the described request", () => {
  const creationSchema = document.components["schemas"]?.["CreationRequest"] as {
    readonly oneOf: readonly { readonly $ref: string }[]
    readonly discriminator: { readonly mapping: Record<string, string> }
  }

  function parametersOf(id: string): Schema {
    const found = resolve(creationSchema.discriminator.mapping[id] ?? "") as Schema | undefined
    assert.deepEqual(found?.properties?.["model"], { const: id })
    assert.equal(found["additionalProperties"], false)
    return found.properties["parameters"] ?? {}
  }

  it("is one of the models' shapes, told apart by the model", () => {
    assert.deepEqual(
      Object.keys(creationSchema.discriminator.mapping),
      MODELS.map(({ id }) => id),
    )
    assert.deepEqual(
      creationSchema.oneOf.map(({ $ref }) => $ref),
      Object.values(creationSchema.discriminator.mapping),
    )
  })

  it("holds the bounds, the defaults and the closed objects of text to image", () => {
    const component = { type: "integer", minimum: 0, maximum: 255, default: 0 }
    const colour = {
      type: "object",
      properties: { r: component, g: component, b: component },
      required: [],
      additionalProperties: false,
    }
    const { size, ...others } = parametersOf("vendor-a/v4.1/flash/text-to-image").properties ?? {}
    assert.deepEqual([size?.["default"], size?.enum?.length], ["square_hd", 6])
    assert.deepEqual(others, {
      prompt: { type: "string", minLength: 1, maxLength: 10_000 },
      background_color: colour,
      enable_safety_checker: { type: "boolean", default: true },
      colors: { type: "array", items: colour, default: [] },
    })
  })

  it("requires what each model requires", () => {
    const required = MODELS.map(({ id }) => parametersOf(id)["required"])
    assert.deepEqual(required, [["prompt"], ["image_urls", "prompt"], []])
    for (const { id } of MODELS) assert.equal(parametersOf(id)["additionalProperties"], false)
  })

  it("takes the data URLs that the model takes, by the kind of media", () => {
    const { properties = {} } = parametersOf("vendor-c/video-2.5/reference-to-video")
    const model = MODELS.find(({ id }) => id.startsWith("vendor-c/"))
    const types = ["image/png", "video/webm", "audio/webm", "audio/wav", "text/html"]
    for (const name of ["image_urls", "video_urls", "audio_urls"]) {
      const { pattern } = properties[name]?.items ?? {}
      for (const url of [
        ...types.map((type) => `data:${type};base64,AAAA`),
        "HTTPS://media.example/a",
        "ftp://media.example/a",
        "",
      ]) {
        const isTaken = model?.check({ [name]: [url] }).kind === "valid"
        assert.equal(new RegExp(pattern ?? "^$", "u").test(url), isTaken, `${name}: ${url}`)
      }
    }
  })

  it("has an example for every model, which its schema and the model take", () => {
    const body = document.paths["/v1/tasks"]?.["post"] as unknown as {
      readonly requestBody: { readonly content: Record<string, { readonly examples: object }> }
    }
    const examples = Object.values(
      body.requestBody.content["application/json"]?.examples ?? {},
    ) as { readonly value: { readonly model: string; readonly parameters: unknown } }[]
    assert.equal(examples.length, MODELS.length)
    for (const { value } of examples) {
      checker.checkValue(["components", "schemas", "CreationRequest"], value, value.model)
      const model = MODELS.find(({ id }) => id === value.model)
      assert.equal(model?.check(value.parameters).kind, "valid", value.model)
    }
  })
})

describe("the described query", () => {
  it("has the bounds and the statuses that the list takes", async () => {
    await using world = await open("in process")
    const { parameters = [] } = document.paths["/v1/tasks"]?.["get"] ?? {}
    for (const { name, schema } of parameters) {
      const { minimum = NaN, maximum = NaN, default: usual, enum: choices } = schema
      const taken = [minimum, maximum, usual, ...(choices ?? [])]
      const refused = [minimum - 1, maximum + 1, choices && "other"]
      for (const [status, values] of [
        [200, taken],
        [400, refused],
      ] as const) {
        for (const value of values.filter((each) => each !== undefined && !Number.isNaN(each))) {
          const response = await world.call(`/v1/tasks?${name}=${value}`)
          assert.equal(response.status, status, `${name}=${value}`)
        }
      }
    }
    const names = parameters.map(({ name }) => name)
    assert.deepEqual(names, [
      "created_after",
      "created_before",
      "status",
      "model",
      "label",
      "limit",
      "cursor",
      "include",
    ])
  })
})

describe("the described answers", () => {
  it("have examples that are as their schemas say", () => {
    let count = 0
    for (const { path, method, operation } of operations) {
      for (const [status, { content = {} }] of Object.entries(operation.responses)) {
        for (const [type, { examples = {} }] of Object.entries(content)) {
          const steps = ["paths", path, method, "responses", status, "content", type, "schema"]
          for (const reference of findReferences(examples)) {
            const { value } = resolve(reference) as { value: unknown }
            checker.checkValue(steps, value, `${method} ${path} ${status} ${reference}`)
            count += 1
          }
        }
      }
    }
    assert.ok(count > 100, `${count} found`)
  })

  it("have no body where the method is HEAD or the status 304", () => {
    for (const { path, method, operation } of operations) {
      for (const [status, { content }] of Object.entries(operation.responses)) {
        if (method !== "head" && status !== "304") continue
        assert.equal(content, undefined, `${method} ${path} ${status}`)
      }
    }
  })

  it("name every code of the error table", () => {
    const responses = [
      ...operations.flatMap(({ operation }) => Object.values(operation.responses)),
      ...Object.values(document.components["responses"] as unknown as Record<string, Described>),
    ]
    const named = responses.flatMap(
      ({ content }) => findCodes(content?.["application/json"]?.schema) ?? [],
    )
    assert.deepEqual(new Set(named), new Set(ERROR_CODES))
  })

  for (const kind of WORLDS) {
    it(`are what is answered, and all of it, ${kind}`, async () => {
      let isReady = true
      await using world = await open(kind, {
        settings: {
          bodyBytes: BODY_BYTES,
          callbackBytes: BODY_BYTES,
          streamsOfAccount: STREAMS,
        },
        checkReady: () => (isReady ? Promise.resolve() : Promise.reject(new Error("not yet"))),
      })
      const seen = new Set<string>()
      const presence = new Set<string>()
      /** A stream whose answer nobody holds any more is closed. */
      const held: Response[] = []
      async function look(path: string, method: string, response: Response): Promise<void> {
        held.push(response)
        const described = findDescribed(path, method, response)
        for (const name of Object.keys(described.headers)) {
          const isThere = response.headers.has(name) ? "with" : "without"
          presence.add(`${method.toLowerCase()} ${path} ${response.status} ${isThere} ${name}`)
        }
        const { code } = await checkResponse(checker, { method, target: path }, response)
        seen.add(`${method.toLowerCase()} ${path} ${code}`)
      }
      for (const { path, method, send } of toEveryCall(world)) {
        await look(path, method, await send())
      }
      await using unsigned = await open(kind, { hasProofs: false })
      for (const { path, method, send } of toUnsignedCalls(unsigned)) {
        await look(path, method, await send())
      }
      isReady = false
      for (const method of ["GET", "HEAD"]) {
        await look("/readyz", method, await world.bare("/readyz", { method }))
      }
      const described = operations
        .filter(({ method }) => method !== "head")
        .flatMap(({ path, method, operation }) =>
          Object.entries(operation.responses).flatMap(([status, { content }]) => {
            const codes = findCodes(content?.["application/json"]?.schema) ?? [status]
            return codes.map((code) => `${method} ${path} ${code}`)
          }),
        )
        .filter((line) => !NOT_ASKED_FOR.some((end) => line.endsWith(end)))
      assert.deepEqual(
        described.filter((line) => !seen.has(line)),
        [],
        "described and never answered",
      )
      const optional = operations.flatMap(({ path, method, operation }) =>
        Object.entries(operation.responses).flatMap(([status, { headers }]) =>
          Object.keys(headers)
            .filter((name) => headers[name]?.required !== true)
            .map((name) => [`${method} ${path} ${status}`, name] as const),
        ),
      )
      for (const [answer, name] of optional) {
        for (const isThere of FAILS_UNCOUNTED.test(answer) ? ["without"] : ["with", "without"]) {
          assert.ok(presence.has(`${answer} ${isThere} ${name}`), `${answer} ${isThere} ${name}`)
        }
      }
    })
  }
})

/** What asks for nothing but the key fails, if at all, before the request is counted against a rate. */
const FAILS_UNCOUNTED = /^(?:get|head) \/v1\/me 5/

/** Ends of the lines that are described and not asked for here. */
const NOT_ASKED_FOR = [
  // What the Node server answers to bytes that are no request; node-server.test.ts sends them.
  " malformed_request",
  " request_timeout",
  " headers_too_large",
  // A body that a host's own middleware has read before; tasks.test.ts has one.
  "/callback/{key} invalid_json",
  // A file of the page that can't be read is a fault of the installation.
  "/docs/{file} internal_error",
]

function findDescribed(path: string, method: string, { status }: Response): Described {
  const described = document.paths[path]?.[method.toLowerCase()]?.responses[String(status)]
  assert.ok(described !== undefined, `${method} ${path} ${status} is not described`)
  return described
}

/** The codes that an error's schema allows; undefined for a schema of something else. */
function findCodes(schema: Schema | undefined): readonly string[] | undefined {
  const [, narrowed] = schema?.allOf ?? []
  const code = narrowed?.properties?.["error"]?.properties?.["code"]
  return code?.enum
}

function findReferences(part: unknown): string[] {
  if (typeof part !== "object" || part === null) return []
  return Object.entries(part).flatMap(([name, value]) =>
    name === "$ref" && typeof value === "string" ? [value] : findReferences(value),
  )
}

function resolve(reference: string): unknown {
  const steps = reference.replace(/^#\//, "").split("/")
  return steps.reduce<unknown>(
    (part, step) => (part as Record<string, unknown> | undefined)?.[step],
    document,
  )
}

for (const kind of WORLDS) {
  describe(`the reference, ${kind}`, () => {
    it("is there for everybody, by GET and by HEAD", async () => {
      await using world = await open(kind)
      const names = DOCS_FILES.map(({ name }) => `/docs/${name}`)
      for (const path of ["/openapi.json", "/docs", ...names]) {
        const headers = { "accept-encoding": "identity" }
        const [get, head] = await Promise.all([
          world.bare(path, { headers }),
          world.bare(path, { method: "HEAD", headers }),
        ])
        const body = new Uint8Array(await get.arrayBuffer())
        assert.deepEqual([get.status, head.status], [200, 200], path)
        assert.equal(head.headers.get("content-length"), String(body.length), path)
        assert.equal(head.headers.get("etag"), get.headers.get("etag"), path)
        assert.equal(head.headers.get("x-content-type-options"), "nosniff", path)
      }
      assert.equal(world.keys.lookups(), 0)
    })

    it("is the document itself", async () => {
      await using world = await open(kind)
      const response = await world.bare("/openapi.json")
      assert.deepEqual(await response.json(), document)
    })

    it("is not sent again to who has it", async () => {
      await using world = await open(kind)
      for (const path of ["/openapi.json", "/docs", "/docs/swagger-ui.css"]) {
        const first = await world.bare(path)
        await first.arrayBuffer()
        const headers = { "if-none-match": first.headers.get("etag") ?? "" }
        assert.equal((await world.bare(path, { headers })).status, 304, path)
        const other = await world.bare(path, { headers: { "if-none-match": '"other"' } })
        await other.arrayBuffer()
        assert.equal(other.status, 200, path)
      }
    })

    it("asks for its own files only, and runs no script that stands in the page", async () => {
      await using world = await open(kind)
      const response = await world.bare("/docs")
      const page = await response.text()
      const policy = response.headers.get("content-security-policy") ?? ""
      assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/)
      assert.doesNotMatch(policy, /unsafe|https?:|\*/)
      const linked = Array.from(page.matchAll(/(?:src|href)="docs\/([^"]+)"/g), ([, name]) => name)
      assert.deepEqual(new Set(linked), new Set(DOCS_FILES.map(({ name }) => name)))
      assert.doesNotMatch(page, /<script(?![^>]* src=)|style=|\bon\w+=|https?:/)
      const start = await (await world.bare("/docs/start.js")).text()
      assert.match(start, /validatorUrl: null/)
      assert.doesNotMatch(start, /https?:/)
    })

    for (const name of ["package.json", "..%2fpackage.json", "%2e%2e%2f%2e%2e%2fpackage.json"]) {
      it(`has no file ${name}`, async () => {
        await using world = await open(kind)
        const response = await world.bare(`/docs/${name}`)
        const { error } = (await response.json()) as { error: { code: string } }
        assert.deepEqual([response.status, error.code], [404, "route_not_found"])
      })
    }
  })
}

describe("a kept file", () => {
  const exchange = {
    request: new Request("http://inner.example/"),
    method: "GET",
    requestId: "req_1",
    startedAt: 0,
    host: undefined,
    threads: undefined,
    headers: {},
    param: () => "",
    report: { identity: undefined, task: undefined, waitedMs: 0, transfer: undefined },
  }

  it("is read when it is first asked for, and once", async () => {
    let reads = 0
    const answer = createKeptFile({
      type: "text/plain",
      read: async () => new Uint8Array([65, (reads += 1)]),
    })
    assert.equal(reads, 0)
    await Promise.all([answer(exchange), answer(exchange)])
    await answer(exchange)
    assert.equal(reads, 1)
  })

  it("is read again after it could not be", async () => {
    let reads = 0
    const answer = createKeptFile({
      type: "text/plain",
      async read() {
        reads += 1
        if (reads === 1) throw new Error("not mounted")
        return new Uint8Array([65])
      },
    })
    await assert.rejects(answer(exchange), /not mounted/)
    assert.equal(await (await answer(exchange)).text(), "A")
  })
})

async function open(
  kind: (typeof WORLDS)[number],
  options?: Parameters<typeof createWorld>[1],
): Promise<World & AsyncDisposable> {
  const world = await createWorld(kind, options)
  return { ...world, [Symbol.asyncDispose]: () => world.close() }
}
