/**
 * Sealing and opening: the hash chain breaks at any change of any field, and what earlier releases
 * wrote (`golden/schema-*.json`, a file for each shape that a release adds) still reads, hashes and folds as it did. The
 * golden hashes were also computed by another program; never rewrite them, add a file.
 */
import assert from "node:assert/strict"
import { createHash, randomUUID } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"
import {
  emptyTask,
  EVENT_DATA,
  EVENT_SCHEMAS,
  EVENT_TYPES,
  evolve,
  fold,
  fromSnapshot,
  GENESIS_HASH,
  hashEvent,
  isArtifactLocator,
  isSafelightError,
  isTerminal,
  MAX_CHARGE_MICROS,
  MAX_LOCATOR_CHARACTERS,
  openEvent,
  openEventStrictly,
  openParsedEvent,
  parseJson,
  project,
  sealEvents,
  toArtifactLocator,
  toArtifacts,
  toCanonicalJson,
  toChargeRow,
  toStatus,
  toTaskFailure,
  toTaskRow,
  upcast,
  type AccountTotals,
  type ChargeRow,
  type EventSchemas,
  type Json,
  type ManifestEntry,
  type StoredEvent,
  type Task,
  type TaskEvent,
  type Usage,
} from "@safelight/core"
import { createSampleSealer } from "@safelight/testkit"
import * as fc from "fast-check"
import * as v from "valibot"
import { eventDraft, eventDrafts, toEvent } from "./support/arbitrary-event.ts"
import { check } from "./support/property.ts"
import { sha256 } from "./support/sha256.ts"

interface Stream {
  readonly events: readonly StoredEvent[]
  readonly task: Task
}

interface Golden {
  readonly streams: readonly Stream[]
}

const folder = join(import.meta.dirname, "golden")
const golden = readdirSync(folder)
  .filter((file) => file.startsWith("schema-"))
  .map((file) => toGolden(readFileSync(join(folder, file), "utf8")))
const stored = golden.flatMap(({ streams }) => streams.flatMap(({ events }) => events))

/** Events of before members were sealed are in files that don't name what they lack. */
function toGolden(text: string): Golden {
  const { streams } = JSON.parse(text) as Golden
  const toWhole = ({ events, task }: Stream): Stream => {
    return { events: events.map((event) => ({ ...event, sealed: event.sealed ?? null })), task }
  }
  return { streams: streams.map(toWhole) }
}

const sealer = createSampleSealer("stored events")

/** One change to the data of an event: what it does, where, and the value that is then there. */
const alteration = fc.record({
  at: fc.nat({ max: 1_000 }),
  kind: fc.constantFrom("replace", "replace", "add", "delete"),
  value: fc.oneof(
    fc.constantFrom(-1, 0, 0.5, 1, 2 ** 53, 1e300, true, null, "", "x", "x".repeat(201)),
    fc.constantFrom([], {}, ["x"], [1, -1], { a: {} }, "AB".repeat(32), "ab".repeat(32)),
  ),
})

/** Every object and list in `value`, itself first. */
function findHolders(value: unknown): Record<string, unknown>[] {
  if (typeof value !== "object" || value === null) return []
  const children = Object.values(value).flatMap(findHolders)
  return [value as Record<string, unknown>, ...children]
}

const codeOf = (action: () => unknown): string | undefined => {
  try {
    action()
    return undefined
  } catch (error) {
    assert.ok(isSafelightError(error))
    return error.code
  }
}

function sealDrafts(drafts: Parameters<typeof toEvent>[1][]): {
  events: TaskEvent[]
  stored: StoredEvent[]
} {
  let task = emptyTask("task-1")
  const events: TaskEvent[] = []
  for (const draft of drafts) {
    const event = toEvent(task, draft)
    const next = evolve(task, event)
    if (next !== task) events.push(event)
    task = next
  }
  const head = { task: "task-1", version: 0, hash: GENESIS_HASH }
  return { events, stored: sealEvents(createSampleSealer(""), head, events) }
}

