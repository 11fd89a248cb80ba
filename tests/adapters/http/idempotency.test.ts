/** `Idempotency-Key`: which keys there are, what makes two requests the same, and what is told. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createRawClient } from "../../support/raw-client.ts"
import { outside } from "./fake-service.ts"
import { creation, createWorld, VALID, WORLDS, type World } from "./worlds.ts"

const TASKS = "/v1/tasks"

/** What is sent, and the key that it is; undefined where it is none. */
const KEYS: readonly (readonly [sent: string, key: string | undefined])[] = [
  ["a", "a"],
  ["8e03978e-40d5-43e8-bc93-6894a57f9324", "8e03978e-40d5-43e8-bc93-6894a57f9324"],
  ['"8e03978e"', "8e03978e"],
  ["  a b  ", "a b"],
  ['" a b "', " a b "],
  ['" "', " "],
  [String.raw`"a\"b\\c"`, String.raw`a"b\c`],
  [String.raw`a"b\c`, String.raw`a"b\c`],
  ["!#$%&'()*+,-./:;<=>?@[]^_`{|}~", "!#$%&'()*+,-./:;<=>?@[]^_`{|}~"],
  ["x".repeat(255), "x".repeat(255)],
  [`"${String.raw`\"`.repeat(255)}"`, '"'.repeat(255)],
  ["x".repeat(256), undefined],
  [`"${"x".repeat(256)}"`, undefined],
  ["", undefined],
  ["   ", undefined],
  ['""', undefined],
  ['"', undefined],
  ['"a', undefined],
  ['"a"b', undefined],
  ['"a";q=1', undefined],
  ['"a", "b"', undefined],
  [String.raw`"a\b"`, undefined],
  [String.raw`"a\"`, undefined],
  ["é", undefined],
  ["\xa0a", undefined],
  ["a\tb", undefined],
]

for (const kind of WORLDS) {
  describe(`an idempotency key, ${kind}`, () => {
    for (const [sent, key] of KEYS) {
      it(`${JSON.stringify(sent.slice(0, 40))} is ${key === undefined ? "refused" : "taken"}`, async () => {
        await using world = await createWorld(kind)
        const response = await post(world, VALID, sent)
        assert.equal(response.status, key === undefined ? 400 : 202)
        assert.equal(world.fake.requests[0]?.idempotency?.key, key)
      })
    }

    it("makes the same request the same task, as it stands now", async () => {
      await using world = await createWorld(kind)
      const first = await post(world, VALID, "one")
      const { task_id: id } = (await first.json()) as { task_id: string }
      assert.equal(first.headers.get("idempotent-replayed"), null)
      const task = world.fake.tasks.get(id)
      assert.ok(task)
      world.fake.put({ ...task, attempt: 1, state: "running", progress: 41 })
      const again = await post(world, VALID, '"one"')
      const shown = (await again.json()) as { task_id: string; progress: number }
      assert.deepEqual([again.status, shown.task_id, shown.progress], [202, id, 41])
      assert.equal(again.headers.get("location"), `/v1/tasks/${id}`)
      assert.equal(again.headers.get("idempotent-replayed"), "true")
      assert.equal(world.fake.submitted.length, 1)
    })
  })
}

describe("an idempotency key on the wire", () => {
  const body = JSON.stringify(VALID)

  /** The status of a creation with these header lines. */
  async function postRaw(world: World, lines: readonly string[]): Promise<string | undefined> {
    const client = createRawClient(world.server?.url ?? "")
    const head = [
      "POST /v1/tasks HTTP/1.1",
      "Host: inner.example",
      `Authorization: Bearer ${world.key}`,
      "Content-Type: application/json",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "Connection: close",
      ...lines,
    ]
    client.send(Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`, "latin1"))
    const [, status] = /^HTTP\/1\.1 (\d+)/.exec(await client.ended()) ?? []
    return status
  }

  it("may stand there once, whatever the second one says", async () => {
    await using world = await createWorld("over a socket")
    for (const [status, ...lines] of [
      ["202", "Idempotency-Key: a"],
      ["400", "Idempotency-Key: a", "Idempotency-Key: a"],
      ["400", "Idempotency-Key: a", "idempotency-key:"],
      ["400", "Idempotency-Key:"],
      ["400", "Idempotency-Key: \xe9"],
      ["400", "Idempotency-Key: \x7f"],
      ["202", 'Idempotency-Key: \t "a" \t'],
    ]) {
      assert.equal(await postRaw(world, lines), status, lines.join(", "))
    }
    assert.deepEqual(
      world.fake.requests.map(({ idempotency }) => idempotency?.key),
      ["a", "a"],
    )
    assert.equal(world.fake.submitted.length, 1)
  })
})

describe("a fingerprint", () => {
  const body = '{"model":"m","parameters":{"prompt":"a","count":4,"list":[1,2],"flag":true}}'
  const same = [
    body,
    ` ${body.replaceAll(/[:,]/g, " $& ")}\n`,
    '{"parameters":{"list":[1,2],"flag":true,"count":4,"prompt":"a"},"model":"m"}',
    body.replace("4", "4.0"),
    body.replace("4", "4e0"),
    body.replace('"a"', String.raw`"\u0061"`),
    `\uFEFF${body}`,
  ]
  const others = [
    body.replace("4", "5"),
    body.replace("4", '"4"'),
    body.replace("[1,2]", "[2,1]"),
    body.replace("[1,2]", "[1,2,2]"),
    body.replace('"a"', '"a "'),
    body.replace('"a"', '"A"'),
    body.replace('"m"', '"n"'),
    body.replace("true", "false"),
    body.replace("true", "null"),
    body.replace(',"flag":true', ""),
    body.replace("prompt", "promPt"),
  ]

  it("is the same for the same values, however they are written, and differs for all others", async () => {
    const prints = await fingerprint([...same, ...others])
    assert.equal(new Set(prints.slice(0, same.length)).size, 1)
    assert.equal(new Set(prints).size, 1 + others.length)
    for (const print of prints) assert.match(print, /^[0-9a-f]{64}$/)
  })

  it("is that of method, path and canonical body", async () => {
    const [print] = await fingerprint(['{"parameters":{},"model":"é"}'])
    // printf 'POST\n/v1/tasks\n{"model":"é","parameters":{}}' | sha256sum
    assert.equal(print, "ad7c8f4369ebb229430422d2040af4160fb706049cdb519691ccec8515e3891a")
  })

  it("is not asked for where there is no key", async () => {
    await using world = await createWorld()
    await world.call(TASKS, creation())
    assert.equal(world.fake.requests[0]?.idempotency, undefined)
  })

  it("does not stand in the way of what is wrong with the parameters", async () => {
    await using world = await createWorld()
    for (const [prompt, code] of [
      [String.raw`"\ud800"`, "invalid_value"],
      ["1e999", "invalid_type"],
    ] as const) {
      const text = `{"model":"${VALID.model}","parameters":{"prompt":${prompt}}}`
      const response = await post(world, text, "one")
      const { error } = (await response.json()) as { error: { code: string } }
      assert.deepEqual([response.status, error.code], [400, code])
    }
  })
})

describe("a creation whose outcome is unknown", () => {
  it("may be repeated with its key, and not without one", async () => {
    await using world = await createWorld()
    world.fake.fail(outside("outcome-unknown"))
    const keyed = await post(world, VALID, "one")
    const bare = await world.call(TASKS, creation())
    const told = [keyed, bare].map(({ status, headers }) => [
      status,
      headers.get("x-should-retry"),
      headers.has("retry-after"),
    ])
    assert.deepEqual(told, [
      [503, null, true],
      [503, "false", false],
    ])
    const { error } = (await keyed.json()) as { error: { code: string } }
    assert.equal(error.code, "outcome_unknown")
    const warned = world.logged.filter(({ level }) => level === "warn")
    assert.equal(warned.length, 2)
  })
})

function post(world: World, body: unknown, key: string): Promise<Response> {
  const call = creation(body)
  return world.call(TASKS, { ...call, headers: { ...call.headers, "idempotency-key": key } })
}

/** What each body's request is for the service, which refuses all of them. */
async function fingerprint(bodies: readonly string[]): Promise<readonly string[]> {
  await using world = await createWorld()
  await Promise.all(bodies.map((body, index) => post(world, body, `key ${index}`)))
  const prints = new Map(
    world.fake.requests.map(({ idempotency }) => [idempotency?.key, idempotency?.fingerprint]),
  )
  return bodies.map((_, index) => prints.get(`key ${index}`) ?? "")
}
