/** The oracle's rules for keys, holds, erasures, rows and files, all of it invented. */
import { createHash } from "node:crypto"
import { describe, it } from "node:test"
import {
  emptyTask,
  type ArtifactStorage,
  type StoredEvent,
  type ManifestEntry,
  type Task,
} from "@safelight/core"
import { ACCOUNTS, THRIFTY, WAVERING } from "./accounts.ts"
import { assertBroken, listen } from "./assert-broken.ts"
import type { Creation } from "./creations.ts"
import { judgeArtifacts } from "./judge-artifacts.ts"
import { judgeErasures, type Erasures } from "./judge-erasures.ts"
import { judgeHolds } from "./judge-holds.ts"
import { judgeKeys, type KeyPromises } from "./judge-keys.ts"
import { judgeRows } from "./judge-rows.ts"
import { toProduct } from "./products.ts"
import { toSecretWord } from "./requests.ts"
import { NO_FAULTS, type RoundFaults } from "./round-faults.ts"

const DAY_MS = 86_400_000
const AT = 1_000_000
const FORGETFUL = { ...NO_FAULTS, forgotten: [{ from: AT - 1, to: AT + 1 }] }

const ENDED: Task = {
  ...emptyTask("task-1"),
  endBy: AT + 60_000,
  finishedAt: AT,
  operation: { name: "op-1" },
  state: "succeeded.available",
}

describe("the oracle, of keys", () => {
  const ACCEPTED = { request: 1, task: "task-1", account: WAVERING, key: "key-1", at: AT + 9_000 }
  const REVOKED = { key: "key-1", askedAt: AT - 10, at: AT }
  const SUSPENDED = { account: WAVERING, askedAt: AT - 10, at: AT, endAskedAt: AT + 20_000 }
  const REFUSED = { account: WAVERING, key: "key-1", status: 401, sentAt: AT, at: AT + 20 }

  function judgeOf(promises: Partial<KeyPromises>): readonly string[] {
    const nothing = { acceptances: [], refusals: [], revocations: [], suspensions: [] }
    const given = { accounts: ACCOUNTS, faults: NO_FAULTS }
    return listen((fail) => judgeKeys({ ...nothing, ...given, ...promises, fail }))
  }

  it("names a task that was accepted under a key more than a second after its revocation", () => {
    const revocations = [REVOKED]
    const inTime = { ...ACCEPTED, sentAt: AT + 1_200 }
    const late = { ...ACCEPTED, sentAt: AT + 1_300 }
    assertBroken(judgeOf({ revocations, acceptances: [inTime] }))
    assertBroken(judgeOf({ revocations, acceptances: [late] }), /under key key-1, revoked 1300 ms/)
    assertBroken(judgeOf({ revocations, acceptances: [{ ...late, key: "key-2" }] }))
    const unheard = [{ ...REVOKED, at: Infinity }]
    assertBroken(judgeOf({ revocations: unheard, acceptances: [late] }))
    assertBroken(judgeOf({ revocations, acceptances: [late], faults: FORGETFUL }))
  })

  it("names a task that was accepted for an account that was suspended", () => {
    const suspensions = [{ ...SUSPENDED, endedAt: AT + 20_010 }]
    const during = { ...ACCEPTED, sentAt: AT + 1_300 }
    assertBroken(judgeOf({ suspensions, acceptances: [during] }), /suspended 1300 ms before/)
    assertBroken(judgeOf({ suspensions, acceptances: [{ ...during, at: AT + 20_001 }] }))
    assertBroken(judgeOf({ suspensions, acceptances: [{ ...during, account: THRIFTY }] }))
  })

  it("names a refusal whose reason was not there", () => {
    const refuse = (code: string, account = WAVERING) => [{ ...REFUSED, account, code }]
    const revoked = refuse("api_key_revoked")
    assertBroken(judgeOf({ refusals: revoked }), /nobody revoked its key/)
    assertBroken(judgeOf({ refusals: revoked, revocations: [REVOKED] }))
    const suspended = refuse("account_suspended")
    assertBroken(judgeOf({ refusals: suspended }), /nobody suspended it/)
    const suspensions = [{ ...SUSPENDED, endedAt: AT + 20_010 }]
    assertBroken(judgeOf({ refusals: suspended, suspensions }))
    assertBroken(judgeOf({ refusals: refuse("invalid_api_key") }), /its key is valid/)
    assertBroken(judgeOf({ refusals: refuse("insufficient_balance") }), /has no budget/)
    assertBroken(judgeOf({ refusals: refuse("insufficient_balance", THRIFTY) }))
    assertBroken(judgeOf({ refusals: refuse("rate_limit_exceeded", THRIFTY) }), /has no rate/)
    const tasks = refuse("concurrency_limit_exceeded")
    assertBroken(judgeOf({ refusals: tasks }), /has no such limit/)
    assertBroken(judgeOf({ refusals: refuse("internal_error") }), /no account of the round may be/)
  })
})