/** What the changes of event after event add up to. */
function foldChanges(events: readonly TaskEvent[]): {
  readonly charged: readonly ChargeRow[]
  readonly totals: AccountTotals
} {
  const charged: ChargeRow[] = []
  let totals: AccountTotals = { chargedMicros: 0, reservedMicros: 0, unfinishedTasks: 0 }
  for (const [index, event] of events.entries()) {
    const changes = project(fold("task-1", events.slice(0, index + 1)), GENESIS_HASH, [event])
    if (changes.charge !== undefined) charged.push(changes.charge)
    totals = {
      chargedMicros: totals.chargedMicros + (changes.totals?.chargedMicros ?? 0),
      reservedMicros: totals.reservedMicros + (changes.totals?.reservedMicros ?? 0),
      unfinishedTasks: totals.unfinishedTasks + (changes.totals?.unfinishedTasks ?? 0),
    }
  }
  return { charged, totals }
}

function sha256Of(text: string): string {
  return createHash("sha256").update(text).digest("hex")
}

/** Seals events again with the schemas and the salts that they have. */
function sealAsBefore(
  { hash, task }: { readonly hash: string; readonly task: string },
  events: readonly StoredEvent[],
): StoredEvent[] {
  const keep = (data: unknown): unknown => data
  const ends = { succeeded: [keep, keep], failed: [keep, keep] }
  const others = { submitted: [keep], dispatched: [keep], accepted: [keep], deferred: [keep] }
  let head = { hash, task, version: 0 }
  return events.map((event) => {
    const { salt } = JSON.parse(event.sealed ?? "{}") as { salt?: string }
    const written = { ...EVENT_SCHEMAS.written, [event.type]: event.schema }
    const createSalt = () => salt ?? assert.fail(`${event.type} has no salt`)
    const schemas = { ...EVENT_SCHEMAS, downcasters: { ...others, ...ends }, written }
    const again = sealEvents({ digest: sha256, createSalt }, head, [openEvent(event)], schemas)
    const [sealedAgain] = again
    assert.ok(sealedAgain)
    head = { hash: sealedAgain.hash, task, version: event.version }
    return sealedAgain
  })
}

describe("the hash of an event", () => {
  it("is that of the canonical text, whatever names the task and the type, and whose hash was made before", (t) => {
    const name = fc.oneof(fc.constantFrom("task-1", 'a"b', "\\", "\n", "…"), fc.string())
    const type = fc.oneof(fc.constantFrom(...EVENT_TYPES), name)
    const event = fc.record({ task: name, type, at: fc.nat(), version: fc.nat(), schema: fc.nat() })
    check(
      t,
      fc.property(fc.array(event), (events) => {
        for (const { at, schema, task, type: kind, version } of events) {
          const open = { at, data: "{}", schema, task, type: kind, version }
          const text = JSON.stringify({ ...open, data: {} })
          const expected = sha256(["safelight:event:1\n", { hex: GENESIS_HASH }, text])
          assert.equal(hashEvent(sha256, GENESIS_HASH, open), expected)
        }
      }),
    )
  })
})

describe("the golden log", () => {
  it("holds every event type, at every schema version up to today's", () => {
    const kinds = new Set(stored.map(({ type, schema }) => `${type} ${schema}`))
    const due = EVENT_TYPES.flatMap((type) => {
      return Array.from(
        { length: EVENT_SCHEMAS.written[type] },
        (_, index) => `${type} ${index + 1}`,
      )
    })
    assert.deepEqual([...kinds].toSorted(), due.toSorted())
  })

  it("has the hashes it always had, computed here without core", () => {
    let previous = GENESIS_HASH
    for (const { hash, ...event } of stored) {
      if (event.version === 1) previous = GENESIS_HASH
      const { at, data, schema, sealed, task, type, version } = event
      const digest = sealed === null ? undefined : sha256Of(sealed)
      const second = digest === undefined ? "" : `"sealed":"${digest}",`
      const text = `{"at":${at},"data":${data},"schema":${schema},${second}"task":"${task}","type":"${type}","version":${version}}`
      const expected = createHash("sha256")
        .update("safelight:event:1\n")
        .update(Buffer.from(previous, "hex"))
        .update(text)
        .digest("hex")
      assert.equal(hash, expected)
      assert.equal(hashEvent(sha256, previous, event), expected)
      assert.equal(toCanonicalJson({ ...event, data: JSON.parse(data), sealed: digest }), text)
      previous = hash
    }
  })

  it("opens strictly and folds to the tasks it always made", () => {
    for (const { streams } of golden) {
      for (const { events, task } of streams) {
        assert.deepEqual(fold(task.id, events.map(openEventStrictly)), task)
      }
    }
  })

  it("holds a result whose expiry is not shown, which is bounded all the same", () => {
    const tasks = golden.flatMap(({ streams }) => streams.map(({ task }) => task))
    const [task] = tasks.filter(({ artifacts }) => artifacts.some((each) => each.expiryHidden))
    assert.equal(task?.state, "succeeded.expired")
    const [row] = toArtifacts(task)
    assert.deepEqual([row?.expiryHidden, row?.expiresAt], [true, 1_209_600_000])
    const others = tasks.filter((each) => each !== task).flatMap(toArtifacts)
    assert.ok(others.length > 0 && others.every(({ expiryHidden }) => !expiryHidden))
  })

  it("is sealed again to the very same text, whatever its schema", () => {
    for (const { streams } of golden) {
      for (const { events, task } of streams) {
        const head = { task: task.id, version: 0, hash: GENESIS_HASH }
        assert.deepEqual(sealAsBefore(head, events), events)
      }
    }
  })
})

