/** The oracle's rules for money: what is charged, agreed to, kept in books and under limits, all of it invented. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { emptyTask, type ChargeRow, type ManifestEntry, type Task } from "@safelight/core"
import { assertBroken, listen } from "./assert-broken.ts"
import type { Creation } from "./creations.ts"
import { judgeBooks, toCharged, type Book, type Charged } from "./judge-books.ts"
import { judgeCharge } from "./judge-charges.ts"
import { judgeLimits, type AccountSample, type ToldLimits } from "./judge-limits.ts"
import { judgeLabels, judgeTerms, type ToldQuote } from "./judge-terms.ts"
import { EDIT, FILM, NEW_PRICES, OWN } from "./models.ts"
import { toVideoUrl } from "./products.ts"
import type { PlannedRequest } from "./requests.ts"
import { NO_FAULTS } from "./round-faults.ts"

const VERSION = "faults-1#01234567"

const FOUR_EDITS: PlannedRequest = {
  request: 1,
  account: "acme",
  model: EDIT,
  parameters: { prompt: "p", count: 4 },
  labels: { request: "1", batch: "1" },
  isQuoted: false,
}

const A_FILM: PlannedRequest = {
  ...FOUR_EDITS,
  model: FILM,
  parameters: {
    duration: 5,
    video_urls: [toVideoUrl("http://upstream", { shownMs: 5_000, processedMs: 9_000 }, "one")],
  },
}

const BOUGHT: Creation = {
  kind: "keyed",
  task: "task-1",
  key: "task-1.1",
  operation: "op-1",
  ending: "completes",
  production: { pieces: [null, null, "unreadable", null], filmMs: 0, inputVideosMs: [] },
  words: "no",
  createdAt: 1,
  completeAt: 0,
  pollsLeft: 0,
  isEndTold: true,
  isStopped: false,
  told: [],
}

function toPictures(count: number): readonly ManifestEntry[] {
  return Array.from({ length: count }, () => ({ type: "image" }) as ManifestEntry)
}

/** Three of four pictures at 20,000 micro-units each. */
const EDITED: Task = {
  ...emptyTask("task-1"),
  account: "acme",
  artifacts: toPictures(3),
  chargeMicros: 60_000,
  model: EDIT,
  operation: { name: "op-1" },
  priceVersion: VERSION,
  reservationMicros: 80_000,
  state: "succeeded.available",
}

/** 5.04 s of film, from one video that was shown as 5 s and processed as 9 s. */
const FILMED: Task = {
  ...EDITED,
  artifacts: toPictures(1),
  chargeMicros: 14_040,
  model: FILM,
  reservationMicros: 35_000,
}
const FILM_BOUGHT: Creation = {
  ...BOUGHT,
  production: { pieces: [null], filmMs: 5_040, inputVideosMs: [9_000] },
}

interface ChargeCase {
  readonly task: Task
  readonly planned?: PlannedRequest
  readonly bought?: readonly Creation[]
  /** Of its row; as the task says by default. */
  readonly charged?: number
}

function judgeChargeOf({
  bought = [BOUGHT],
  planned = FOUR_EDITS,
  task,
  charged = task.chargeMicros,
}: ChargeCase): readonly string[] {
  const charge = { chargeMicros: charged } as ChargeRow
  return listen((fail) =>
    judgeCharge(
      {
        bought: new Map([[task.id, bought]]),
        prices: NEW_PRICES,
        fail,
      },
      task,
      planned,
      { charge: charged === 0 ? undefined : charge },
    ),
  )
}