describe("the oracle, of a hold", () => {
  const HOLD = { task: "task-1", expiresAt: AT + 2 * DAY_MS, at: AT }
  const row = (expiresAt: number) => ({ key: "0.png", expiresAt }) as ManifestEntry

  const judgeOf = (
    rows: readonly ManifestEntry[],
    events: readonly object[] = [],
    holds = [HOLD],
  ) =>
    listen((fail) => {
      const told = { holds, refusedHolds: [], faults: NO_FAULTS, fail }
      judgeHolds({ ...ENDED, artifacts: rows }, events as StoredEvent[], told)
    })

  it("names what expires sooner than was answered", () => {
    assertBroken(judgeOf([row(HOLD.expiresAt)]))
    assertBroken(judgeOf([row(HOLD.expiresAt - 1)]), /0.png of task-1 expires at/)
    assertBroken(judgeOf([], [{ type: "expired", at: HOLD.expiresAt - 1 }]), /task-1 expired at/)
    assertBroken(judgeOf([row(1)], [], [{ ...HOLD, task: "another" }]))
  })

  it("names what was shown as succeeded and is refused as unfinished, unless its end is forgotten", () => {
    const refusedHolds = [{ task: "task-1", code: "task_not_finished", at: AT }]
    const judgeIn = (faults: RoundFaults) =>
      listen((fail) => judgeHolds(ENDED, [], { holds: [], refusedHolds, faults, fail }))
    assertBroken(judgeIn(NO_FAULTS), /the hold of task-1 was answered 409 task_not_finished/)
    assertBroken(judgeIn(FORGETFUL))
  })
})

describe("the oracle, of an erasure", () => {
  const ERASED = { task: "task-1", request: 1, askedAt: AT, at: AT, hadEnded: true }

  function judgeOf(evidence: Partial<Erasures>): readonly string[] {
    const whole = { erasures: [ERASED], texts: [], besides: new Map(), faults: NO_FAULTS }
    return listen((fail) => judgeErasures({ ...whole, ...evidence, fail }))
  }

  it("names each place where something of it is left", () => {
    assertBroken(judgeOf({ besides: new Map([["task-2", ["inputs"]]]) }))
    const besides = new Map([["task-1", ["inputs", "labels"]]])
    assertBroken(judgeOf({ besides }), /inputs has a row of task-1/, /labels has a row of task-1/)
    const text = `the picture of request 1: ${toSecretWord(1)}`
    assertBroken(judgeOf({ texts: [{ place: "a log", text }] }), /stands in a log/)
    assertBroken(judgeOf({ texts: [{ place: "a log", text: toSecretWord(2) }] }))
  })

  it("asks nothing of one that was not answered, or is forgotten", () => {
    const besides = new Map([["task-1", ["inputs"]]])
    assertBroken(judgeOf({ besides, erasures: [{ ...ERASED, at: Infinity }] }))
    assertBroken(judgeOf({ besides, faults: FORGETFUL }))
  })
})