describe("an event that a strict reader would refuse", () => {
  const seal = (event: TaskEvent) =>
    sealEvents(sealer, { task: "task-1", version: 0, hash: GENESIS_HASH }, [event])
  const find = (type: TaskEvent["type"]): TaskEvent => {
    const found = stored.find((event) => event.type === type)
    assert.ok(found)
    return openEvent(found)
  }
  const change = (type: TaskEvent["type"], data: object, at = 1_000): TaskEvent =>
    ({ type, at, data: { ...find(type).data, ...data } }) as TaskEvent

  it("is never sealed, and the member is named", () => {
    const success = find("succeeded")
    assert.ok(success.type === "succeeded")
    const [artifact] = success.data.artifacts
    const alter = (data: object) => change("succeeded", { artifacts: [{ ...artifact, ...data }] })
    const video = { ...artifact, key: "video", type: "video", durationMs: 5_000 }
    const usage = { images: 1, inputVideosMs: [], outputVideoMs: 0 }
    const wrong: readonly (readonly [TaskEvent, string])[] = [
      [change("deferred", { reason: "" }), "reason"],
      [change("deferred", { reason: "r".repeat(201) }), "reason"],
      [change("deferred", { retryAt: 0.5 }), "retryAt"],
      [change("doubted", { code: "" }), "code"],
      [change("submitted", { account: "" }), "account"],
      [change("submitted", { reservationMicros: MAX_CHARGE_MICROS + 1 }), "reservationMicros"],
      [change("succeeded", { chargeMicros: -1 }), "chargeMicros"],
      [change("succeeded", { usage: { ...usage, outputVideoMs: Number.NaN } }), "usage"],
      [alter({ mimeType: "" }), "mimeType"],
      [alter({ durationMs: -5_000 }), "durationMs"],
      [alter({ durationMs: 5_000 }), "durationMs"],
      [alter({ type: "video" }), "durationMs"],
      [alter({ type: "video", durationMs: 0 }), "durationMs"],
      [change("succeeded", { artifacts: [] }), "artifacts"],
      [
        change("succeeded", { artifacts: [artifact, { ...video, key: artifact?.key }] }),
        "artifacts",
      ],
      [alter({ type: "audio", durationMs: null }), "durationMs"],
      [alter({ type: "audio", durationMs: 0 }), "durationMs"],
      [alter({ type: "text", durationMs: 5_000 }), "durationMs"],
      [alter({ type: "3d", durationMs: 5_000 }), "durationMs"],
      [alter({ type: "sound" }), "type"],
      [change("succeeded", { usage: { ...usage, outputAudioMs: 0 } }), "outputAudioMs"],
      [change("succeeded", { usage: { ...usage, characters: 0 } }), "characters"],
      [change("failed", { usage: { ...usage, tokens: -1 } }), "tokens"],
      [alter({ locator: "p".repeat(MAX_LOCATOR_CHARACTERS + 1) }), "locator"],
      [change("failed", { usage: { ...usage, images: 1.5 } }), "usage"],
      [change("accepted", { operation: Number.POSITIVE_INFINITY }), "operation"],
      [change("deferred", {}, 1.5), "happened at 1.5"],
    ]
    for (const [event, member] of wrong) {
      assert.throws(
        () => seal(event),
        (error) => error instanceof TypeError && error.message.includes(member),
        `${event.type} with a wrong ${member} was sealed`,
      )
    }
  })

  it("is none that names the longest locator that there is", () => {
    const success = find("succeeded")
    assert.ok(success.type === "succeeded")
    const longest = { task: "t".repeat(240), key: "k".repeat(240), random: randomUUID() }
    const locator = toArtifactLocator(longest, (text) => sha256([text]))
    assert.equal(locator.length, MAX_LOCATOR_CHARACTERS)
    assert.ok(isArtifactLocator(locator))
    const [artifact] = success.data.artifacts
    const [sealedEvent] = seal(change("succeeded", { artifacts: [{ ...artifact, locator }] }))
    assert.ok(sealedEvent !== undefined && openEventStrictly(sealedEvent))
  })
})

