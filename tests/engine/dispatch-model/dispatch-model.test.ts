/**
 * The dispatch protocol (design §4, §5) as an executable model: nodes, the storage they share, an
 * upstream that sells, and an adversary that crashes and pauses nodes, loses, copies, delays and
 * reorders messages, sets wall clocks, sends the upstream away and has the storage lose commits. Legality and state are core's own `decide` and `fold`; the
 * rest is the protocol retold without the engine. What a reader would get wrong: a passing test of a
 * variant is one where harm was found. Were there none, the safeguard it leaves out would be idle.
 *
 *   a node's lease      new ─heartbeat→ renewed …─stands still for leaseMs on a judge's clock→ expired
 *   a task's place      free ─taken under a lease→ held ─given back, unknown twice, or its lease expired→ free
 *   an attempt          intent durable → lease checked and call begun → answered, or in doubt
 *   a doubt   keyed     the same key again, as long as it lives      → the same operation
 *             lookup    lease, sending and longest request waited, then asked → adopted, or proved not to be
 *             unkeyed   rests                                       → late answer adopted, or failed
 *   an operation        under way → done, or void: told so, another attempt follows under another key
 *
 * Taken for granted, and by no code to be had: a check and the write behind it are one step; clocks
 * run at one rate; the wall clocks of nodes differ by less than a keyed channel allows for; a
 * request arrives within the longest request's time or never; "not created" holds for every copy of
 * a request; the network makes no copies for an upstream that knows no key.
 *
 * `SAFELIGHT_MODEL_RUNS` sets how many schedules each channel plays, `SAFELIGHT_TEST_SEED` which.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import * as fc from "fast-check"
import { check } from "../../core/support/property.ts"
import type { Harm } from "./harm.ts"
import type { Safeguard } from "./safeguards.ts"
import { arbitrarySchedule, play, type Schedule } from "./schedule.ts"
import { COVERED, VARIANTS } from "./variants.ts"
import { playWritten, WRITTEN_SCHEDULES } from "./written-schedules.ts"

const COMPLETE: ReadonlySet<Safeguard> = new Set()

/** Some seconds a channel on a slow core. */
const RUNS = Number(process.env["SAFELIGHT_MODEL_RUNS"] ?? 3_000)

/** With the seeds given the rarest harm shows within half of these. */
const VARIANT_RUNS = 10_000

/** Enough that what they cover shows without the cover. */
const COVERED_RUNS = 1_500

/** Fails with what happened, step by step. */
function assertHarmless(schedule: Schedule, without: ReadonlySet<Safeguard>): void {
  const harm = play(schedule, without)
  if (harm === undefined) return
  const story: string[] = []
  play(schedule, without, story)
  assert.fail(`${harm.kind}: ${harm.words}\n${story.join("\n")}`)
}

describe("the complete protocol", () => {
  for (const channel of ["keyed", "lookup", "unkeyed"] as const) {
    for (const nodes of [2, 3]) {
      it(`buys once and loses nothing with ${nodes} nodes and a channel that is ${channel}`, (context) => {
        const schedules = arbitrarySchedule(channel, nodes)
        const property = fc.property(schedules, (schedule) => assertHarmless(schedule, COMPLETE))
        check(context, property, nodes === 2 ? RUNS : Math.ceil(RUNS / 2))
      })
    }
  }
})

/** With time enough: whatever happens besides, that is no reason to lose what was bought. */
const SURROUNDINGS = [
  { words: "a provider that is away for minutes", rare: ["away"] },
  { words: "a storage that loses its last commits", rare: ["go-back"] },
] as const

describe("the complete protocol and what surrounds it", () => {
  for (const channel of ["keyed", "lookup", "unkeyed"] as const) {
    for (const { rare, words } of SURROUNDINGS) {
      it(`loses nothing to ${words} where a channel is ${channel}`, (context) => {
        const schedules = arbitrarySchedule(channel, 2, { isRoomy: true, rare })
        const property = fc.property(schedules, (schedule) => assertHarmless(schedule, COMPLETE))
        check(context, property, Math.ceil(RUNS / 2))
      })
    }
  }
})

describe("what the schedules reach", () => {
  for (const channel of ["keyed", "lookup", "unkeyed"] as const) {
    it(`is every kind of event and of fault, where a channel is ${channel}`, () => {
      const words = new Set<string>()
      const schedules = arbitrarySchedule(channel, 2)
      for (const schedule of fc.sample(schedules, { numRuns: 400, seed: 1 })) {
        const story: string[] = []
        play(schedule, COMPLETE, story)
        for (const line of story) words.add(line.replace(/^\d+ /, "").replaceAll(/[\d.]+/g, "#"))
      }
      const told = [...words].join("\n")
      const events = ["dispatched", "accepted", "doubted", "deferred", "succeeded", "failed"]
      for (const event of events) assert.match(told, new RegExp(`appends ${event}`))
      const deeds = ["crashes", "is paused", "finds .* still and expires it", "is lost"]
      for (const deed of [...deeds, "will produce nothing"]) assert.match(told, new RegExp(deed))
    })
  }
})

describe("without one safeguard", () => {
  for (const { without, channel, harm, because, aim, seed } of VARIANTS) {
    it(`${without.join(" and ")} (${channel}): ${harm}, as ${because}`, (context) => {
      const missing = new Set(without)
      const property = fc.property(
        arbitrarySchedule(channel, 2, aim),
        (schedule) => play(schedule, missing)?.kind !== harm,
      )
      const found = fc.check(property, { seed, numRuns: VARIANT_RUNS, endOnFailure: true })
      context.diagnostic(`found by schedule ${found.numRuns} of seed ${seed}`)
      assert.ok(found.failed, "no schedule showed any harm")
    })
  }
})

describe("safeguards that cover for one another", () => {
  for (const written of WRITTEN_SCHEDULES) {
    const { title, without } = written
    it(`${without.join(", ")}: without all of them, ${title}`, () => {
      const harm: Harm | undefined = playWritten(written, new Set(without))
      assert.equal(harm?.kind, "bought-twice")
      for (const one of without) {
        const others = without.filter((each) => each !== one)
        assert.equal(playWritten(written, new Set(others)), undefined, `though ${one} is kept`)
      }
    })
  }

  for (const { without, channel, kept, aim } of COVERED) {
    it(`${without.join(", ")} (${channel}): no harm by chance; ${kept}`, (context) => {
      const missing = new Set(without)
      const schedules = arbitrarySchedule(channel, 2, aim)
      const property = fc.property(schedules, (schedule) => assertHarmless(schedule, missing))
      check(context, property, COVERED_RUNS)
    })
  }
})