describe("the oracle, of the rows beside the log", () => {
  const TIMES = { inputRetentionMs: 100 * DAY_MS, removeAfterMs: DAY_MS, sweptAt: AT }

  const judgeOf = (task: Task, queued: readonly string[], retained: readonly [string, number][]) =>
    listen((fail) =>
      judgeRows({ queued: new Set(queued), retained: new Map(retained) }, TIMES, task, fail),
    )

  it("names a task that waits and is not in the queue, and one that ended and is", () => {
    const waiting: Task = { ...ENDED, state: "queued", finishedAt: 0 }
    const inputsAt = AT + TIMES.inputRetentionMs
    assertBroken(judgeOf(waiting, ["task-1"], []))
    assertBroken(judgeOf(waiting, [], []), /task-1 \(queued\) is not in the queue/)
    assertBroken(judgeOf(waiting, ["task-1"], [["task-1", AT]]), /which has not ended/)
    assertBroken(judgeOf(ENDED, ["task-1"], [["task-1", inputsAt]]), /is still in the queue/)
  })

  it("names a task that retention has forgotten, or looks at when nothing is due", () => {
    const inputsAt = AT + TIMES.inputRetentionMs
    assertBroken(judgeOf(ENDED, [], [["task-1", inputsAt]]))
    assertBroken(judgeOf(ENDED, [], []), /retention has forgotten task task-1/)
    assertBroken(judgeOf(ENDED, [], [["task-1", inputsAt + 1]]), /and nothing is due after/)
  })
})

describe("the oracle, of files", () => {
  const BOUGHT = {
    kind: "unkeyed",
    operation: "op-1",
    told: [{ node: "node-1", at: AT }],
    production: { pieces: [null, "unreadable", null], filmMs: 0, inputVideosMs: [] },
  } as unknown as Creation
  const [first, bad, third] = [0, 1, 2].map((place) =>
    toProduct("op-1", place, BOUGHT.production),
  ) as [Buffer, Buffer, Buffer]

  const toRow = (bytes: Buffer, changed: Partial<ManifestEntry> = {}) =>
    ({
      key: "0.png",
      locator: bytes.toString("latin1"),
      sha256: createHash("sha256").update(bytes).digest("hex"),
      ...changed,
    }) as ManifestEntry

  /** The locator is the file. */
  const artifacts = {
    open: async ({ locator }: { locator: string }) => {
      if (locator === "lost") throw new Error("no such file")
      let rest = Buffer.from(locator, "latin1")
      return {
        async read(into: Buffer) {
          const count = rest.copy(into)
          rest = rest.subarray(count)
          return count
        },
        async close() {},
      }
    },
    list: async () => ["0.png"],
  } as unknown as ArtifactStorage

  async function judgeOf(
    rows: readonly ManifestEntry[],
    task: Partial<Task> = {},
    faults: RoundFaults = NO_FAULTS,
  ): Promise<readonly string[]> {
    const broken: string[] = []
    const fail = (words: string): void => void broken.push(words)
    const bought = new Map([["task-1", [BOUGHT]]])
    const open = { artifacts, bought, faults, fail }
    await judgeArtifacts(open, { ...ENDED, ...task, artifacts: rows })
    return broken
  }

  it("finds nothing where every piece that can be had is there", async () => {
    assertBroken(await judgeOf([toRow(first), toRow(third)]))
  })

  it("names a piece that is missing though there was time, twice there, or not the upstream's", async () => {
    assertBroken(await judgeOf([toRow(first)]), /has 1 of 2 pieces that can be had/)
    assertBroken(await judgeOf([toRow(first)], { finishedAt: ENDED.endBy }))
    const endedAt = new Map([["node-1", AT + 100]])
    assertBroken(await judgeOf([toRow(first)], {}, { ...NO_FAULTS, endedAt }))
    assertBroken(await judgeOf([toRow(first), toRow(first)]), /has a piece twice/)
    assertBroken(await judgeOf([toRow(first), toRow(bad)]), /is not what the upstream made/)
  })

  it("names a file that is lost or another, and one that is left of what expired", async () => {
    const lost = toRow(third, { locator: "lost" })
    assertBroken(await judgeOf([toRow(first), lost]), /0.png of task-1 can't be read/)
    const other = toRow(third, { locator: "another" })
    assertBroken(await judgeOf([toRow(first), other]), /not what its manifest says/)
    const expired: Partial<Task> = { state: "succeeded.expired" }
    const words = await judgeOf([toRow(first), toRow(third)], expired)
    assertBroken(words, /1 files of expired task task-1 are left, 1 in no row/)
    const named = toRow(first, { locator: "0.png" })
    assertBroken(await judgeOf([named, toRow(third)], expired), /are left, 0 in no row/)
    const killed = { ...NO_FAULTS, endedAt: new Map([["node 1", AT]]), isTimeAhead: true }
    assertBroken(await judgeOf([toRow(first), toRow(third)], expired, killed))
    assertBroken(await judgeOf([named], expired, killed), /are left, 0 in no row/)
  })
})