/** The text with any byte changed, a character more and one less. */
function listChanges(text: string): readonly string[] {
  const bytes = Buffer.from(text)
  const flipped = Array.from(bytes, (byte, index) =>
    [0x01, 0x20].map((flip) => {
      const changed = Buffer.from(bytes)
      changed[index] = byte ^ flip
      return changed.toString("utf8")
    }),
  )
  return [...flipped.flat(), `${text} `, text.slice(0, -1)].filter((changed) => changed !== text)
}

describe("a chain", () => {
  it("counts versions, starts from the genesis and goes on from any head", (t) => {
    const property = fc.property(eventDrafts, fc.nat({ max: 24 }), (drafts, cut) => {
      const { events } = sealDrafts([...drafts])
      const createSalt = () => "the-same-salt-for-each"
      const same = { digest: sha256, createSalt }
      const head = { task: "task-1", version: 0, hash: GENESIS_HASH }
      const whole = sealEvents(same, head, events)
      assert.deepEqual(
        whole.map(({ version }) => version),
        events.map((_, index) => index + 1),
      )
      const first = whole.slice(0, cut)
      const { hash, version } = first.at(-1) ?? { hash: GENESIS_HASH, version: 0 }
      const rest = sealEvents(same, { task: "task-1", version, hash }, events.slice(cut))
      assert.deepEqual([...first, ...rest], whole)
    })
    check(t, property, 100)
  })

  it("opens to the events that were sealed", (t) => {
    const property = fc.property(eventDrafts, (drafts) => {
      const { events, stored: whole } = sealDrafts([...drafts])
      const plain = JSON.parse(JSON.stringify(events)) as TaskEvent[]
      assert.deepEqual(whole.map(openEventStrictly), plain)
      assert.deepEqual(whole.map(openEvent), plain)
    })
    check(t, property, 100)
  })

  it("breaks when any byte of any field changes", () => {
    let previous = GENESIS_HASH
    for (const { hash, ...event } of stored) {
      if (event.version === 1) previous = GENESIS_HASH
      const hashed = (change: Partial<StoredEvent>): string =>
        hashEvent(sha256, previous, { ...event, ...change })
      assert.equal(hashed({}), hash)
      for (const field of ["task", "type", "data", "sealed"] as const) {
        const text = event[field] ?? ""
        for (const changed of listChanges(text)) {
          assert.notEqual(hashed({ [field]: changed }), hash)
        }
      }
      assert.notEqual(hashed({ sealed: event.sealed === null ? "{}" : null }), hash)
      for (const field of ["at", "schema", "version"] as const) {
        for (const step of [1, -1, 10, 1_000, 2 ** 32]) {
          assert.notEqual(hashed({ [field]: event[field] + step }), hash)
        }
      }
      for (let index = 0; index < 64; index += 1) {
        const digit = (Number.parseInt(previous[index] ?? "", 16) ^ 1).toString(16)
        const changed = `${previous.slice(0, index)}${digit}${previous.slice(index + 1)}`
        assert.notEqual(hashEvent(sha256, changed, event), hash)
      }
      previous = hash
    }
  })

  it("tells apart events whose fields run together to the same characters", () => {
    const event = { at: 1, data: "{}", schema: 1, task: "a", type: "b", version: 1 }
    const variants = [
      event,
      { ...event, task: 'a","type":"b' },
      { ...event, task: "ab", type: "" },
      { ...event, task: "", type: "ab" },
      { ...event, at: 11, version: 1 },
      { ...event, at: 1, version: 11 },
    ]
    const hashes = new Set(variants.map((each) => hashEvent(sha256, GENESIS_HASH, each)))
    assert.equal(hashes.size, variants.length)
  })
})

