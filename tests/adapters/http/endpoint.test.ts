/**
 * What a declaration allows its handler, held by the compiler: each line that must not compile says so,
 * and the tests' types fail where it does. And that no endpoint refuses past its declaration.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import * as v from "valibot"
import { defineBody } from "../../../adapters/http/src/bodies/body.ts"
import { defineEndpoint } from "../../../adapters/http/src/pipeline/endpoint.ts"
import { ENDPOINTS } from "../../../adapters/http/src/endpoints/endpoints.ts"
import { textHeader } from "../../../adapters/http/src/request/header-parameters.ts"
import { TASK_ID } from "../../../adapters/http/src/request/path-parameters.ts"
import { integer, moment } from "../../../adapters/http/src/request/query-parameters.ts"
import { findFiles, findSpecifiers, read } from "../../architecture/workspaces.ts"
import { createWorld } from "./worlds.ts"

const thing = defineBody("Thing", { name: "a" }, { name: v.string() })

/** Never called: it is here to be compiled. */
const declared = defineEndpoint({
  method: "GET",
  path: "/v1/things/:task",
  key: { scopes: ["tasks:read"], rate: "read" },
  inPath: { task: TASK_ID },
  query: {
    wait: integer("Seconds.", { min: 0, max: 60, byDefault: 0 }),
    after: moment("A moment."),
  },
  headers: { "If-Match": textHeader("A tag.") },
  answers: { 200: { description: "A thing.", json: thing } },
  refusals: ["task_not_found"],
}).handle(() => (call) => {
  const [wait, after]: [number, number | undefined] = [call.query.wait, call.query.after]
  const [account, tag]: [string, string | null] = [call.caller.id, call.sent["If-Match"]]
  if (after === wait) throw call.refuse("task_not_found")
  // @ts-expect-error -- it is in the table of errors, and not declared
  if (account === tag) throw call.refuse("artifact_not_found")
  // @ts-expect-error -- an answer that is not declared
  if (tag === null) return call.reply(201, { name: account })
  // @ts-expect-error -- a body of another shape
  if (tag === "*") return call.reply(200, { name: wait })
  // @ts-expect-error -- a text that nobody has said to be such a body
  if (tag === "") return call.reply(200, "{}")
  // @ts-expect-error -- a parameter that is not declared
  void call.query.limit
  // @ts-expect-error -- a body that is not declared
  void call.body()
  return call.reply(200, { name: account })
})

const open = defineEndpoint({
  method: "GET",
  path: "/v1/open/:thing",
  // @ts-expect-error -- the path has a part that is not described
  inPath: {},
  answers: { 200: { description: "A thing." } },
  refusals: [],
}).handle(() => (call) => {
  // @ts-expect-error -- nobody was asked for a key
  void call.caller.id
  return call.reply(200, "{}")
})

describe("an endpoint", () => {
  it("is what was declared", () => {
    assert.equal(declared.path, "/v1/things/:task")
    assert.equal(open.key, undefined)
  })

  it("is declared once for each method of a path", () => {
    const names = ENDPOINTS.map(({ method, path }) => `${method} ${path}`)
    assert.deepEqual([...new Set(names)], names)
  })

  it("has a path that one regular expression can find among all others", async () => {
    await using world = await createWorld("in process")
    await world.bare("/healthz")
    // Hono's other router is slower for every path.
    assert.equal(world.handler.app.router.name, "SmartRouter + RegExpRouter")
  })

  it("describes each part of its path, where it is described at all", () => {
    for (const { about, inPath, path } of ENDPOINTS) {
      const parts = Array.from(path.matchAll(/:(\w+)/g), ([, part]) => part)
      if (about !== undefined) assert.deepEqual(Object.keys(inPath ?? {}), parts, path)
    }
  })

  it("refuses by its declaration alone: nothing beside it makes refusals of any code", () => {
    const source = "adapters/http/src"
    const files = ["endpoints", "request", "content"].flatMap((folder) =>
      findFiles(`${source}/${folder}`, ".ts"),
    )
    assert.ok(files.length > 30, `${files.length} found`)
    const free = files.filter((path) => {
      const text = read(path)
      const takesRefusals = findSpecifiers(text).some((name) => name.endsWith("errors/refusal.ts"))
      return (
        takesRefusals &&
        /import \{[^}]*\b(?<!type )(?:Refusal|refuse)\b[^}]*\} from "[^"]*errors\/refusal/.test(
          text,
        )
      )
    })
    assert.deepEqual(free, [])
  })
})
