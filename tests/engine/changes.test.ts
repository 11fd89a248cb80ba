/** What happens to tasks, as it happens: changes, watches, and readers who come back. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  SafelightError,
  TASK_BEGIN,
  toHashDigits,
  type ChangePage,
  type ChangePosition,
  type EventPlace,
  type TaskChange,
} from "@safelight/core"
import { createScriptedChannel } from "@safelight/testkit"
import { until } from "../support/until.ts"
import { completed, createScene, SETTINGS, type Scene } from "./support.ts"

const account = "ada"

/** A channel whose tasks run for 5 s. */
const createSlowChannel = () =>
  createScriptedChannel({
    submits: Array.from({ length: 20 }, () => ({ kind: "accepted" as const, operation: 1 })),
    polls: Array.from({ length: 20 }, () => completed()),
  })

interface Reader {
  /** `task version type` of every change that was read. */
  readonly seen: string[]
  readonly position: () => ChangePosition
  readonly end: () => void
  news: number
  ended: number
}

/** Watches the account, and reads to the end whenever it is told. */
async function follow(scene: Scene, after?: ChangePosition, task?: string): Promise<Reader> {
  let position = after
  const seen: string[] = []
  const reader: Reader = {
    seen,
    position: () => position ?? { feed: "", position: 0, digits: "" },
    end: () => watch.end(),
    news: 0,
    ended: 0,
  }
  let reading = Promise.resolve()
  async function read(): Promise<void> {
    for (;;) {
      const page = await scene.engine.readChanges({ account, after: reader.position() })
      if (page.kind === "lost") {
        seen.push("lost")
        position = page.position
        continue
      }
      for (const { task: one, version, type } of page.changes) {
        seen.push(`${one.id} ${version} ${type}`)
      }
      if (page.next.position === reader.position().position) return
      position = page.next
    }
  }
  const watch = await scene.engine.watchChanges({
    account,
    ...(task !== undefined && { task }),
    onNews() {
      reader.news += 1
      reading = reading.then(read)
    },
    onEnd: () => void (reader.ended += 1),
  })
  position ??= watch.position
  reading = reading.then(read)
  await reading
  return reader
}

/** Where the account's feed stood behind so many events. */
async function toPosition({ storage }: Scene, position: number): Promise<ChangePosition> {
  const feed = await storage.findFeed(account)
  const [entry] = await storage.readFeed({ account, after: position - 1, limit: 1 })
  const event = storage.events.get(entry?.task ?? "")?.[(entry?.version ?? 0) - 1]
  assert.ok(feed !== undefined && event !== undefined)
  return { feed: feed.id, position, digits: toHashDigits(event.hash) }
}

type Changes = Extract<ChangePage, { kind: "changes" }>

async function readOn(scene: Scene, after: ChangePosition): Promise<Changes> {
  const page = await scene.engine.readChanges({ account, after })
  assert.ok(page.kind === "changes", "nothing is lost")
  return page
}

/** What happened to the account's task after an event. */
async function listAfter(
  scene: Scene,
  id: string,
  after: EventPlace,
): Promise<readonly TaskChange[]> {
  const page = await scene.engine.listChanges({ account, id, after })
  assert.ok(page?.kind === "changes", "nothing is lost")
  return page.changes
}

function toPlace({ hash, version }: TaskChange): EventPlace {
  return { version, digits: toHashDigits(hash) }
}

const STORY = ["submitted", "dispatched", "accepted", "succeeded"]