describe("a release that reads a schema before it writes it", () => {
  // Schema 2 of a progress tells how it is known, which nobody wrote before.
  const toMembers = (data: unknown): Record<string, unknown> => ({ ...(data as object) })
  const ahead: EventSchemas = {
    ...EVENT_SCHEMAS,
    readable: { ...EVENT_SCHEMAS.readable, progressed: 2 },
    upcasters: { progressed: [(data) => ({ ...toMembers(data), source: "unknown" })] },
    downcasters: {
      progressed: [
        (data) => {
          const { source: _, ...rest } = toMembers(data)
          return rest
        },
      ],
    },
  }
  const event: TaskEvent = { type: "progressed", at: 1_000, data: { progress: 40 } }
  const head = { task: "task-1", version: 5, hash: GENESIS_HASH }

  it("has in memory what it reads, whichever version was stored", () => {
    const newest = { progress: 40, source: "unknown" }
    assert.deepEqual(upcast("progressed", 1, { progress: 40 }, ahead), newest)
    assert.deepEqual(upcast("progressed", 2, newest, ahead), newest)
  })

  it("writes what the release before it reads, byte for byte", () => {
    const [before] = sealEvents(sealer, head, [event])
    const later = { ...event, data: { progress: 40, source: "unknown" } }
    const undo = ahead.downcasters.progressed?.[0]
    assert.deepEqual(undo?.(later.data), event.data)
    assert.deepEqual(sealEvents(sealer, head, [event], ahead), [before])
    assert.equal(before?.schema, 1)
  })

  it("does neither without the steps in between", () => {
    const lacking = { ...ahead, downcasters: {}, upcasters: {} }
    assert.throws(() => upcast("progressed", 1, {}, lacking), /no way between schema 1 and 2/)
    assert.throws(() => sealEvents(sealer, head, [event], lacking), /no way between schema 1 and 2/)
  })
})

describe("a result of any kind", () => {
  const head = { task: "task-1", version: 3, hash: GENESIS_HASH }
  const image = {
    bytes: 1,
    durationMs: null,
    expiresAt: 1,
    key: "image_1",
    locator: "l",
    mimeType: "image/png",
    sha256: "ab".repeat(32),
    type: "image",
  } as const
  const video = { ...image, durationMs: 5, key: "video", type: "video" } as const
  const [text, audio] = [
    { ...image, key: "text", type: "text" },
    { ...video, key: "audio", type: "audio" },
  ] as const
  const used = { images: 1, inputVideosMs: [], outputVideoMs: 0 }
  const succeeded = (artifacts: readonly ManifestEntry[], usage: Usage = used): TaskEvent => ({
    type: "succeeded",
    at: 1,
    data: { artifacts: [...artifacts], chargeMicros: 1, cost: "none", usage },
  })
  const error = toTaskFailure("no_output")
  const failed = (usage: Usage | null): TaskEvent => ({
    type: "failed",
    at: 1,
    data: { chargeMicros: 1, cost: "none", error, usage },
  })
  const cases: readonly (readonly [string, TaskEvent])[] = [
    ["an image", succeeded([image])],
    ["images", succeeded([image, { ...image, key: "image_2" }])],
    ["a video", succeeded([video])],
    ["a failure", failed(null)],
    ["a failure that is billed", failed(used)],
    ["two videos", succeeded([video, { ...video, key: "video_2" }])],
    ["a video with a frame", succeeded([video, image])],
    ["a sound", succeeded([audio])],
    ["a text", succeeded([text])],
    ["an image whose prompt is counted", succeeded([image], { ...used, characters: 9 })],
    ["a video whose tokens are counted", succeeded([video], { ...used, tokens: 9 })],
    ["a failure of a sound that is billed", failed({ ...used, outputAudioMs: 9 })],
  ]

  for (const [what, event] of cases) {
    it(`has the newest schema if it is ${what}, and opens as it was`, () => {
      const [written] = sealEvents(sealer, head, [event])
      assert.equal(written?.schema, 3)
      assert.deepEqual(written && openEventStrictly(written), event)
    })
  }
})