describe("the oracle, of a charge", () => {
  it("takes each picture that is there, and none that could not be had", () => {
    assertBroken(judgeChargeOf({ task: EDITED }))
    const all = { ...EDITED, chargeMicros: 80_000 }
    assertBroken(judgeChargeOf({ task: all }), /is charged 80000 in place of 60000/)
    const free = { ...EDITED, chargeMicros: 0 }
    assertBroken(judgeChargeOf({ task: free }), /is charged 0 in place of 60000/)
  })

  it("takes a film as long as it is, and a video as the longer of what both sides saw", () => {
    const film = { planned: A_FILM, bought: [FILM_BOUGHT] }
    assertBroken(judgeChargeOf({ ...film, task: FILMED }))
    // As the caller's own server showed it to the service: 5 s in place of 9.
    const shown = { ...FILMED, chargeMicros: 10_040 }
    assertBroken(judgeChargeOf({ ...film, task: shown }), /charged 10040 in place of 14040/)
    const asked = { ...FILMED, chargeMicros: 14_000 }
    assertBroken(judgeChargeOf({ ...film, task: asked }), /charged 14000 in place of 14040/)
  })

  it("never passes what is reserved, which is the most that the request may cost", () => {
    const little = { ...EDITED, reservationMicros: 40_000, chargeMicros: 60_000 }
    assertBroken(
      judgeChargeOf({ task: little }),
      /reserves 40000, and 80000 is the most/,
      /and reserved 40000/,
      /charged 60000 in place of 40000/,
    )
  })

  it("is the same in the task's row and its own", () => {
    const words = judgeChargeOf({ task: EDITED, charged: 40_000 })
    assertBroken(words, /charged 40000, its snapshot says 60000/, /in place of 60000/)
  })

  it("goes by the table of the task's version, and by the arithmetic of its own model", () => {
    const doubled = { ...EDITED, priceVersion: "faults-2", chargeMicros: 120_000 }
    assertBroken(judgeChargeOf({ task: { ...doubled, reservationMicros: 160_000 } }))
    const stray = { ...EDITED, priceVersion: "faults-12" }
    assertBroken(judgeChargeOf({ task: stray }), /names no price table: faults-12/)
    // 5,000 + 2,500 + 1,667 for three; four would add 1,250.
    const own = { ...EDITED, model: OWN, chargeMicros: 9_167, reservationMicros: 10_417 }
    const planned = { ...FOUR_EDITS, model: OWN }
    assertBroken(judgeChargeOf({ task: own, planned }))
    const dear = { ...own, chargeMicros: 10_000 }
    assertBroken(judgeChargeOf({ task: dear, planned }), /charged 10000 in place of 9167/)
  })

  it("is for a failure only where its channel told that it was billed", () => {
    const error = {
      code: "provider_rejected",
      message: "",
      type: "generation_error",
    } as Task["error"]
    const failed: Task = { ...EDITED, artifacts: [], state: "failed", error }
    const billed: Creation = { ...BOUGHT, ending: "refuses-billed" }
    const whole = { ...failed, chargeMicros: 80_000 }
    assertBroken(judgeChargeOf({ task: whole, bought: [billed] }))
    assertBroken(
      judgeChargeOf({ task: whole, bought: [{ ...billed, isEndTold: false }] }),
      /\(failed\) is charged 80000 in place of 0/,
    )
    assertBroken(judgeChargeOf({ task: whole, bought: [BOUGHT] }), /charged 80000 in place of 0/)
    const free = { ...failed, chargeMicros: 0 }
    assertBroken(judgeChargeOf({ task: free, bought: [billed] }), /charged 0 in place of 80000/)
  })
})

describe("the oracle, of terms", () => {
  const QUOTE: ToldQuote = { request: 1, priceVersion: VERSION, maxCostMicros: 80_000 }
  const QUOTED: PlannedRequest = { ...FOUR_EDITS, isQuoted: true }

  function judgeTermsOf(
    task: Task,
    planned: PlannedRequest,
    quotes: readonly ToldQuote[] = [],
  ): readonly string[] {
    return listen((fail) => judgeTerms(task, planned, quotes, fail))
  }

  it("names a task that may cost more than its caller agreed to", () => {
    assertBroken(judgeTermsOf(EDITED, { ...FOUR_EDITS, maxCostMicros: 80_000 }))
    const limited = { ...FOUR_EDITS, maxCostMicros: 79_999 }
    assertBroken(judgeTermsOf(EDITED, limited), /may cost 80000, and its caller agreed to 79999/)
  })

  it("names a task that is held to none of its quotes: too dear, or by another table", () => {
    assertBroken(judgeTermsOf(EDITED, QUOTED, [QUOTE]))
    const others = [
      { ...QUOTE, maxCostMicros: 79_999 },
      { ...QUOTE, priceVersion: "faults-2#01234567" },
      { ...QUOTE, request: 2 },
    ]
    assertBroken(judgeTermsOf(EDITED, QUOTED, others), /may cost 80000 by faults-1.*was quoted/)
    assertBroken(judgeTermsOf(EDITED, QUOTED, [...others, QUOTE]))
  })

  it("names a label that is missing, another's, or one too many", () => {
    const judge = (found: Readonly<Record<string, string>>) =>
      listen((fail) => judgeLabels(EDITED, FOUR_EDITS, found, fail))
    assertBroken(judge({ request: "1", batch: "1" }))
    assertBroken(judge({ request: "2" }), /batch=undefined, not 1/, /request=2, not 1/)
    assertBroken(judge({ request: "1", batch: "1", more: "x" }), /more=x, not undefined/)
  })
})

