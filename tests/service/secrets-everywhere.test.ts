/**
 * What must never be told: keys of providers, API keys of customers, prompts, and the words of a
 * provider or of an operator's own code that may repeat them. A service is run as people run it, with
 * its tasks made, refused, lost and broken; then everything that it said is searched: its log, answers,
 * events, metrics, exports and what its commands print.
 */
import assert from "node:assert/strict"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { test, type TestContext } from "node:test"
import { STUBS, type RunningStub, type StubFaults } from "@safelight/testkit/stubs"
import { until } from "../stubs/support/until.ts"
import { parseKey, runCommand, startService, temporaryFolder } from "./command-process.ts"

const PROVIDER_KEY = "recognisable-id:recognisable-provider-secret"
const OWN_KEY = "recognisable-secret-of-an-own-file"
const PROMPT = "recognisable prompt of a customer"
const STRANGER_KEY = "sl_live_recognisable00_strangerSecretstrangerSecret123456"
const SECRETS = [PROVIDER_KEY, "recognisable", "strangerSecret"]

const PICTURE = "vendor-a/v4.1/flash/text-to-image"
const EDIT = "vendor-b/imagine-image/v2.0/edit"

/** As careless as can be: whatever it has in hand is in the words of its errors. */
const CARELESS = `
const blow = (...words) => { throw new TypeError(words.join(" ") + "\\n    at " + words.join(" ")) }
const key = process.env.OWN_KEY
export default {
  name: "careless",
  baseUrl: "http://127.0.0.1:1",
  keyVariable: "OWN_KEY",
  authorize: () => ({ authorization: "Key " + key }),
  outputHosts: ["files.example"],
  submission: { kind: "unkeyed" },
  concurrency: 2,
  submitTimeoutMs: 30_000,
  models: {
    "${PICTURE}": {
      toRequest({ prompt }) {
        if (prompt.includes("before")) blow(prompt, key)
        return { method: "POST", path: "/a/b", json: { prompt } }
      },
    },
  },
  readCreate({ json }) {
    if (json.request_id === undefined) blow(JSON.stringify(json), key)
    return { kind: "accepted", operation: { url: json.status_url } }
  },
  async poll({ url }, send) {
    const { json } = await send({ method: "GET", path: url })
    blow(JSON.stringify(json), key)
  },
  check: { request: { method: "GET", path: "/" }, readKey: () => blow(key) },
}
`

interface World {
  readonly folder: string
  readonly stub: RunningStub
  readonly environment: Readonly<Record<string, string>>
  /** All that was said, each with where. */
  readonly told: Map<string, string>
}

async function createWorld(t: TestContext): Promise<World> {
  const stub = (await STUBS["fal"]?.({ runMs: 20 })) ?? assert.fail()
  t.after(() => stub[Symbol.asyncDispose]())
  const folder = await temporaryFolder(t)
  const channels = [
    { type: "fal", baseUrl: stub.url, models: [EDIT] },
    { module: "./careless.mjs", baseUrl: stub.url },
  ]
  await writeFile(join(folder, "careless.mjs"), CARELESS)
  await writeFile(join(folder, "safelight.config.json"), JSON.stringify({ channels }))
  const environment = { FAL_KEY: PROVIDER_KEY, OWN_KEY, SAFELIGHT_METRICS: "true" }
  return { folder, stub, environment, told: new Map() }
}

interface Client {
  readonly ask: (path: string, body?: unknown, key?: string) => Promise<string>
  /** Submits, and resolves once the log or the task's state says what is waited for. */
  readonly make: (
    model: string,
    prompt: string,
    isOver: (state: string) => boolean,
  ) => Promise<void>
}

function createClient({ told }: World, url: string, ownKey: string): Client {
  const ask: Client["ask"] = async (path, body, key = ownKey) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
    const answer = await fetch(`${url}${path}`, { ...init, headers })
    const text = `${JSON.stringify([...answer.headers])}\n${await answer.text()}`
    told.set(`answer ${told.size} of ${path}`, text)
    return text.slice(text.indexOf("\n") + 1)
  }
  return {
    ask,
    async make(model, prompt, isOver) {
      const images = model === EDIT ? { image_urls: ["data:image/png;base64,AAAA"] } : {}
      const sent = await ask("/v1/tasks", { model, parameters: { prompt, ...images } })
      const { task_id: id } = JSON.parse(sent) as { readonly task_id: string }
      assert.ok(id !== undefined, sent)
      await until(() => ask(`/v1/tasks/${id}`), isOver)
      await ask(`/v1/tasks/${id}/events`)
    },
  }
}

