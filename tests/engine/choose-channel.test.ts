/** Which channel gets a task: properties of the choice, over generated channels and long rows of choices. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { chooseChannel, explainChoice, type Candidate, type Choice } from "@safelight/engine"
import {
  array,
  assert as check,
  boolean,
  constant,
  constantFrom,
  integer,
  option,
  property,
  record,
  type Arbitrary,
} from "fast-check"

const ABLE = {
  tier: 1,
  weight: 1,
  startTag: 0,
  ineligible: undefined,
  isPaused: false,
  isBusy: false,
  breaker: "closed",
  freePermits: 1,
  freeRequests: Infinity,
} as const

const candidate: Arbitrary<Omit<Candidate, "name">> = record({
  tier: integer({ min: 1, max: 3 }),
  weight: integer({ min: 1, max: 20 }),
  startTag: integer({ min: 0, max: 4 }),
  ineligible: option(constant("not offered"), { nil: undefined, freq: 4 }),
  isPaused: boolean(),
  isBusy: boolean(),
  breaker: constantFrom("closed", "closed", "open", "half-open", "being-tried"),
  freePermits: integer({ min: 0, max: 2 }),
  freeRequests: constantFrom(0, 1, Infinity),
})

const candidates = array(candidate, { maxLength: 8 }).map((list) =>
  list.map((each, index) => ({ ...each, name: `channel-${index}` })),
)

function isAble({ breaker, freeRequests, freePermits, ineligible, isBusy, isPaused }: Candidate) {
  if (ineligible !== undefined || isPaused || isBusy) return false
  return breaker !== "open" && breaker !== "being-tried" && freePermits > 0 && freeRequests > 0
}

/** Makes one choice after the other among those that `isAbleAt` says, each as the routing goes on. */
function chooseInTurn(
  weights: readonly number[],
  count: number,
  isAbleAt: (channel: number, round: number) => boolean,
): number[] {
  const turns = weights.map(() => 0)
  const times = new Map<number, number>()
  return Array.from({ length: count }, (_, round) => {
    const list = weights.map((weight, index) => {
      const freePermits = isAbleAt(index, round) ? 1 : 0
      return {
        ...ABLE,
        index,
        name: String(index),
        weight,
        freePermits,
        startTag: turns[index] ?? 0,
      }
    })
    const choice = chooseChannel(list, times)
    if (choice === undefined) return -1
    turns[choice.candidate.index] = choice.nextTag
    times.set(1, choice.time)
    return choice.candidate.index
  })
}

const weights = array(integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 6 })

describe("the choice of a channel", () => {
  it("is of an able one, in the lowest tier that has any; and none only where none is able", () => {
    check(
      property(candidates, (list) => {
        const able = list.filter(isAble)
        const choice = chooseChannel(list, new Map())
        if (able.length === 0) return assert.equal(choice, undefined)
        assert.ok(choice !== undefined && able.includes(choice.candidate))
        assert.equal(choice.candidate.tier, Math.min(...able.map(({ tier }) => tier)))
      }),
    )
  })

  it("is the same for the same channels, and changes nothing of them", () => {
    check(
      property(candidates, integer({ min: 0, max: 4 }), (list, time) => {
        const before = JSON.stringify(list)
        const choose = (): Choice | undefined => chooseChannel(list, new Map([[1, time]]))
        const [one, other] = [choose(), choose()]
        assert.deepEqual(one, other)
        if (one !== undefined && other !== undefined) {
          assert.equal(explainChoice(list, one), explainChoice(list, other))
        }
        assert.equal(JSON.stringify(list), before)
      }),
    )
  })

  it("keeps to the weights: nobody is a whole turn of anybody ahead or behind", () => {
    check(
      property(weights, integer({ min: 1, max: 400 }), (list, count) => {
        const chosen = chooseInTurn(list, count, () => true)
        const turns = list.map(
          (weight, index) => chosen.filter((each) => each === index).length / weight,
        )
        const longest = Math.max(...list.map((weight) => 1 / weight))
        assert.ok(Math.max(...turns) - Math.min(...turns) <= longest + 1e-9, String(turns))
      }),
    )
  })

  it("starves nobody: who stays able is chosen within a bound, whatever the others do", () => {
    const patterns = array(array(boolean(), { minLength: 1, maxLength: 7 }), {
      minLength: 6,
      maxLength: 6,
    })
    check(
      property(weights, patterns, integer({ min: 0, max: 99 }), (list, able, from) => {
        const own = list[0] ?? 1
        const bound = list
          .slice(1)
          .reduce((total, weight) => total + Math.ceil(weight / own) + 1, 1)
        const isAbleAt = (channel: number, round: number): boolean => {
          if (channel === 0) return round >= from
          const pattern = able[channel] ?? [true]
          return pattern[round % pattern.length] ?? true
        }
        const chosen = chooseInTurn(list, from + bound * 3, isAbleAt)
        for (let round = from; round < from + bound * 2; round += 1) {
          assert.ok(
            chosen.slice(round, round + bound).includes(0),
            `from ${round}: ${chosen.join(" ")}`,
          )
        }
      }),
    )
  })

  it("owes nothing to one that was unable for long", () => {
    const chosen = chooseInTurn([1, 1], 220, (channel, round) => channel === 0 || round >= 200)
    assert.deepEqual(
      [0, 1].map((index) => chosen.slice(200).filter((each) => each === index).length),
      [10, 10],
    )
  })
})

describe("why a channel was chosen", () => {
  const explain = (list: readonly Candidate[]): string => {
    const choice = chooseChannel(list, new Map())
    return choice === undefined ? "none" : explainChoice(list, choice)
  }

  it("names every other one with what stood in its way", () => {
    const list = [
      { ...ABLE, name: "fal", breaker: "half-open" },
      { ...ABLE, name: "replicate" },
      { ...ABLE, name: "ark", freePermits: 0 },
      { ...ABLE, name: "xai", breaker: "open" },
      { ...ABLE, name: "runware", breaker: "being-tried" },
      { ...ABLE, name: "veo", isPaused: true },
      { ...ABLE, name: "flux", isBusy: true },
      { ...ABLE, name: "openai", freeRequests: 0 },
      { ...ABLE, name: "gemini", ineligible: "resolution 1080p is not offered" },
      { ...ABLE, name: "studio", tier: 2 },
    ] as const
    assert.equal(
      explain(list),
      "tier 1, 3 of 10 channels able; fal: tried again after failures; " +
        "replicate: able, not its turn; ark: full; xai: breaker open; " +
        "runware: breaker open, being tried; veo: paused; flux: busy; openai: its minute is full; " +
        "gemini: resolution 1080p is not offered; studio: able, tier 2",
    )
  })

  it("fits into an event, and says how many it leaves out", () => {
    check(
      property(candidates, integer({ min: 1, max: 200 }), (list, length) => {
        const many = Array.from({ length: 12 }, () => list).flat()
        const named = many.map((each, index) => ({
          ...each,
          name: `channel-${index}`,
          ...(each.ineligible !== undefined && { ineligible: "x".repeat(length) }),
        }))
        const text = explain(named)
        assert.ok(text.length <= 500, String(text.length))
        const left = Number(/; and (\d+) more$/.exec(text)?.[1] ?? 0)
        const told = text.split("; ").filter((part) => /^channel-\d+: (?!tried again)/.test(part))
        if (text !== "none") assert.ok(told.length + left >= named.length - 1, text)
      }),
    )
  })
})
