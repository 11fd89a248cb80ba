/**
 * What must never be told: keys of providers, API keys of customers, prompts, what webhooks are signed
 * with, addresses that open a task's input or take a callback, the secret they are signed with, and the words of a
 * provider or of an operator's own code that may repeat them. A service is run as people run it, with
 * its tasks made, refused, lost and broken; then everything that it said is searched: its log, answers,
 * events, metrics, exports and what its commands print.
 */
import assert from "node:assert/strict"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { test, type TestContext } from "node:test"
import { referenceToVideo } from "@safelight/core"
import { STUBS, type RunningStub, type StubFaults } from "@safelight/testkit/stubs"
import { until } from "../../support/until.ts"
import { createFilm } from "../../adapters/media-inspector/sample-media.ts"
import { openForwarder, type Forwarder } from "../../support/forwarder.ts"
import { parseKey, runCommand, startService, temporaryFolder } from "../command/command-process.ts"

const PROVIDER_KEY = "recognisable-id:recognisable-provider-secret"
const OWN_KEY = "recognisable-secret-of-an-own-file"
const PROMPT = "recognisable prompt of a customer"
const WEBHOOK_WORDS = Buffer.from("recognisable secret of webhooks!").toString("base64")
const WEBHOOK_SECRET = `whsec_${WEBHOOK_WORDS}`
const STRANGER_KEY = "sl_live_recognisable00_strangerSecretstrangerSecret123456"
const SECRETS = [PROVIDER_KEY, "recognisable", "strangerSecret", WEBHOOK_WORDS]

const PICTURE = "vendor-a/v4.1/flash/text-to-image"
const EDIT = "vendor-b/imagine-image/v2.0/edit"
const FILM = referenceToVideo.id

/** Given by its address to whoever takes no data URL. */
const MOVING = `data:video/mp4;base64,${(await createFilm({ format: "mp4" })).toString("base64")}`

/** By model. */
const MEDIA: Readonly<Record<string, object>> = {
  [EDIT]: { image_urls: ["data:image/png;base64,AAAA"] },
  [FILM]: { video_urls: [MOVING], duration: 4, resolution: "720p" },
}

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
      accepts({ prompt }) {
        if (prompt.includes("asked")) blow(prompt, key)
        return true
      },
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
  /** Makes films, and signs its webhooks. */
  readonly films: RunningStub
  /** Makes the films that are too long for the other, and fetches their inputs. */
  readonly fetching: RunningStub
  readonly forwarder: Forwarder
  readonly environment: Readonly<Record<string, string>>
  /** All that was said, each with where. */
  readonly told: Map<string, string>
}

async function createWorld(t: TestContext): Promise<World> {
  const stub = (await STUBS["fal"]?.({ runMs: 20 })) ?? assert.fail()
  const films =
    (await STUBS["replicate"]?.({ runMs: 20, webhookSecret: WEBHOOK_SECRET })) ?? assert.fail()
  const fetching = (await STUBS["ark"]?.({ runMs: 20 })) ?? assert.fail()
  const forwarder = await openForwarder()
  for (const place of [stub, films, fetching, forwarder])
    t.after(() => place[Symbol.asyncDispose]())
  const folder = await temporaryFolder(t)
  const channels = [
    { type: "fal", baseUrl: stub.url, models: [EDIT] },
    { type: "replicate", baseUrl: films.url, models: [FILM] },
    { type: "ark", baseUrl: fetching.url, models: [FILM], tier: 2 },
    { module: "./careless.mjs", baseUrl: stub.url },
  ]
  await writeFile(join(folder, "careless.mjs"), CARELESS)
  await writeFile(
    join(folder, "safelight.config.json"),
    JSON.stringify({ channels, publicUrl: forwarder.url }),
  )
  const environment = {
    FAL_KEY: PROVIDER_KEY,
    REPLICATE_API_TOKEN: PROVIDER_KEY,
    ARK_API_KEY: PROVIDER_KEY,
    REPLICATE_WEBHOOK_SECRET: WEBHOOK_SECRET,
    OWN_KEY,
    SAFELIGHT_METRICS: "true",
  }
  return { folder, stub, films, fetching, forwarder, environment, told: new Map() }
}