describe("a stored event", () => {
  const sample = stored.find(({ type }) => type === "progressed") as StoredEvent

  it("of an unknown type or a later schema is the work of a newer release", () => {
    for (const change of [{ type: "cancelled" }, { type: "constructor" }, { schema: 2 }]) {
      assert.equal(
        codeOf(() => openEvent({ ...sample, ...change })),
        "schema-too-new",
      )
    }
  })

  it("of a schema that never was, or whose data is not JSON, is corrupt", () => {
    for (const change of [
      { schema: 0 },
      { schema: -1 },
      { schema: 0.5 },
      { data: "{" },
      { data: "" },
    ]) {
      assert.equal(
        codeOf(() => openEvent({ ...sample, ...change })),
        "storage-corrupt",
      )
    }
  })

  it("names itself when it can't be read", () => {
    const expected = {
      message: /^event 6 of task 0198c0de-0000-7000-8000-000000000001 can't be read: /,
    }
    assert.throws(() => openEvent({ ...sample, type: "cancelled" }), expected)
    assert.throws(() => openEventStrictly({ ...sample, data: '{"progress":100}' }), expected)
  })

  it("is opened from data that was parsed before, as strictly", () => {
    for (const event of stored) {
      const data = parseJson(event.data)
      assert.deepEqual(openParsedEvent(event, data), openEventStrictly(event))
    }
    for (const data of [undefined, null, [], { progress: 100 }]) {
      assert.equal(
        codeOf(() => openParsedEvent(sample, data)),
        "storage-corrupt",
      )
    }
  })

  it("is opened strictly only if every member fits", () => {
    const misfits: Readonly<Record<string, readonly object[]>> = {
      submitted: [
        {},
        { account: "" },
        { commitment: "C0".repeat(32) },
        { endBy: 1.5 },
        { extra: 1 },
        { parameters: { size: {} } },
        { reservationMicros: -1 },
      ],
      dispatched: [{}, { attempt: -1 }, { channel: "" }, { upstreamKey: 7 }, { extra: 1 }],
      accepted: [{}, { extra: 1 }],
      doubted: [{}, { code: "" }],
      deferred: [{}, { retryAt: "soon" }],
      progressed: [{}, { progress: 0 }, { progress: 100 }, { progress: 1.5 }],
      succeeded: [{}, { artifacts: [{}] }, { chargeMicros: 0.5 }, { usage: { images: 1 } }],
      failed: [
        {},
        { chargeMicros: -1 },
        { error: { code: "other", message: "", type: "generation_error" } },
      ],
      held: [{}, { until: -1 }, { until: 1.5 }, { extra: 1 }],
      expired: [{}, { keys: [""] }, { keys: "image_1" }],
    }
    for (const type of EVENT_TYPES) {
      const event = stored.find((each) => each.type === type) as StoredEvent
      const whole = JSON.parse(event.data) as object
      for (const change of misfits[type] ?? []) {
        const data = JSON.stringify(Object.keys(change).length === 0 ? {} : { ...whole, ...change })
        assert.equal(
          codeOf(() => openEventStrictly({ ...event, data })),
          "storage-corrupt",
          `${type} ${data}`,
        )
      }
    }
  })

  it("fits exactly where valibot says that it fits", (t) => {
    const outcomes = { true: 0, false: 0 }
    const property = fc.property(eventDraft, alteration, (draft, { at, kind, value }) => {
      const event = toEvent({ ...emptyTask("task"), artifacts: [] }, draft)
      const data = JSON.parse(JSON.stringify(event.data)) as Record<string, unknown>
      const holders = findHolders(data)
      const holder = holders[at % holders.length] ?? data
      const keys = Object.keys(holder)
      const key = kind === "add" ? "extra" : (keys[at % keys.length] ?? "extra")
      if (kind === "delete") delete holder[key]
      else holder[key] = value
      const text = JSON.stringify(data)
      const fits = v.is(EVENT_DATA[event.type], JSON.parse(text))
      outcomes[`${fits}`] += 1
      // Of the newest schema whose events are one text.
      const newest = stored.findLast(
        ({ sealed: second, type }) => type === event.type && second === null,
      ) as StoredEvent
      const open = () => openEventStrictly({ ...newest, data: text })
      assert.equal(codeOf(open), fits ? undefined : "storage-corrupt", text)
    })
    check(t, property, 3_000)
    assert.ok(outcomes.true > 100 && outcomes.false > 100, JSON.stringify(outcomes))
  })
})