describe("whoever watches an account", () => {
  it("reads every event of its tasks once, in order, with the task as it left it", async () => {
    const scene = createScene({ channels: [createSlowChannel()] })
    const before = await scene.submit()
    const reader = await follow(scene)
    const first = await scene.submit()
    const second = await scene.submit()
    await scene.clock.advance(60_000)
    for (const { id } of [first, second]) {
      const own = reader.seen.filter((line) => line.startsWith(id))
      assert.deepEqual(
        own,
        STORY.map((type, index) => `${id} ${index + 1} ${type}`),
      )
    }
    assert.equal(new Set(reader.seen).size, reader.seen.length)
    assert.ok(!reader.seen.includes(`${before.id} 1 submitted`), "it began before the watch")
    const changes = await listAfter(scene, first.id, TASK_BEGIN)
    assert.deepEqual(
      changes.map(({ version, task }) => [version, task.version, task.state]),
      [
        [1, 1, "queued"],
        [2, 2, "dispatching"],
        [3, 3, "running"],
        [4, 4, "succeeded.available"],
      ],
    )
    const [, , third = assert.fail()] = changes
    assert.deepEqual(await listAfter(scene, first.id, toPlace(third)), changes.slice(3))
    for (const { hash, task, version } of changes) {
      const found = await scene.engine.findTaskAt({ account, id: first.id, version })
      assert.deepEqual(found, { task, hash })
    }
    const none = { account, id: first.id, version: 5 }
    assert.equal(await scene.engine.findTaskAt(none), undefined)
  })

  it("is told a hundred changes of a task at a time, and the next hundred after the last", async () => {
    const scene = createScene({ channels: [createScriptedChannel({ submits: [completed()] })] })
    const maxRetentionMs = 3_650 * 86_400_000
    const settings = { maxRetentionMs }
    await scene.storage.setAccount({ id: "ada", now: scene.clock.now(), settings })
    const { id } = await scene.submit()
    const task = await scene.engine.finished(id)
    assert.ok(task !== undefined)
    for (let part = 1; part <= 100; part += 1) {
      const heldUntil: number = task.finishedAt + (maxRetentionMs * part) / 100
      assert.equal(
        (await scene.engine.holdArtifacts({ account: "ada", id, until: heldUntil }))?.kind,
        "held",
      )
    }
    const newest = await scene.read(id)
    assert.ok(newest.version > 100)
    const first = await listAfter(scene, id, TASK_BEGIN)
    const rest = await listAfter(scene, id, toPlace(first.at(-1) ?? assert.fail()))
    assert.deepEqual(
      [...first, ...rest].map(({ task: after, version }) => [version, after.version]),
      Array.from({ length: newest.version }, (_, index) => [index + 1, index + 1]),
    )
    assert.equal(first.length, 100)
    assert.deepEqual(rest.at(-1)?.task, newest)
    assert.deepEqual(await listAfter(scene, id, toPlace(rest.at(-1) ?? assert.fail())), [])
  })

  it("learns nothing of another account's tasks", async () => {
    const scene = createScene({ channels: [createSlowChannel()] })
    const { id } = await scene.submit()
    const of = { account: "other", id }
    assert.equal(await scene.engine.listChanges({ ...of, after: TASK_BEGIN }), undefined)
    assert.equal(await scene.engine.findTaskAt({ ...of, version: 1 }), undefined)
    const { position } = await scene.engine.watchChanges({
      account: "other",
      onNews: () => assert.fail("it was told"),
      onEnd() {},
    })
    await scene.submit()
    await scene.clock.advance(60_000)
    const page = await scene.engine.readChanges({ account: "other", after: position })
    assert.deepEqual(page, { kind: "changes", changes: [], next: position })
  })

  it("of one task is told of that one alone", async () => {
    const scene = createScene({ channels: [createSlowChannel()], isStarted: false })
    const mine = await scene.submit()
    const reader = await follow(scene, undefined, mine.id)
    await scene.clock.advance(1)
    const told = reader.news
    await scene.submit()
    await scene.clock.advance(1)
    assert.equal(reader.news, told)
    scene.engine.start()
    await scene.clock.advance(60_000)
    assert.ok(reader.news > told)
  })

  it("who comes back finds what it missed, at another process too", async () => {
    const scene = createScene({ channels: [createSlowChannel()] })
    const reader = await follow(scene)
    const { id } = await scene.submit()
    // What it was told of before is read.
    await scene.clock.advance(0)
    reader.end()
    reader.end()
    const seen = reader.seen.length
    await scene.clock.advance(60_000)
    assert.equal(reader.seen.length, seen, "an ended watch is told nothing")
    const { clock, storage } = scene
    const other = createScene({ channels: [createSlowChannel()], clock, storage })
    const again = await follow(other, reader.position())
    const all = [...reader.seen, ...again.seen]
    assert.deepEqual(
      all,
      STORY.map((type, index) => `${id} ${index + 1} ${type}`),
    )
  })

  it("is told by the next look where another process tells nobody", async () => {
    const scene = createScene({ channels: [createSlowChannel()], isStarted: false })
    scene.storage.onFed = () => () => {}
    const reader = await follow(scene)
    await scene.submit()
    assert.deepEqual(reader.seen, [])
    await scene.clock.advance(SETTINGS.idlePollMs)
    assert.equal(reader.seen.length, 1)
  })

  it("misses nothing while the storage is away", async () => {
    const scene = createScene({ channels: [createSlowChannel()], isStarted: false })
    const reader = await follow(scene)
    const { readFeed, findFeed } = scene.storage
    const away = async () => {
      throw new SafelightError({ code: "storage-unavailable", message: "away", retryable: true })
    }
    Object.assign(scene.storage, { readFeed: away, findFeed: away })
    await scene.submit()
    await scene.clock.advance(5 * SETTINGS.idlePollMs)
    assert.deepEqual(reader.seen, [])
    Object.assign(scene.storage, { readFeed, findFeed })
    await scene.clock.advance(SETTINGS.idlePollMs)
    assert.equal(reader.seen.length, 1)
  })

  it("starts over where the position is of another feed, ahead of it, or forgotten", async () => {
    const scene = createScene({ channels: [createSlowChannel()], isStarted: false })
    const reader = await follow(scene)
    const begun = reader.position()
    for (let count = 0; count < 4; count += 1) await scene.submit()
    const [one, two, three, now] = await Promise.all(
      [1, 2, 3, 4].map((position) => toPosition(scene, position)),
    )
    assert.ok(one !== undefined && two !== undefined && three !== undefined && now !== undefined)
    const lost = [
      { ...one, feed: "another" },
      { ...now, position: 5 },
      // Another event was there when the reader came by.
      { ...two, digits: one.digits },
      { ...begun, digits: one.digits },
    ]
    for (const after of lost) {
      const page = await scene.engine.readChanges({ account, after })
      assert.deepEqual(page, { kind: "lost", position: now })
    }
    reader.end()
    await scene.clock.advance(2 * SETTINGS.idlePollMs)
    await scene.storage.forgetFeed({ account, now: 0, before: 1e15, limit: 2 })
    for (const after of [begun, two]) {
      const page = await scene.engine.readChanges({ account, after })
      assert.deepEqual(page, { kind: "lost", position: now })
    }
    assert.equal((await readOn(scene, three)).changes.length, 1)
  })

  it("goes on behind an event that is older than what a feed keeps, and was the newest", async () => {
    const scene = createScene({
      channels: [createSlowChannel()],
      isStarted: false,
      queueUnavailable: true,
    })
    const reader = await follow(scene)
    await scene.submit()
    await scene.submit()
    await scene.clock.advance(SETTINGS.feedMs)
    const position = reader.position()
    reader.end()
    await scene.clock.advance(2 * SETTINGS.idlePollMs)
    const { id } = await scene.submit()
    const now = scene.clock.now()
    const before = now - SETTINGS.feedMs
    assert.equal(await scene.storage.forgetFeed({ account, now, before, limit: 9 }), 1)
    const { changes } = await readOn(scene, position)
    assert.deepEqual(
      changes.map(({ task }) => task.id),
      [id],
    )
  })

  it("is told where its database lost events and others took their places", async () => {
    const scene = createScene({ channels: [createSlowChannel()], isStarted: false })
    const reader = await follow(scene)
    const kept = await scene.submit()
    const gone = await scene.submit()
    await scene.clock.advance(1_000)
    const lost = reader.position()
    scene.storage.goBack(gone.id, 0)
    const other = await scene.submit()
    await scene.clock.advance(0)
    const expected = [`${kept.id} 1 submitted`, `${gone.id} 1 submitted`, "lost"]
    assert.deepEqual(reader.seen, expected)
    const position = await toPosition(scene, 2)
    assert.equal((await scene.engine.findTask({ account, id: other.id }))?.id, other.id)
    assert.deepEqual(reader.position(), position)
    const page = await scene.engine.readChanges({ account, after: lost })
    assert.deepEqual(page, { kind: "lost", position })
    const next = await scene.submit()
    await scene.clock.advance(1_000)
    assert.deepEqual(reader.seen, [...expected, `${next.id} 1 submitted`])
  })

  it("of one task is told where another event took the version of a lost one", async () => {
    const channel = createScriptedChannel({ submits: [completed()] })
    const scene = createScene({ channels: [channel], isStarted: false })
    const { id } = await scene.submit()
    scene.engine.start()
    await scene.engine.finished(id)
    const lost = await listAfter(scene, id, TASK_BEGIN)
    scene.storage.goBack(id, 1)
    const after = lost.map(toPlace)
    const pages = await Promise.all(
      after.map((place) => scene.engine.listChanges({ account, id, after: place })),
    )
    assert.deepEqual(
      pages.map((page) => page?.kind),
      ["changes", ...lost.slice(1).map(() => "lost")],
    )
  })

  it("starts over where an entry is forgotten from between two that are newer than it", async () => {
    const scene = createScene({ channels: [createSlowChannel()], isStarted: false })
    const reader = await follow(scene)
    const begun = reader.position()
    const { readFeed } = scene.storage
    // What is left of a feed whose second entry a clock that was behind has made older than the first.
    const readGap: typeof readFeed = async (request) => {
      const entries = await readFeed(request)
      return entries.filter(({ position }) => position !== 2)
    }
    Object.assign(scene.storage, { readFeed: readGap })
    for (let count = 0; count < 3; count += 1) await scene.submit()
    await scene.clock.advance(SETTINGS.idlePollMs)
    assert.deepEqual(reader.seen, ["lost"])
    const page = await scene.engine.readChanges({ account, after: begun })
    assert.deepEqual(page, { kind: "lost", position: await toPosition(scene, 3) })
    await scene.submit()
    await scene.clock.advance(0)
    assert.equal(reader.seen.length, 2, "it is told of what comes next")
  })

  it("is told where its feed was begun anew", async () => {
    const scene = createScene({ channels: [createSlowChannel()], isStarted: false })
    const reader = await follow(scene)
    await scene.submit()
    await scene.clock.advance(0)
    const { news } = reader
    await scene.storage.limitFeed({ account, until: 0 })
    await scene.storage.forgetFeed({ account, now: 1e15, before: 0, limit: 9 })
    await scene.clock.advance(SETTINGS.idlePollMs)
    assert.equal(reader.news, news + 1)
    assert.deepEqual(reader.seen.slice(1), ["lost"])
    await scene.submit()
    await scene.clock.advance(SETTINGS.idlePollMs)
    assert.equal(reader.seen.length, 3)
  })

  it("keeps the feed as long as it watches; a sweep removes it an hour later", async () => {
    const scene = createScene({ channels: [createSlowChannel()], isStarted: false })
    const reader = await follow(scene)
    await scene.submit()
    for (let hours = 0; hours < 3; hours += 1) {
      await scene.clock.advance(SETTINGS.feedMs)
      await scene.engine.sweep()
    }
    assert.notEqual(await scene.storage.findFeed(account), undefined)
    reader.end()
    await scene.clock.advance(SETTINGS.feedMs + 2 * SETTINGS.idlePollMs)
    await scene.engine.sweep()
    assert.equal(await scene.storage.findFeed(account), undefined)
  })

  it("has its old entries forgotten by one of the processes that sweep, as hours are summed, another one in time", async () => {
    const scene = createScene({ channels: [createSlowChannel()] })
    const other = createScene({ ...scene, channels: [createSlowChannel()] })
    await scene.clock.advance(30_000)
    const forgotten: string[] = []
    let summed = 0
    const { forgetFeed, sumHours } = scene.storage
    scene.storage.sumHours = (request) => {
      summed += 1
      return sumHours(request)
    }
    await scene.storage.openFeed({ account, until: scene.clock.now() + 1_000_000 })
    const sweepers = new Set<string>()
    for (let minute = 0; minute < 12; minute += 1) {
      for (const [name, { engine }] of Object.entries({ scene, other })) {
        scene.storage.forgetFeed = (request) => {
          forgotten.push(request.account)
          sweepers.add(name)
          return forgetFeed(request)
        }
        await engine.sweep(undefined, "retention")
      }
      assert.deepEqual([forgotten.length, summed], [minute + 1, minute + 1])
      await scene.clock.advance(60_000)
    }
    assert.equal(sweepers.size, 2)
  })

  it("costs nothing once it has gone", async () => {
    const scene = createScene({ channels: [createSlowChannel()], isStarted: false })
    const reader = await follow(scene)
    reader.end()
    await scene.clock.advance(2 * SETTINGS.idlePollMs)
    scene.storage.findFeed = async () => assert.fail("somebody looks at the feed")
    await scene.clock.advance(10 * SETTINGS.idlePollMs)
  })

  it("is told of the end of the engine, and nobody watches after it", async () => {
    const scene = createScene({ channels: [createSlowChannel()] })
    const reader = await follow(scene)
    await scene.engine.stop()
    assert.equal(reader.ended, 1)
    const late = scene.engine.watchChanges({ account, onNews() {}, onEnd() {} })
    await assert.rejects(late, { code: "overloaded" })
  })

  it("has the events of a busy moment read together, from its first on", async () => {
    const scene = createScene({ channels: [createSlowChannel()], isStarted: false })
    const reader = await follow(scene)
    const { readFeed } = scene.storage
    let reads = 0
    scene.storage.readFeed = (request) => {
      reads += 1
      return readFeed(request)
    }
    await scene.submit()
    await until(() => reader.seen.length === 1)
    for (let count = 0; count < 50; count += 1) await scene.submit()
    await scene.clock.advance(1_000)
    await until(() => reader.seen.length === 51)
    assert.equal(reads, 2)
  })

  it("reads more pages than one", async () => {
    const scene = createScene({ channels: [createSlowChannel()], isStarted: false })
    const reader = await follow(scene)
    reader.end()
    for (let count = 0; count < 450; count += 1) await scene.submit()
    const again = await follow(scene, reader.position())
    await scene.clock.advance(1_000)
    assert.equal(again.seen.length, 450)
  })
})
