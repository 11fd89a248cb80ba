/** What a channel needs its operator for: told once by a line of the log, to other nodes by the lease, and to no account. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  SafelightError,
  type ChannelTrouble,
  type Log,
  type MediaSource,
  type NotCreated,
  type Storage,
} from "@safelight/core"
import { createScriptedChannel, type ScriptedChannel } from "@safelight/testkit"
import { completed, createScene, SETTINGS, submitTo } from "./support.ts"

const POOR = {
  kind: "not-created",
  reason: "provider_out_of_money",
  needsOperator: true,
  providerWords:
    "User is locked.\n  Exhausted balance sl_live_abc, see https://pay.example/?token=1",
} as const satisfies NotCreated
const TOLD = "User is locked. Exhausted balance …, see …"
const MONEY = { channel: "scripted", reason: POOR.reason, words: TOLD }

function createEntries() {
  const entries: (readonly [line: string, fields: Readonly<Record<string, unknown>>])[] = []
  const write = (level: string) => (fields: object, words: string) =>
    void entries.push([`${level} ${words}`, { ...fields }])
  const log: Log = { info: write("info"), warn: write("warn"), error: write("error") }
  return { entries, log }
}

async function readTroubles(storage: Pick<Storage, "listLeases">) {
  const leases = await storage.listLeases()
  const all = leases.flatMap(({ facts }): readonly ChannelTrouble[] => facts?.troubles ?? [])
  return all.map(({ since: _since, ...trouble }) => trouble)
}

/** Its outputs may lie at `files.example` alone. */
function createRefusing(channel: ScriptedChannel, log: Log) {
  const media: MediaSource = {
    async open({ url }) {
      const refusedHost = new URL(url).hostname
      const message = "its host is not allowed"
      throw new SafelightError({ code: "media_download_failed", message, refusedHost })
    },
  }
  const listed = Object.assign(channel, { outputOrigins: { hosts: ["files.example"] } })
  const inspector = { inspect: () => assert.fail("nothing was stored"), close: async () => {} }
  return createScene({ channels: [listed], media, inspector, log })
}

const HOUR_MS = 3_600_000

/** Longer than two heartbeats lie apart. */
const TOLD_MS = 11_000

describe("a channel without money", () => {
  it("is told to its operator once with the provider's words, and by the lease until it is paid", async () => {
    const { entries, log } = createEntries()
    const other = { ...POOR, providerWords: "Exhausted balance (request 2)" }
    const channel = createScriptedChannel({ submits: [POOR, other, completed()] })
    const { scene, id } = await submitTo(channel, { log })
    await scene.clock.advance(0)
    const { reason } = POOR
    assert.deepEqual(entries, [
      ["warn task not created", { task: id, channel: "scripted", reason, words: TOLD }],
      ["error channel needs its operator", MONEY],
    ])
    await scene.clock.advance(SETTINGS.backoffMs)
    assert.deepEqual(
      entries.slice(2).map(([line]) => line),
      ["warn task not created"],
    )
    await scene.clock.advance(TOLD_MS)
    await scene.engine.finished(id)
    assert.deepEqual(await readTroubles(scene.storage), [])
    assert.deepEqual((await scene.read(id)).state, "succeeded.available")
  })

  it("stands in the lease while it lasts", async () => {
    const channel = createScriptedChannel({ submits: Array.from({ length: 9 }, () => POOR) })
    const scene = createScene({ channels: [channel] })
    await scene.submit()
    await scene.clock.advance(TOLD_MS)
    assert.deepEqual(await readTroubles(scene.storage), [MONEY])
  })

  it("is told to no account: the words stand beside the log, and can be erased", async () => {
    const channel = createScriptedChannel({ submits: [POOR, completed()] })
    const { scene, id } = await submitTo(channel)
    await scene.clock.advance(TOLD_MS)
    assert.ok(!JSON.stringify(scene.history(id)).includes("balance"))
    const input = await scene.storage.readInput({ task: id, name: "provider:1" })
    assert.equal(input?.body, JSON.stringify({ words: POOR.providerWords }))
  })
})

describe("an output at a host that its channel may not ask", () => {
  it("is refused by an error that names the host and the line to add, once for each host", async () => {
    const { entries, log } = createEntries()
    const hosts = ["one.cdn.example", "two.cdn.example"]
    const outputs = hosts.map((host) => ({ url: `https://${host}/1.png` }))
    const channel = createScriptedChannel({
      submits: outputs.map((output) => ({ kind: "completed", outputs: [output] }) as const),
    })
    const scene = createRefusing(channel, log)
    const [one, two] = [await scene.submit(), await scene.submit()]
    await scene.clock.advance(TOLD_MS)
    const refused = entries.filter(([line]) => line === "error output host refused")
    assert.deepEqual(
      refused.map(([, fields]) => fields),
      [one, two].map(({ id }, index) => ({
        task: id,
        channel: "scripted",
        host: hosts[index],
        add: `"outputHosts": ["${hosts[index]}"]`,
      })),
    )
    const reason = "output_host_refused"
    const expected = hosts.map((words) => ({ channel: "scripted", reason, words }))
    assert.deepEqual(await readTroubles(scene.storage), expected)
  })

  it("stands beside the log of a task that ended without it, and in no event", async () => {
    const { entries, log } = createEntries()
    const outputs = [{ url: "https://one.cdn.example/1.png" }]
    const made = { kind: "completed", outputs } as const
    const channel = createScriptedChannel({
      submits: [{ kind: "accepted", operation: "op-1" }],
      polls: Array.from({ length: 500 }, () => made),
    })
    const scene = createRefusing(channel, log)
    const { id, endBy } = await scene.submit()
    await scene.clock.advance(TOLD_MS)
    assert.equal((await scene.read(id)).state, "running")
    await scene.clock.advance(endBy + HOUR_MS + 60_000 - scene.clock.now())
    assert.equal((await scene.read(id)).error?.code, "no_output")
    const input = await scene.storage.readInput({ task: id, name: "provider:1" })
    assert.equal(
      input?.body,
      JSON.stringify({
        words: "Its output lies at one.cdn.example, which its channel may not ask.",
      }),
    )
    assert.ok(!JSON.stringify(scene.history(id)).includes("cdn.example"))
    assert.ok(entries.some(([line]) => line === "error purchase abandoned"))
  })
})
