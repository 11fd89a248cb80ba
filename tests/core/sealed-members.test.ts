/**
 * The two texts of an event: nothing that is its operator's is in the one that its account may see, and what was
 * divided is whole again. A text that was not made so is refused.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  EVENT_TYPES,
  GENESIS_HASH,
  hashEvent,
  hashShownEvent,
  isSafelightError,
  openEvent,
  openEventStrictly,
  sealEvents,
  toShownEvent,
  toShownEvents,
  type StoredEvent,
  type TaskEvent,
} from "@safelight/core"
import { createSampleSealer, dispatchSample, submitSample, advanceSample } from "@safelight/testkit"
import * as fc from "fast-check"
import { check } from "./support/property.ts"
import { sha256 } from "./support/sha256.ts"

const HEAD = { task: "task-1", version: 0, hash: GENESIS_HASH }

/** Texts that occur nowhere else in an event: each is one of a kind and is looked for as it stands. */
const secret = fc.uuid().map((id) => `secret-${id}`)
/** No count, moment or charge of the drawn events is as large. */
const secretMicros = fc.integer({ min: 5_000_000_000, max: 9_000_000_000 })

const cost = fc.record({
  computedMicros: secretMicros,
  told: fc.record({ micros: secretMicros, unit: secret.map((text) => text.slice(0, 40)) }),
})

const entry = fc.record({
  bytes: fc.nat(),
  durationMs: fc.constant(null),
  expiresAt: fc.nat(),
  key: fc.constant("image"),
  locator: secret,
  mimeType: fc.constant("image/png"),
  sha256: fc.constant("ab".repeat(32)),
  type: fc.constant("image" as const),
})
const artifacts = fc
  .array(entry, { minLength: 1, maxLength: 4 })
  .map((entries) => entries.map((each, index) => ({ ...each, key: `image_${index + 1}` })))
const usage = fc.record({
  images: fc.nat(4),
  inputVideosMs: fc.array(fc.nat(9_000)),
  outputVideoMs: fc.nat(9_000),
})
const error = fc.constant({
  code: "no_output" as const,
  message: "The provider finished without any output.",
  type: "generation_error" as const,
})
const chargeMicros = fc.nat()
const reason = fc.constantFrom("provider_out_of_money", "provider_unavailable", "provider_busy")

const at = fc.nat()
const submitted = fc.record({
  account: fc.constant("ann"),
  commitment: fc.constant("c0".repeat(32)),
  endBy: fc.nat(),
  maxAttempts: fc.nat(),
  model: fc.constant("model-a"),
  parameters: fc.dictionary(fc.string(), fc.string()).map((given) => ({ ...given })),
  priceVersion: fc.constant("1"),
  reservationMicros: chargeMicros,
})

/** Events of every type, with everything that is the operator's one of a kind. */
const DATA: { readonly [Type in TaskEvent["type"]]: fc.Arbitrary<object> } = {
  submitted,
  dispatched: fc.record({
    attempt: fc.nat(9),
    because: fc.string(),
    channel: fc.constant("north"),
    lease: secret,
    sendBefore: secretMicros,
    upstreamKey: secret,
  }),
  accepted: fc.record({
    operation: fc.oneof(
      secret,
      fc.record({ id: secret, steps: fc.array(secretMicros) }),
      fc.record({
        [`__proto__`]: secret,
        "\0": secret,
        __é: fc.double({ noDefaultInfinity: true, noNaN: true }),
      }),
    ),
  }),
  doubted: fc.record({ code: fc.constant("connection_lost") }),
  deferred: fc.record({ cost, isRefusal: fc.boolean(), reason, retryAt: fc.nat() }),
  progressed: fc.record({ progress: fc.integer({ min: 1, max: 99 }) }),
  succeeded: fc.record({ artifacts, chargeMicros, cost, usage }),
  failed: fc.record({ chargeMicros, cost, error, usage: fc.option(usage) }),
  held: fc.record({ until: fc.nat() }),
  expired: fc.record({ keys: fc.array(fc.constant("image_1")) }),
}
const anyEvent = fc
  .constantFrom(...EVENT_TYPES)
  .chain((type) => fc.record({ type: fc.constant(type), at, data: DATA[type] }))
  .map((event) => event as unknown as TaskEvent)

