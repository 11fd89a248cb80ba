/**
 * Callbacks: what one proves, and that none costs more than time, whoever sends it, when and where to.
 * The body of a callback here is what the channel makes of it.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  SafelightError,
  type CallbackAddress,
  type CallbackOutcome,
  type CallbackResult,
  type Channel,
  type ChannelRequest,
  type Log,
  type SubmitOutcome,
} from "@safelight/core"
import {
  createScriptedChannel,
  type ScriptedChannel,
  type ScriptedChannelOptions,
  createMemoryStorage,
} from "@safelight/testkit"
import {
  completed,
  createScene,
  SETTINGS,
  type Scene,
  type SceneOptions,
  submitTo,
} from "./support.ts"

const PUBLIC_URL = "https://api.example/base/"
const OPERATION = { id: "operation-7", url: "/7" }
const LOST = { kind: "lost", operation: OPERATION } as const
const VERIFIED = { kind: "verified", operation: OPERATION } as const
const ADOPTED_STORY = ["submitted", "dispatched", "accepted", "succeeded"]
const RUNNING = { kind: "running", pollAfterMs: 60_000 } as const

describe("the address of a callback", () => {
  it("goes with a purchase where the service can be reached and the channel listens", async () => {
    const channel = toListening(createScriptedChannel({ submits: [LOST] }))
    const { scene, id } = await submitTo(channel, { publicUrl: PUBLIC_URL })
    await scene.clock.advance(0)
    const { secret, url } = findAddress(channel)
    const prefix = `https://api.example/base/v1/channels/scripted/callback/${id}.1.`
    assert.ok(url.startsWith(prefix), url)
    assert.match(url.slice(prefix.length), /^[A-Za-z0-9_-]{43}$/)
    assert.match(secret, /^[A-Za-z0-9_-]{43}$/)
    assert.ok(!url.includes(secret))
    assert.ok(!JSON.stringify(scene.history(id)).includes(url.slice(prefix.length)))
  })

  it("goes with none where nobody could call, or the channel would not listen", async () => {
    const deaf = createScriptedChannel({ submits: [LOST] })
    const hidden = toListening(createScriptedChannel({ submits: [LOST] }))
    const scenes = [
      [createScene({ channels: [deaf], publicUrl: PUBLIC_URL }), deaf],
      [createScene({ channels: [hidden] }), hidden],
    ] as const
    for (const [scene, channel] of scenes) {
      await scene.submit()
      await scene.clock.advance(0)
      assert.deepEqual(
        channel.calls.map(({ request }) => "callback" in request),
        [false],
      )
    }
  })

  it("is the same at a repeat of its key", async () => {
    const submission = { kind: "keyed", keyTtlMs: 3_600_000 } as const
    const channel = toListening(createScriptedChannel({ submission, submits: [LOST] }))
    channel.willPoll(completed())
    const { scene, id } = await submitTo(channel, { publicUrl: PUBLIC_URL })
    await scene.clock.advance(SETTINGS.backoffMs * 2)
    await scene.engine.finished(id)
    const [first, second] = channel.calls.filter(({ method }) => method === "submit")
    assert.ok(first !== undefined && second !== undefined)
    assert.deepEqual(toAddress(second.request), toAddress(first.request))
  })

  it("opens to nobody who has not been given it, and no body of theirs is read", async () => {
    const { channel, id, scene } = await openDoubt()
    const { secret, url } = findAddress(channel)
    const key = toKey(url)
    const mac = key.slice(-43)
    const last = mac.endsWith("A") ? "B" : "A"
    const wrong = [
      "",
      id,
      `${id}.1`,
      `${id}.1.`,
      `${id}.1.${secret}`,
      `${id}.2.${mac}`,
      `${id}.1.${mac.slice(0, -1)}${last}`,
      `${id}.1.${mac}=`,
      `${key}.${mac}`,
      `.${mac}`,
      mac,
      `${"x".repeat(10_000)}.${mac}`,
    ]
    for (const each of wrong) {
      assert.equal(await call(scene, each, VERIFIED, { mayRead: false }), "unknown", each)
    }
    const elsewhere = { mayRead: false, channel: "another" } as const
    assert.equal(await call(scene, key, VERIFIED, elsewhere), "unknown")
    assert.equal((await scene.read(id)).state, "doubtful")
    channel.willPoll(RUNNING)
    assert.equal(await call(scene, key, VERIFIED), "taken")
  })

  it("of one channel opens nothing at another of the same database", async () => {
    const storage = createMemoryStorage()
    const one = toListening(createScriptedChannel({ name: "one", submits: [LOST] }))
    const two = toListening(createScriptedChannel({ name: "two", models: ["model-b"] }))
    const routes = [{ channel: one }, { channel: two, tier: 2 }]
    const scene = createScene({ channels: routes, storage, publicUrl: PUBLIC_URL })
    await scene.submit()
    await scene.clock.advance(0)
    const key = toKey(findAddress(one).url)
    assert.equal(await call(scene, key, VERIFIED, { channel: "two", mayRead: false }), "unknown")
  })
})

describe("a callback that the provider vouches for", () => {
  it("heals a purchase whose answer was lost, which is bought once", async () => {
    const { channel, id, key, scene } = await openDoubt()
    channel.willPoll(RUNNING, completed())
    assert.equal(await call(scene, key, VERIFIED), "taken")
    assert.deepEqual((await scene.read(id)).operation, OPERATION)
    await scene.clock.advance(SETTINGS.idlePollMs)
    const task = await scene.engine.finished(id)
    assert.equal(task?.state, "succeeded.available")
    assert.deepEqual(channel.created, [`${id}.1`])
    const story = ["submitted", "dispatched", "doubted", "accepted", "succeeded"]
    assert.deepEqual(scene.story(id), story)
  })

  it("comes with what its channel had added to the address", async () => {
    const { channel, key, scene } = await openDoubt()
    const queries: unknown[] = []
    channel.receive = async ({ query }) => {
      queries.push(query)
      return { kind: "ignored" }
    }
    const readBody = async () => Buffer.from("{}")
    const asked = { channel: "scripted", key, headers: {}, readBody }
    await scene.engine.receiveCallback({ ...asked, query: { app: "owner/app" } })
    await scene.engine.receiveCallback(asked)
    assert.deepEqual(queries, [{ app: "owner/app" }, {}])
  })

  it("heals one at a node that has no part in it", async () => {
    const { channel, id, key, scene } = await openDoubt()
    channel.willPoll(RUNNING, completed())
    const other = createScene({
      channels: [channel],
      storage: scene.storage,
      artifacts: scene.artifacts,
      clock: scene.clock,
      publicUrl: PUBLIC_URL,
      isStarted: false,
    })
    assert.equal(await call(other, key, VERIFIED), "taken")
    await scene.clock.advance(SETTINGS.idlePollMs)
    assert.equal((await scene.engine.finished(id))?.state, "succeeded.available")
    assert.deepEqual(channel.created, [`${id}.1`])
  })

  it("may come before the answer to the call, which then finds it recorded", async () => {
    const answer = Promise.withResolvers<{ kind: "accepted"; operation: object }>()
    const cancelled: unknown[] = []
    const channel = Object.assign(
      toListening(createScriptedChannel({ submits: [() => answer.promise as never] })),
      { cancel: async ({ operation }: { operation: unknown }) => void cancelled.push(operation) },
    )
    channel.willPoll(RUNNING, completed())
    const { entries, log } = createEntries()
    const { scene, id } = await submitTo(channel, { publicUrl: PUBLIC_URL, log })
    await scene.clock.advance(0)
    assert.equal((await scene.read(id)).state, "dispatching")
    const key = toKey(findAddress(channel).url)
    assert.equal(await call(scene, key, VERIFIED), "taken")
    assert.equal((await scene.read(id)).state, "running")
    // The same work in other words.
    answer.resolve({ kind: "accepted", operation: { ...OPERATION, url: "https://a.example/7" } })
    await scene.clock.advance(SETTINGS.backoffMs + SETTINGS.idlePollMs)
    assert.equal((await scene.engine.finished(id))?.state, "succeeded.available")
    assert.deepEqual([channel.created.length, cancelled], [1, []])
    assert.deepEqual(entries, ["info purchase recovered"])
  })

  for (const answer of [
    { kind: "not-created", reason: "away" },
    { kind: "busy", reason: "full" },
    { kind: "refused", code: "provider_rejected" },
  ] as const) {
    it(`is believed also where the answer to the call is ${answer.kind}`, async () => {
      const late = Promise.withResolvers<SubmitOutcome>()
      const channel = toListening(createScriptedChannel({ submits: [() => late.promise] }))
      channel.willPoll(RUNNING, completed())
      const { scene, id } = await submitTo(channel, { publicUrl: PUBLIC_URL })
      await scene.clock.advance(0)
      const key = toKey(findAddress(channel).url)
      assert.equal(await call(scene, key, VERIFIED), "taken")
      late.resolve(answer)
      await scene.clock.advance(SETTINGS.backoffMs * 4)
      assert.equal((await scene.read(id)).state, "succeeded.available")
      const asked = channel.calls.filter(({ method }) => method === "submit")
      assert.deepEqual([asked.length, scene.story(id)], [1, ADOPTED_STORY])
    })
  }

  it("is adopted only where the provider has an answer for the work that it names", async () => {
    const { channel, id, key, scene } = await openDoubt()
    channel.willPoll(new Error("no such request"))
    const foreign = { kind: "verified", operation: { id: "foreign" } } as const
    await assert.rejects(call(scene, key, foreign), { message: "the channel threw Error" })
    assert.equal((await scene.read(id)).state, "doubtful")
    channel.willPoll(RUNNING)
    assert.equal(await call(scene, key, VERIFIED), "taken")
    assert.equal((await scene.read(id)).state, "running")
  })

  it("is refused where the provider is silent about the work that it names, and the next one is adopted", async () => {
    const { channel, id, key, scene } = await openDoubt()
    channel.willPoll(() => new Promise(() => {}))
    const foreign = { kind: "verified", operation: { id: "foreign" } } as const
    const refused = assert.rejects(call(scene, key, foreign), { code: "aborted" })
    await scene.clock.advance(SETTINGS.pollTimeoutMs + 1_000)
    await refused
    assert.equal((await scene.read(id)).state, "doubtful")
    channel.willPoll(RUNNING)
    assert.equal(await call(scene, key, VERIFIED), "taken")
    assert.deepEqual((await scene.read(id)).operation, OPERATION)
  })

  it("changes nothing when it comes again, late, or after the end", async () => {
    const { channel, entries, id, key, scene } = await openDoubt()
    channel.willPoll(RUNNING, completed())
    await Promise.all([call(scene, key, VERIFIED), call(scene, key, { kind: "ignored" })])
    await scene.clock.advance(SETTINGS.idlePollMs)
    await scene.engine.finished(id)
    const story = scene.story(id)
    assert.equal(await call(scene, key, VERIFIED), "taken")
    assert.equal(await call(scene, key, { kind: "verified" }), "taken")
    assert.deepEqual(scene.story(id), story)
    assert.deepEqual(entries.slice(-1), ["info purchase recovered"])
  })

  it("is adopted once where it comes twice at the same time", async () => {
    const { channel, id, key, scene } = await openDoubt()
    channel.willPoll(RUNNING, RUNNING, completed())
    const results = await Promise.all([call(scene, key, VERIFIED), call(scene, key, VERIFIED)])
    assert.deepEqual(results, ["taken", "taken"])
    await scene.clock.advance(SETTINGS.idlePollMs)
    await scene.engine.finished(id)
    assert.equal(scene.story(id).filter((type) => type === "accepted").length, 1)
  })

  it("leaves a line of the log about what was bought and will not be delivered", async () => {
    const { channel, entries, id, key, scene } = await openDoubt()
    await scene.engine.resolve({ task: id, fail: true })
    const story = scene.story(id)
    assert.equal(await call(scene, key, VERIFIED), "taken")
    assert.deepEqual(scene.story(id), story)
    assert.deepEqual(entries.slice(-1), ["error purchase not delivered"])
    assert.equal(channel.calls.filter(({ method }) => method === "poll").length, 0)
  })

  it("of an earlier attempt says nothing of the present one", async () => {
    const notCreated = { kind: "not-created", reason: "away" } as const
    const channel = toListening(createScriptedChannel({ submits: [notCreated, LOST] }))
    const { entries, log } = createEntries()
    const { scene, id } = await submitTo(channel, { publicUrl: PUBLIC_URL, log })
    await scene.clock.advance(SETTINGS.backoffMs * 4)
    const [first] = channel.calls
    assert.ok(first !== undefined)
    assert.equal((await scene.read(id)).state, "doubtful")
    const key = toKey(toAddress(first.request)?.url ?? "")
    assert.equal(await call(scene, key, VERIFIED), "taken")
    assert.equal((await scene.read(id)).state, "doubtful")
    assert.equal(entries.at(-1), "error purchase not delivered")
  })

  it("is refused where the storage fails, so that it is sent again", async () => {
    const { channel, id, key, scene } = await openDoubt()
    channel.willPoll(RUNNING, RUNNING)
    scene.storage.failAppends(3)
    const failing = assert.rejects(call(scene, key, VERIFIED), { code: "storage-unavailable" })
    await scene.clock.advance(60_000)
    await failing
    assert.equal(await call(scene, key, VERIFIED), "taken")
    assert.notEqual((await scene.read(id)).state, "doubtful")
  })
})

describe("a callback that nobody vouches for", () => {
  it("adopts nothing, whatever it names", async () => {
    const { id, key, scene } = await openDoubt()
    const hint = { kind: "hint", operation: OPERATION } as CallbackOutcome
    assert.equal(await call(scene, key, hint), "taken")
    assert.equal((await scene.read(id)).state, "doubtful")
  })

  it("is told from one that was forged", async () => {
    const { entries, id, key, scene } = await openDoubt()
    assert.equal(await call(scene, key, { kind: "forged" }), "forged")
    assert.equal((await scene.read(id)).state, "doubtful")
    assert.deepEqual(entries.slice(-1), ["warn callback refused"])
  })

  it("has running work polled soon, and no sooner however often it comes", async () => {
    const { channel, key, scene } = await openWork([RUNNING, RUNNING, RUNNING, completed()])
    const countPolls = () => channel.calls.filter(({ method }) => method === "poll").length
    assert.equal(countPolls(), 1)
    for (let round = 2; round <= 4; round += 1) {
      for (let count = 0; count < 50; count += 1) await call(scene, key, { kind: "hint" })
      await scene.clock.advance(999)
      assert.equal(countPolls(), round - 1)
      await scene.clock.advance(1)
      assert.equal(countPolls(), round)
    }
  })

  it("cuts a pause short that has lasted long enough", async () => {
    const { channel, id, key, scene } = await openWork([RUNNING, completed()])
    await scene.clock.advance(30_000)
    assert.equal(channel.calls.length, 2)
    await call(scene, key, { kind: "hint" })
    await scene.clock.advance(0)
    assert.equal((await scene.engine.finished(id))?.state, "succeeded.available")
  })

  it("does not cut short what the provider asked for", async () => {
    const { channel, key, scene } = await openWork([RUNNING, toBusy(30_000), completed()])
    await scene.clock.advance(60_000)
    assert.equal(channel.calls.length, 3)
    await call(scene, key, { kind: "hint" })
    await scene.clock.advance(29_999)
    assert.equal(channel.calls.length, 3)
    await scene.clock.advance(1)
    assert.equal(channel.calls.length, 4)
  })

  it("reaches the node that holds the task by way of the storage", async () => {
    const storage = createMemoryStorage()
    const listeners = new Set<(task: string) => void>()
    const shared = Object.assign(storage, {
      wakeHolder: (task: string) => listeners.forEach((listener) => listener(task)),
      onHolderWoken(listener: (task: string) => void) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    })
    const { channel, id, key, scene } = await openWork([RUNNING, completed()], { storage: shared })
    const { artifacts, clock } = scene
    const rest = { artifacts, clock, publicUrl: PUBLIC_URL, isStarted: false }
    const other = createScene({ channels: [channel], storage: shared, ...rest })
    await clock.advance(5_000)
    assert.equal(await call(other, key, { kind: "hint" }), "taken")
    await clock.advance(0)
    assert.equal((await scene.engine.finished(id))?.state, "succeeded.available")
    await scene.engine.stop()
    assert.equal(listeners.size, 0)
  })

  it("that no callback comes costs only time", async () => {
    const { id, scene } = await openWork([RUNNING, RUNNING, completed()])
    await scene.clock.advance(120_000)
    assert.equal((await scene.engine.finished(id))?.state, "succeeded.available")
  })
})

interface Opened {
  readonly scene: Scene
  readonly channel: Listening
  readonly id: string
  readonly key: string
  /** Level and words of what was logged. */
  readonly entries: readonly string[]
}

