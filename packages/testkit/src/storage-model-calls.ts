/**
 * Calls for the contract's generated runs. Few tasks, accounts and keys and small amounts, so that
 * calls meet: a run of unrelated calls would prove little.
 */
import * as fc from "fast-check"

const MOMENT = fc.integer({ min: 0, max: 40 })
const TASK = fc.integer({ min: 0, max: 4 })
const ACCOUNT = fc.nat(1)
const MICROS = fc.nat(3)
const LEASE = fc.constantFrom("lease-a", "lease-b")
const HOLDER = fc.option(LEASE)
const TASKS = fc.subarray([0, 1, 2, 3, 4])

const SUBMISSION = {
  task: TASK,
  account: ACCOUNT,
  reservationMicros: MICROS,
  model: fc.nat(2),
  dueAt: MOMENT,
  endBy: MOMENT,
  lease: HOLDER,
  startTag: fc.option(fc.integer({ min: -3, max: 3 })),
  pool: fc.option(fc.constantFrom({ number: 0, size: 1 }, { number: 1, size: 2 })),
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
    /** Charged if the advance is the last one. */
    billedMicros: fc.option(MICROS),
    queue: fc.oneof(
      fc.constant(undefined),
      fc.record({ kind: fc.constant("reschedule" as const), dueAt: MOMENT, lease: HOLDER }),
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
    kind: fc.constant("take" as const),
    models: fc.subarray([0, 1, 2]),
    /** Of both accounts, or of the first. */
    permits: fc.option(fc.array(fc.nat(3), { minLength: 1, maxLength: 2 })),
    turn: fc.option(
      fc.constantFrom({ index: 0, count: 1 }, { index: 0, count: 2 }, { index: 2, count: 3 }),
    ),
    dueOnly: fc.boolean(),
    now: MOMENT,
    limit: fc.integer({ min: 1, max: 4 }),
    lease: LEASE,
  }),
  fc.record({
    kind: fc.constant("heartbeat" as const),
    lease: LEASE,
    heartbeats: fc.integer({ min: 1, max: 6 }),
    round: fc.nat(2),
  }),
  fc.record({
    kind: fc.constant("release" as const),
    lease: LEASE,
    dueAt: MOMENT,
    tasks: TASKS,
    startsAnew: fc.boolean(),
  }),
  /** Of a lease that has as many heartbeats as it had, or more or fewer. */
  fc.record({
    kind: fc.constant("expire" as const),
    lease: LEASE,
    missedHeartbeats: fc.constantFrom(0, 0, 1, -1),
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