function sealOne(event: TaskEvent, seed = "seed"): StoredEvent {
  const [stored] = sealEvents(createSampleSealer(seed), HEAD, [event])
  return stored ?? assert.fail("nothing was sealed")
}

/** Every text and number below `value` that stands for a secret. */
function listSecrets(value: unknown): readonly string[] {
  if (typeof value === "string") return value.includes("secret-") ? [value] : []
  if (typeof value === "number") return value >= 5_000_000_000 ? [String(value)] : []
  return typeof value === "object" && value !== null
    ? Object.values(value).flatMap(listSecrets)
    : []
}

/** Where the code is that of an event which can't be read. */
function isCorrupt(open: () => unknown): boolean {
  try {
    open()
    return false
  } catch (fault) {
    assert.ok(isSafelightError(fault), String(fault))
    assert.equal(fault.code, "storage-corrupt")
    return true
  }
}

describe("an event in two texts", () => {
  it("opens as it was sealed, whatever its type", (t) => {
    const property = fc.property(anyEvent, (event) => {
      const plain = JSON.parse(JSON.stringify(event)) as TaskEvent
      const stored = sealOne(event)
      assert.deepEqual(openEvent(stored), plain)
      assert.deepEqual(openEventStrictly(stored), plain)
    })
    check(t, property, 1_000)
  })

  it("shows nothing that is its operator's: not a secret, and not the name of one", (t) => {
    const seen = { secrets: 0, sealed: 0 }
    const property = fc.property(anyEvent, (event) => {
      const stored = sealOne(event)
      const secrets = listSecrets(event.data)
      seen.secrets += secrets.length
      seen.sealed += Number(stored.sealed !== null)
      assert.equal(stored.sealed !== null, HIDING.includes(event.type))
      const { sealed, ...open } = stored
      const shown = JSON.stringify([open, toShownEvent(sha256, stored)])
      for (const each of [...secrets, "out_of_money", "locator", "cost", "sendBefore"]) {
        assert.ok(!shown.includes(JSON.stringify(each).slice(1, -1)), `${each} in ${shown}`)
      }
      const { salt = "none" } = JSON.parse(sealed ?? "{}") as { readonly salt?: string }
      assert.ok(!shown.includes(salt))
    })
    check(t, property, 1_000)
    assert.ok(seen.secrets > 500 && seen.sealed > 200, JSON.stringify(seen))
  })

  it("has a salt of its own, and not the same text twice", (t) => {
    const property = fc.property(anyEvent, (event) => {
      const [one, other] = [sealOne(event, "one"), sealOne(event, "other")]
      assert.equal(one.data, other.data)
      assert.equal(one.hash === other.hash, one.sealed === null)
      assert.equal(one.sealed === other.sealed, one.sealed === null)
    })
    check(t, property)
  })

  it("is not sealed with a salt that could be guessed", () => {
    const event: TaskEvent = { type: "accepted", at: 1, data: { operation: 1 } }
    for (const salt of ["", "short", "a".repeat(21), "a".repeat(65), `${"a".repeat(22)}=`]) {
      const sealer = { digest: sha256, createSalt: () => salt }
      assert.throws(() => sealEvents(sealer, HEAD, [event]), /a salt is 22 to 64 characters/)
    }
  })

  it("tells another reason than that the operator owes money, and keeps the true one", () => {
    const data = { cost: "none", isRefusal: false, reason: "provider_out_of_money", retryAt: 5 }
    const stored = sealOne({ type: "deferred", at: 1, data } as TaskEvent)
    assert.equal(stored.data, '{"isRefusal":false,"reason":"provider_unavailable","retryAt":5}')
    assert.match(stored.sealed ?? "", /^{"cost":"none","reason":"provider_out_of_money","salt":"/)
    assert.deepEqual(openEventStrictly(stored).data, data)
    const told = sealOne({
      type: "deferred",
      at: 1,
      data: { ...data, reason: "provider_unavailable" },
    } as TaskEvent)
    assert.equal(told.data, stored.data)
    assert.match(told.sealed ?? "", /^{"cost":"none","salt":"/)
  })
})

const HIDING: readonly string[] = ["dispatched", "accepted", "deferred", "succeeded", "failed"]

/** An event of each type that hides something; the deferral has no other reason than the one that is told. */
const SAMPLES = HIDING.map((type) => {
  const wanted = anyEvent.filter((event) => {
    const isTold = event.type !== "deferred" || event.data.reason === "provider_busy"
    return event.type === type && isTold
  })
  const [event] = fc.sample(wanted, { numRuns: 1, seed: 7 })
  return sealOne(event ?? assert.fail(`no ${type}`))
})

describe("a sealed text that was not made so", () => {
  const refuses = (stored: StoredEvent): void => {
    assert.ok(
      isCorrupt(() => openEventStrictly(stored)),
      JSON.stringify(stored),
    )
  }
  const alter = (text: string | null, change: object): string =>
    JSON.stringify({ ...(JSON.parse(text ?? "") as object), ...change })
  const without = (text: string | null, name: string): string => alter(text, { [name]: undefined })

  it("is refused if it is missing, is no JSON or is no object", () => {
    for (const stored of SAMPLES) {
      for (const sealed of [null, "", "{", "null", "[]", '"x"', "1"]) refuses({ ...stored, sealed })
    }
  })

  it("is refused without a salt, or with one that could be guessed", () => {
    for (const stored of SAMPLES) {
      refuses({ ...stored, sealed: without(stored.sealed, "salt") })
      for (const salt of [null, 7, "", "a".repeat(21), "a".repeat(65), "!".repeat(22)]) {
        refuses({ ...stored, sealed: alter(stored.sealed, { salt }) })
      }
    }
  })

  it("is refused with a member more or less, in either text", () => {
    for (const stored of SAMPLES) {
      const sealed = JSON.parse(stored.sealed ?? "") as object
      const data = JSON.parse(stored.data) as object
      refuses({ ...stored, sealed: alter(stored.sealed, { extra: 1 }) })
      refuses({ ...stored, data: alter(stored.data, { extra: 1 }) })
      for (const [name, value] of Object.entries(sealed)) {
        refuses({ ...stored, sealed: without(stored.sealed, name) })
        // A member that stands in both, and one that moved to the text that everybody sees.
        refuses({ ...stored, data: alter(stored.data, { [name]: value }) })
        const moved = { data: alter(stored.data, { [name]: value }) }
        refuses({ ...stored, ...moved, sealed: without(stored.sealed, name) })
      }
      for (const [name, value] of Object.entries(data)) {
        refuses({ ...stored, data: without(stored.data, name) })
        refuses({ ...stored, sealed: alter(stored.sealed, { [name]: value }) })
        const moved = { sealed: alter(stored.sealed, { [name]: value }) }
        refuses({ ...stored, ...moved, data: without(stored.data, name) })
      }
    }
  })

  it("is refused where locators are not one for each artifact, or stand with them", () => {
    const stored = SAMPLES.find(({ type }) => type === "succeeded") ?? assert.fail()
    const { locators } = JSON.parse(stored.sealed ?? "") as { readonly locators: string[] }
    const { artifacts: shown } = JSON.parse(stored.data) as { readonly artifacts: object[] }
    for (const wrong of [[], [...locators, "more"], locators.slice(1), "text", null, {}]) {
      refuses({ ...stored, sealed: alter(stored.sealed, { locators: wrong }) })
    }
    for (const wrong of [
      [],
      "text",
      null,
      [null],
      shown.map((each) => ({ ...each, locator: "x" })),
    ])
      refuses({ ...stored, data: alter(stored.data, { artifacts: wrong }) })
  })

  it("is refused where the reason that is told is not that of the true one", () => {
    const stored = SAMPLES.find(({ type }) => type === "deferred") ?? assert.fail()
    const [told, owing] = ["provider_unavailable", "provider_out_of_money"]
    const pairs: readonly (readonly [unknown, unknown])[] = [
      [owing, undefined],
      [owing, owing],
      [told, told],
      ["provider_busy", owing],
      [told, "provider_busy"],
      [told, null],
      [null, owing],
      [1, 1],
    ]
    for (const [shown, sealed] of pairs) {
      const data = alter(stored.data, { reason: shown })
      refuses({ ...stored, data, sealed: alter(stored.sealed, { reason: sealed }) })
    }
    const right = { data: alter(stored.data, { reason: told }) }
    const whole = { ...stored, ...right, sealed: alter(stored.sealed, { reason: owing }) }
    assert.equal((openEventStrictly(whole).data as { reason: string }).reason, owing)
  })

  it("is refused at an event that seals nothing, or of a schema from before", () => {
    const [sample] = SAMPLES
    const { sealed } = sample ?? assert.fail()
    const plain = sealOne({ type: "progressed", at: 1, data: { progress: 5 } })
    refuses({ ...plain, sealed })
    const whole = '{"operation":1}'
    const before: StoredEvent = { ...plain, data: whole, schema: 1, type: "accepted" }
    assert.deepEqual(openEventStrictly(before).data, { operation: 1 })
    refuses({ ...before, sealed })
    refuses({ ...before, schema: 2 })
    refuses({ ...before, schema: 2, sealed })
  })
})

describe("what an account is shown of its events", () => {
  it("has the hash that the event has, computed without its sealed text", (t) => {
    const previous = "ab".repeat(32)
    const property = fc.property(anyEvent, (event) => {
      const sealer = createSampleSealer("shown")
      const [stored] = sealEvents(sealer, { ...HEAD, version: 4, hash: previous }, [event])
      assert.ok(stored)
      const { hash, ...shown } = toShownEvent(sha256, stored) ?? assert.fail("it is not shown")
      assert.equal(hashShownEvent(sha256, previous, shown), hash)
      assert.equal(hashEvent(sha256, previous, stored), hash)
      assert.equal(Object.hasOwn(shown, "sealed"), HIDING.includes(event.type))
      if (shown.sealed !== undefined) {
        const other = { ...shown, sealed: sha256(["another text"]) }
        assert.notEqual(hashShownEvent(sha256, previous, other), hash)
      }
    })
    check(t, property)
  })

  it("is nothing of an event that has a cost among what is hashed, or is not known here", () => {
    for (const stored of SAMPLES) {
      const whole: StoredEvent = { ...stored, schema: 1, sealed: null }
      assert.equal(toShownEvent(sha256, whole), undefined)
      assert.equal(toShownEvent(sha256, { ...stored, sealed: null }), undefined)
      assert.equal(toShownEvent(sha256, { ...stored, schema: 9 }), undefined)
      assert.equal(toShownEvent(sha256, { ...stored, type: "other" }), undefined)
    }
  })

  it("ends before the first such event: a later hash covers it too, and a guess could be tried on that", () => {
    const first = submitSample({ id: "t" })
    const more = advanceSample(first.head, [dispatchSample()])
    const events = [...first.append.events, ...more.append.events]
    const progressed = sealOne({ type: "progressed", at: 1, data: { progress: 5 } })
    const all = [...events, progressed]
    assert.deepEqual(
      toShownEvents(sha256, all).map(({ hash }) => hash),
      all.map(({ hash }) => hash),
    )
    const early = all.map((each) =>
      each.sealed === null ? each : { ...each, schema: 1, sealed: null },
    )
    assert.deepEqual(
      toShownEvents(sha256, early).map(({ type }) => type),
      ["submitted"],
    )
    assert.deepEqual(toShownEvents(sha256, []), [])
  })
})
