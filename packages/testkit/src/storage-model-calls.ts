/**
 * Calls for the contract's generated runs. Few tasks, accounts and keys and small amounts, so that
 * calls meet: a run of unrelated calls would prove little.
 */
import * as fc from "fast-check"

const MOMENT = fc.integer({ min: 0, max: 40 })
const TASK = fc.integer({ min: 0, max: 4 })
const ACCOUNT = fc.nat(1)
const MICROS = fc.nat(3)
const CLAIM = fc.constantFrom("claim-a", "claim-b")
const HOLDER = fc.option(CLAIM)
const TASKS = fc.subarray([0, 1, 2, 3, 4])

const SUBMISSION = {
  task: TASK,
  account: ACCOUNT,
  reservationMicros: MICROS,
  model: fc.nat(2),
  dueAt: MOMENT,
  endBy: MOMENT,
  claim: HOLDER,
  turn: fc.option(fc.integer({ min: -3, max: 3 })),
}

export const CALL = fc.oneof(
  fc.record({ kind: fc.constant("submit" as const), ...SUBMISSION }),
  fc.record({
    kind: fc.constant("admit" as const),
    ...SUBMISSION,
    key: fc.option(fc.constantFrom("key-a", "key-b")),
    isRepeated: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant("advance" as const),
    task: TASK,
    isStale: fc.boolean(),
    isRepeated: fc.boolean(),
    /** Charged where the advance is the last one. */
    billedMicros: fc.option(MICROS),
    queue: fc.oneof(
      fc.constant(undefined),
      fc.record({ kind: fc.constant("reschedule" as const), dueAt: MOMENT, claim: HOLDER }),
      fc.record({ kind: fc.constant("finish" as const), retainAt: fc.option(MOMENT) }),
    ),
  }),
  fc.record({
    kind: fc.constant("bound" as const),
    account: ACCOUNT,
    budgetMicros: fc.option(fc.nat(9)),
    unfinishedTasks: fc.option(fc.nat(3)),
  }),
  fc.record({ kind: fc.constant("erase" as const), task: TASK }),
  fc.record({
    kind: fc.constant("claim" as const),
    models: fc.subarray([0, 1, 2]),
    exceptAccounts: fc.option(fc.subarray([0, 1])),
    now: MOMENT,
    limit: fc.integer({ min: 1, max: 4 }),
    claim: CLAIM,
  }),
  fc.record({ kind: fc.constant("renew" as const), claim: CLAIM, tasks: TASKS }),
  fc.record({ kind: fc.constant("free-others" as const), claim: CLAIM, tasks: TASKS }),
  fc.record({
    kind: fc.constant("release" as const),
    claim: CLAIM,
    dueAt: MOMENT,
    tasks: TASKS,
    keepsTurns: fc.boolean(),
  }),
  /** Voids a claim that has as many beats as it had, or more or fewer. */
  fc.record({
    kind: fc.constant("void" as const),
    claim: CLAIM,
    missedBeats: fc.constantFrom(0, 0, 1, -1),
  }),
  fc.record({
    kind: fc.constant("hold" as const),
    pool: fc.constantFrom("pool-a", "pool-b"),
    size: fc.nat(4),
    claim: CLAIM,
    count: fc.nat(4),
  }),
  fc.record({ kind: fc.constant("retain" as const), task: TASK, dueAt: fc.option(MOMENT) }),
  fc.record({
    kind: fc.constant("look" as const),
    models: fc.subarray([0, 1, 2]),
    account: ACCOUNT,
    now: MOMENT,
  }),
)

export type Call = typeof CALL extends fc.Arbitrary<infer Value> ? Value : never
export type CallOf<Kind extends Call["kind"]> = Extract<Call, { readonly kind: Kind }>