/** A task whose one call was made and whose answer is lost. */
async function openDoubt(): Promise<Opened> {
  return open(toListening(createScriptedChannel({ submits: [LOST] })), {})
}

/** A task that is followed. */
async function openWork(
  polls: ScriptedChannelOptions["polls"] & {},
  options: Partial<SceneOptions> = {},
): Promise<Opened> {
  const accepted = { kind: "accepted", operation: OPERATION } as const
  return open(toListening(createScriptedChannel({ submits: [accepted], polls })), options)
}

async function open(channel: Listening, options: Partial<SceneOptions>): Promise<Opened> {
  const { entries, log } = createEntries()
  const { scene, id } = await submitTo(channel, { publicUrl: PUBLIC_URL, log, ...options })
  await scene.clock.advance(0)
  return { scene, channel, id, key: toKey(findAddress(channel).url), entries }
}

type Listening = ScriptedChannel & Pick<Required<Channel>, "receive">

function toListening(channel: ScriptedChannel): Listening {
  return Object.assign(channel, {
    receive: async ({ body }: { body: Uint8Array }) =>
      JSON.parse(Buffer.from(body).toString()) as CallbackOutcome,
  })
}

function toAddress(request: object): CallbackAddress | undefined {
  return (request as ChannelRequest).callback
}

function findAddress({ calls }: ScriptedChannel): CallbackAddress {
  const last = calls.findLast(({ method }) => method === "submit")
  return (last && toAddress(last.request)) ?? assert.fail("no address went along")
}

function toKey(url: string): string {
  return decodeURIComponent(url.split("/").at(-1) ?? "")
}

function call(
  { engine }: Scene,
  key: string,
  outcome: CallbackOutcome,
  { channel = "scripted", mayRead = true } = {},
): Promise<CallbackResult> {
  const readBody = async () => {
    assert.ok(mayRead, "a body was read")
    return Buffer.from(JSON.stringify(outcome))
  }
  return engine.receiveCallback({ channel, key, headers: {}, readBody })
}

function toBusy(retryAfterMs: number): SafelightError {
  const message = "too many requests"
  return new SafelightError({ code: "channel-unavailable", message, retryable: true, retryAfterMs })
}

function createEntries(): { readonly entries: string[]; readonly log: Log } {
  const entries: string[] = []
  const write = (level: string) => (_fields: object, words: string) =>
    void entries.push(`${level} ${words}`)
  return { entries, log: { info: write("info"), warn: write("warn"), error: write("error") } }
}