describe("the rows that a task makes", () => {
  it("are its own members, its artifacts in order, and the whole as one text that ends as it did at first", (t) => {
    const property = fc.property(eventDrafts, (drafts) => {
      const { events, stored: whole } = sealDrafts([...drafts])
      const task = fold("task-1", events)
      const hash = whole.at(-1)?.hash ?? GENESIS_HASH
      const row = toTaskRow(task, hash)
      assert.deepEqual(fromSnapshot(row.snapshot), JSON.parse(JSON.stringify(task)))
      const { id, account, model, createdAt, finishedAt, reservationMicros, version } = task
      const { snapshot, ...rest } = row
      assert.equal(snapshot, toTaskRow(fromSnapshot(snapshot), hash).snapshot)
      const first = toTaskRow(fold("task-1", events.slice(0, 1)), hash).snapshot
      assert.ok(snapshot.endsWith(first.slice(first.indexOf(',"account":'))))
      const status = toStatus(task)
      const times = { createdAt, finishedAt }
      const members = { id, account, model, ...times, reservationMicros, version, status, hash }
      assert.deepEqual(rest, members)
      const artifacts = toArtifacts(task)
      assert.deepEqual(
        artifacts.map(({ task: of, position, ...entry }) => [of, position, entry]),
        task.artifacts.map((entry, position) => [
          "task-1",
          position,
          { ...entry, expiryHidden: entry.expiryHidden === true },
        ]),
      )
      const changes = project(task, hash, events.slice(-1))
      assert.deepEqual(changes.task, row)
    })
    check(t, property)
  })

  it("are one text in whatever order a channel gave the members of its operation", () => {
    const withOperation = (operation: Json): string =>
      toTaskRow({ ...emptyTask("task-1"), operation }, GENESIS_HASH).snapshot
    const expected = withOperation({ id: "a", step: { at: 1, of: [2] } })
    assert.equal(withOperation({ step: { of: [2], at: 1 }, id: "a" }), expected)
    assert.match(expected, /^\{"state":.*,"operation":\{"id":"a","step":\{"at":1,"of":\[2\]\}\}/)
    assert.throws(() => withOperation({ id: "\ud800" }), TypeError)
    assert.match(withOperation({ id: "\\ud800" }), /"id":"\\\\ud800"/)
  })

  it("are a line of the bill once something was used, added by the event that ends the task", (t) => {
    const property = fc.property(eventDrafts, (drafts) => {
      const { events } = sealDrafts([...drafts])
      const { charged, totals } = foldChanges(events)
      const task = fold("task-1", events)
      assert.deepEqual(charged, task.usage === null ? [] : [toChargeRow(task)])
      const [charge] = charged
      if (charge !== undefined) {
        const { account, at, chargeMicros, images, priceVersion } = charge
        assert.deepEqual([account, at, priceVersion], [task.account, task.finishedAt, "default-1"])
        assert.deepEqual([chargeMicros, images], [task.chargeMicros, task.usage?.images])
      }
      const isOpen = task.version > 0 && !isTerminal(task)
      assert.deepEqual(totals, {
        chargedMicros: task.chargeMicros,
        reservedMicros: isOpen ? task.reservationMicros : 0,
        unfinishedTasks: isOpen ? 1 : 0,
      })
    })
    check(t, property)
  })

  it("are corrupt where the snapshot is not JSON", () => {
    assert.equal(
      codeOf(() => fromSnapshot("{")),
      "storage-corrupt",
    )
  })
})