describe("the oracle, of books", () => {
  const ENDED: Charged = {
    account: "acme",
    batch: "1",
    chargeMicros: 60_000,
    hasUsage: true,
    hasEnded: true,
    reservationMicros: 80_000,
  }
  const OPEN: Charged = { ...ENDED, chargeMicros: 0, hasUsage: false, hasEnded: false, batch: "2" }
  const USAGE = {
    charge_micros: 60_000,
    tasks: 1,
    account: { charged_micros: 60_000, reserved_micros: 80_000, unfinished_tasks: 1 },
  }
  const BOOK: Book = {
    account: "acme",
    balance: {
      budget_micros: 200_000,
      reserved_micros: 80_000,
      spent_micros: 60_000,
      left_micros: 60_000,
    },
    usage: USAGE,
    batches: new Map([["1", USAGE]]),
  }

  const judgeBook = (book: Book, charged: readonly Charged[] = [ENDED, OPEN]) =>
    listen((fail) => judgeBooks([book], charged, fail))

  it("finds nothing where they are what the log adds up to", () => {
    assertBroken(judgeBook(BOOK, [ENDED, OPEN, { ...ENDED, account: "another" }]))
  })

  it("names each sum that is another", () => {
    const { balance } = BOOK
    const dear = { ...balance, spent_micros: 1, reserved_micros: 2, left_micros: 3 }
    assertBroken(judgeBook({ ...BOOK, balance: dear }), /spent 1/, /reserved 2/, /left 3/)
    const account = { charged_micros: 5, reserved_micros: 80_000, unfinished_tasks: 6 }
    const usage = { charge_micros: 3, tasks: 4, account }
    const words = judgeBook({ ...BOOK, usage })
    assertBroken(words, /used up 3/, /cost 4/, /charges of 5/, /unfinished tasks 6/)
    const batches = new Map([["2", USAGE]])
    assertBroken(judgeBook({ ...BOOK, batches }), /for batch 2 60000/, /tasks of batch 2 1/)
  })

  it("takes charges from events, and from nothing else", () => {
    const toEvent = (type: string, data: object) => ({ type, data: JSON.stringify(data) }) as never
    const submitted = toEvent("submitted", { account: "acme", reservationMicros: 80_000 })
    const end = toEvent("succeeded", { chargeMicros: 60_000, usage: { images: 3 } })
    assert.deepEqual(toCharged([submitted, end], "1"), [ENDED])
    assert.deepEqual(toCharged([submitted], "2"), [OPEN])
  })
})

describe("the oracle, of limits", () => {
  const SAMPLE: AccountSample = {
    account: "acme",
    from: 1_000,
    to: 1_010,
    spentMicros: 100,
    unfinishedTasks: 4,
    runningTasks: 2,
  }
  const LIMITS: ToldLimits = {
    account: "acme",
    askedAt: 0,
    at: 1,
    settings: { budgetMicros: 100, unfinishedTasks: 4, runningTasks: 2 },
  }

  const judgeSamples = (
    samples: readonly AccountSample[],
    limits: readonly ToldLimits[] = [LIMITS],
    faults = NO_FAULTS,
  ) => listen((fail) => judgeLimits(samples, limits, faults, fail))

  it("names an account that has more than it may", () => {
    assertBroken(judgeSamples([SAMPLE]))
    const more = { ...SAMPLE, spentMicros: 101, unfinishedTasks: 5, runningTasks: 3 }
    const words = [/spentMicros 101 where 100/, /unfinishedTasks 5/, /runningTasks 3/] as const
    assertBroken(judgeSamples([more]), ...words)
    const disturbed = { ...NO_FAULTS, disturbances: [{ from: 0, to: 1 }] }
    assertBroken(judgeSamples([more], [LIMITS], disturbed), words[0], words[1])
    const died = { ...NO_FAULTS, endedAt: new Map([["node-1", SAMPLE.to]]) }
    assertBroken(judgeSamples([more], [LIMITS], died), words[0], words[1])
  })

  it("lets stay what was there before a limit was lowered, and not grow", () => {
    const lowered = { ...LIMITS, askedAt: 1_100, at: 1_110, settings: { unfinishedTasks: 1 } }
    const limits = [LIMITS, lowered]
    const later = { ...SAMPLE, from: 2_000, to: 2_010 }
    assertBroken(judgeSamples([SAMPLE, later], limits))
    const less = { ...later, unfinishedTasks: 2 }
    const again = { ...later, from: 3_000, to: 3_010, unfinishedTasks: 3 }
    assertBroken(
      judgeSamples([SAMPLE, less, again], limits),
      /unfinishedTasks 3 where 1 is allowed, and had 2 before/,
    )
  })

  it("lets the higher of two limits hold while one may not be in effect yet", () => {
    const raised = { ...LIMITS, askedAt: 900, at: Infinity, settings: { budgetMicros: 200 } }
    assertBroken(judgeSamples([{ ...SAMPLE, spentMicros: 200 }], [LIMITS, raised]))
    const late = { ...raised, askedAt: 1_011 }
    const words = judgeSamples([{ ...SAMPLE, spentMicros: 200 }], [LIMITS, late])
    assertBroken(words, /spentMicros 200 where 100/)
  })

  it("names sums that are kept otherwise than they are counted", () => {
    const kept = { spentMicros: 90, unfinishedTasks: 4 }
    assertBroken(judgeSamples([{ ...SAMPLE, kept }], []), /kept as 90 and 4, counted 100 and 4/)
    assertBroken(judgeSamples([{ ...SAMPLE, kept: { ...kept, spentMicros: 100 } }], []))
  })
})