const isEnded = (text: string): boolean => /"status":"(?:succeeded|failed)"/.test(text)

/** One after the other, as the stub's faults are all tasks'. */
const TROUBLES: readonly Partial<StubFaults>[] = [
  {},
  { own: ["content-policy"] },
  { own: ["detail-text"] },
  { create: "busy", times: 1 },
  { poll: "html", times: 1 },
  { download: "redirect", times: 1 },
  { download: "truncated", times: 1 },
]

test("nothing that is to be kept secret is told anywhere", async (t) => {
  const world = await createWorld(t)
  const { environment, folder, stub, told } = world
  const serving = await startService(folder, [], { environment })
  const key = parseKey(serving.stdout())
  assert.notEqual(key, "")
  const client = createClient(world, serving.url, key)
  for (const faults of TROUBLES) {
    stub.setFaults(faults)
    await client.make(EDIT, PROMPT, isEnded)
  }
  // In doubt: it stays so for an hour.
  const isDoubted = async (): Promise<boolean> => serving.stderr().includes("outcome is unknown")
  stub.setFaults({ create: "truncated" })
  await client.make(EDIT, PROMPT, () => true)
  await until(isDoubted, Boolean)
  stub.setFaults({ isKeyRevoked: true })
  await client.make(EDIT, PROMPT, () => true)
  await until(async () => serving.stderr().includes("turned a task away"), Boolean)
  stub.setFaults({})
  const count = (): number => serving.stderr().split('"channel":"careless"').length
  await client.make(PICTURE, `${PROMPT} before`, () => true)
  await until(
    async () => count(),
    (lines) => lines > 1,
  )
  stub.setFaults({ create: "server-error" })
  await client.make(PICTURE, PROMPT, () => true)
  stub.setFaults({})
  await client.make(PICTURE, PROMPT, () => true)
  const isThrown = async (): Promise<boolean> => serving.stderr().includes("a step failed by a bug")
  await until(isThrown, Boolean)

  await client.ask("/v1/tasks", { model: PICTURE, parameters: { prompt: PROMPT, size: PROMPT } })
  await client.ask("/v1/tasks", { model: STRANGER_KEY, parameters: { [key]: key } })
  await client.ask("/v1/tasks", { model: PICTURE, parameters: {} }, STRANGER_KEY)
  await client.ask("/v1/usage")
  await client.ask("/v1/models")
  const metrics = await client.ask("/metrics")
  assert.match(metrics, /safelight_/)

  const reaching = { ...environment, SAFELIGHT_URL: serving.url, SAFELIGHT_API_KEY: key }
  const commands = [
    ["channels", "check"],
    ["channels", "check", "--json"],
    ["channels", "list", "--json"],
    ["usage", "--json"],
    ["tasks", "list", "--json"],
    ["keys", "list", "--json"],
    ["audit", "verify"],
    ["audit", "replay"],
  ]
  for (const words of commands) {
    // oxlint-disable-next-line no-await-in-loop -- processes are not free
    const { stderr, stdout } = await runCommand(words, { folder, environment: reaching })
    assert.notEqual(stdout, "", `${words.join(" ")}: ${stderr}`)
    told.set(words.join(" "), `${stdout}\n${stderr}`)
  }
  serving.kill("SIGTERM")
  const { stderr } = await serving.ended
  told.set("log", stderr)
  const exported = await runCommand(["export", "--to", "log.ndjson"], { folder, environment })
  assert.equal(exported.code, 0, exported.stderr)
  told.set("export", `${exported.stdout}\n${exported.stderr}`)

  for (const [where, text] of told) {
    for (const secret of [...SECRETS, key]) assert.ok(!text.includes(secret), `${where}: ${text}`)
  }
  // The file is a whole move, for its owner alone: prompts are in it, and no key that opens anything.
  const file = await readFile(join(folder, "log.ndjson"), "utf8")
  for (const secret of [PROVIDER_KEY, OWN_KEY, key]) assert.ok(!file.includes(secret), "the file")
  const lines = file.trim().split("\n")
  const streams = lines.map((line) => JSON.parse(line) as { readonly events?: unknown })
  assert.ok(streams.some(({ events }) => events !== undefined))
  for (const { events } of streams) {
    const text = JSON.stringify(events ?? null)
    assert.ok(!text.includes("recognisable"), `an event: ${text}`)
  }
})
