/** Labels over HTTP: the header of a creation as a list, the filters of list and usage, and where they are read. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { Labels } from "@safelight/core"
import { creation, createWorld, WORLDS, type World } from "./worlds.ts"

const READ: readonly (readonly [sent: string, labels: Labels])[] = [
  ["project=spring", { project: "spring" }],
  ["project=spring,team=a", { project: "spring", team: "a" }],
  [" project=Spring campaign ,\tteam=a ", { project: "Spring campaign", team: "a" }],
  [", ,project=spring,,", { project: "spring" }],
  ['name="Dupont, Paris", team=a', { name: "Dupont, Paris", team: "a" }],
  [String.raw`q="\"a\" \\ \b"`, { q: String.raw`"a" \ b` }],
  ['edge=" a "', { edge: " a " }],
  ['empty=, also=""', { empty: "", also: "" }],
  ["a.b-c_1=x=y", { "a.b-c_1": "x=y" }],
  ["constructor=x", { constructor: "x" }],
  [`${"k".repeat(40)}=${"v".repeat(200)}`, { ["k".repeat(40)]: "v".repeat(200) }],
]

const REFUSED: readonly (readonly [sent: string, words: RegExp])[] = [
  ["project", /key=value/],
  ["=spring", /key is 1 to 40/],
  ["Project=spring", /key is 1 to 40/],
  ["__proto__=x", /key is 1 to 40/],
  [`${"k".repeat(41)}=x`, /key is 1 to 40/],
  [`k=${"v".repeat(201)}`, /value of label k is up to 200/],
  ["k=é", /value of label k/],
  ["k=a,k=b", /key k stands twice/],
  ['k="a', /quote/],
  ['k=a"b"', /quote/],
  ['k="a""b"', /quote/],
  ['"k"=a', /quote/],
  [Array.from({ length: 11 }, (_, index) => `k${index}=`).join(), /at most 10/],
]

for (const kind of WORLDS) {
  describe(`labels of a creation, ${kind}`, () => {
    it("are what the header lists, once or several times", async () => {
      await using world = await open(kind)
      for (const [sent, labels] of READ) {
        const id = await create(world, [["Safelight-Label", sent]])
        assert.deepEqual(await readLabels(world, id), labels, sent)
      }
      const id = await create(world, [
        ["Safelight-Label", "project=spring"],
        ["safelight-label", 'team="a, b"'],
      ])
      assert.deepEqual(await readLabels(world, id), { project: "spring", team: "a, b" })
    })

    it("that make no sense refuse it before its body is read", async () => {
      await using world = await open(kind)
      for (const [sent, words] of REFUSED) {
        const call = creation("{")
        const headers = { ...call.headers, "safelight-label": sent }
        const response = await world.call("/v1/tasks", { ...call, headers })
        const { error } = (await response.json()) as { error: Record<string, string> }
        assert.deepEqual([response.status, error["code"]], [400, "invalid_label"], sent)
        assert.match(String(error["message"]), words, sent)
      }
      assert.deepEqual(world.fake.requests, [])
    })
  })
}

describe("labels", () => {
  it("are asked of the service only if some were sent, and are in no task's body", async () => {
    await using world = await open()
    await create(world, [])
    await create(world, [["Safelight-Label", " , "]])
    const id = await create(world, [["Safelight-Label", "project=spring"]])
    assert.deepEqual(
      world.fake.requests.map(({ labels }) => labels),
      [undefined, undefined, { project: "spring" }],
    )
    const task = (await (await world.call(`/v1/tasks/${id}`)).json()) as object
    assert.ok(!JSON.stringify(task).includes("spring"))
    assert.equal((await world.call(`/v1/tasks/${id}`)).headers.get("safelight-label"), null)
  })

  it("are no part of what an idempotency key stands for", async () => {
    await using world = await open()
    const key: Header = ["Idempotency-Key", "order-7"]
    const first = await create(world, [key, ["Safelight-Label", "project=spring"]])
    const second = await create(world, [key, ["Safelight-Label", "project=autumn"]])
    assert.equal(second, first)
    assert.deepEqual(await readLabels(world, first), { project: "spring" })
  })

  for (const [path, seen] of [
    ["/v1/tasks", "listed"],
    ["/v1/usage", "summed"],
  ] as const) {
    it(`filter ${path}, all of those that are named`, async () => {
      await using world = await open()
      await world.call(path)
      await world.call(`${path}?label=project=spring&label=team%3Da%2C%20b`)
      assert.deepEqual(
        world.fake[seen].map(({ labels }) => labels),
        [undefined, { project: "spring", team: "a, b" }],
      )
      const many = Array.from({ length: 11 }, (_, index) => `label=k${index}=`).join("&")
      for (const query of ["label=", "label=k", "label==v", "label=k=1&label=k=2", many]) {
        const response = await world.call(`${path}?${query}`)
        const { error } = (await response.json()) as { error: Record<string, string> }
        assert.deepEqual([error["code"], error["param"]], ["invalid_value", "label"], query)
      }
      assert.equal(world.fake[seen].length, 2)
    })
  }
})

type Header = readonly [name: string, value: string]

async function open(kind: (typeof WORLDS)[number] = "in process") {
  const world = await createWorld(kind)
  return { ...world, [Symbol.asyncDispose]: world.close }
}

async function create(world: World, sent: readonly Header[]): Promise<string> {
  const response = await world.call("/v1/tasks", { ...creation(), repeated: sent })
  assert.equal(response.status, 202, await response.clone().text())
  return ((await response.json()) as { task_id: string }).task_id
}

async function readLabels(world: World, id: string): Promise<unknown> {
  const response = await world.call(`/v1/tasks/${id}/usage`)
  return ((await response.json()) as { labels: unknown }).labels
}