interface Client {
  readonly ask: (path: string, body?: unknown, key?: string) => Promise<string>
  /** Submits, and resolves once the log or the task's state says what is waited for. */
  readonly make: (
    model: string,
    prompt: string,
    isOver: (state: string) => boolean,
    more?: object,
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
    async make(model, prompt, isOver, more = {}) {
      const sent = await ask("/v1/tasks", {
        model,
        parameters: { prompt, ...MEDIA[model], ...more },
      })
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

/** As providers were told them. */
const CALLBACK = /callback\/[^"]+?\.([A-Za-z0-9_-]{43})(?=["\\])/g
const INPUT = /i1\.[0-9a-f-]{36}\.\d+\.\d+\.([A-Za-z0-9_-]{43})/g

/** The MACs of all addresses that providers were given, and what those are derived from. */
function findSigned({ fetching, films, folder, stub }: World): readonly string[] {
  const bought = JSON.stringify(
    [fetching, films, stub].map(({ deliveries, purchases, requests }) => {
      return { deliveries, purchases, requests }
    }),
  )
  const macs = [CALLBACK, INPUT].map((pattern) => {
    const found = [...bought.matchAll(pattern)].map(([, mac = ""]) => mac)
    assert.notEqual(found.length, 0, `no address like ${pattern} was given`)
    return found
  })
  const database = new DatabaseSync(join(folder, "data", "safelight.db"), {
    readOnly: true,
  })
  const rows = database.prepare("SELECT secret FROM deployment_secrets").all()
  database.close()
  const secrets = rows.map(({ secret }) => String(secret))
  assert.match(secrets.join(" "), /^[0-9a-f]{64}$/)
  return [...new Set([...macs.flat(), ...secrets])]
}

/** Callbacks of every kind: taken in, forged, foreign, stale, and to addresses of nobody's. */
async function callBack({ films, told }: World, url: string, client: Client): Promise<void> {
  for (const webhook of [undefined, "forged", "foreign", "stale", "doubled"] as const) {
    films.setFaults(webhook === undefined ? {} : { webhook, times: 1 })
    const before = films.deliveries.length
    await client.make(FILM, PROMPT, isEnded)
    await until(
      async () => films.deliveries.length,
      (count) => count > before,
    )
  }
  films.setFaults({})
  await client.make(FILM, PROMPT, isEnded, { duration: 16 })
  for (const { body, url: address } of films.deliveries.slice(0, 1)) {
    for (const end of ["", "A", "/x", "?a=b"]) {
      const path = `${new URL(address).pathname}${end}`
      const answer = await fetch(`${url}${path}`, { method: "POST", body })
      told.set(
        `a callback with ${end}`,
        `${JSON.stringify([...answer.headers])}\n${await answer.text()}`,
      )
    }
  }
}

test("nothing that is to be kept secret is told anywhere", async (t) => {
  const world = await createWorld(t)
  const { environment, folder, stub, told } = world
  const serving = await startService(folder, [], { environment })
  const key = parseKey(serving.stdout())
  assert.notEqual(key, "")
  world.forwarder.target = serving.url
  const client = createClient(world, serving.url, key)
  await callBack(world, serving.url, client)
  for (const faults of TROUBLES) {
    stub.setFaults(faults)
    await client.make(EDIT, PROMPT, isEnded)
  }
  // In doubt: it stays so for an hour.
  const isDoubted = async (): Promise<boolean> =>
    serving.stderr().includes("submit outcome unknown")
  stub.setFaults({ create: "truncated" })
  await client.make(EDIT, PROMPT, () => true)
  await until(isDoubted)
  stub.setFaults({ isKeyRevoked: true })
  await client.make(EDIT, PROMPT, () => true)
  await until(async () => serving.stderr().includes("task not created"))
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
  const isThrown = async (): Promise<boolean> => serving.stderr().includes("step failed")
  await until(isThrown)

  const asked = { prompt: `${PROMPT} asked` }
  await client.ask("/v1/tasks", { model: PICTURE, parameters: asked })
  await until(async () => serving.stderr().includes("accepts failed"))
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

  const signed = findSigned(world)
  for (const [where, text] of told) {
    for (const secret of [...SECRETS, ...signed, key])
      assert.ok(!text.includes(secret), `${where}: ${text}`)
  }
  // The file is a whole move, for its owner alone: prompts are in it, and no key that opens anything.
  const file = await readFile(join(folder, "log.ndjson"), "utf8")
  for (const secret of [PROVIDER_KEY, OWN_KEY, WEBHOOK_WORDS, ...signed, key]) {
    assert.ok(!file.includes(secret), "the file")
  }
  const lines = file.trim().split("\n")
  const streams = lines.map((line) => JSON.parse(line) as { readonly events?: unknown })
  assert.ok(streams.some(({ events }) => events !== undefined))
  for (const { events } of streams) {
    const text = JSON.stringify(events ?? null)
    assert.ok(!text.includes("recognisable"), `an event: ${text}`)
  }
})
