/**
 * The contract of `Storage`: listing an account's tasks. A page may be short of its
 * limit and not be the last, so every behaviour follows a list to its end.
 */
import assert from "node:assert/strict"
import {
  toStatus,
  type Labels,
  type ListRequest,
  type Storage,
  type Task,
  type TaskPosition,
} from "@safelight/core"
import * as fc from "fast-check"
import type { Behaviours } from "./contract.ts"
import { advanceSample, dispatchSample, submitSample, succeedSample } from "./sample-task.ts"
import { MODELS, toIds, type StorageFixture } from "./storage-fixture.ts"

type Filter = Omit<ListRequest, "limit">

export const LIST_BEHAVIOURS: Behaviours<StorageFixture> = {
  "an account without tasks has an empty list": async ({ storage }) => {
    await submit(storage, { id: "t", account: "other" })
    const page = await storage.listTasks({ account: "account", limit: 5 })
    assert.deepEqual(page, { tasks: [], next: null })
  },

  "a list goes by the moment of creation, then by the bytes of ids, newest first": async ({
    storage,
  }) => {
    // UTF-16 has the last two the other way round.
    const ids = ["a", "b", "\u{fffd}", "\u{1f600}"]
    for (const id of ids.toReversed()) await submit(storage, { id, now: 2_000 })
    await submit(storage, { id: "a-newer", now: 2_001 })
    await submit(storage, { id: "z-older", now: 1_999 })
    const expected = ["a-newer", ...ids.toReversed(), "z-older"]
    for (const limit of [1, 2, 6, 7]) {
      assert.deepEqual(idsOf(await listAll(storage, { account: "account" }, limit)), expected)
    }
  },

  "a page has no more than its limit, and the last one no next": async ({ storage }) => {
    for (const id of ["a", "b", "c"]) await submit(storage, { id })
    const first = await storage.listTasks({ account: "account", limit: 2 })
    assert.deepEqual(idsOf(first.tasks), ["c", "b"])
    assert.deepEqual(first.next, { createdAt: 1_000, id: "b" })
    const whole = await storage.listTasks({ account: "account", limit: 3 })
    assert.deepEqual([whole.tasks.length, whole.next], [3, null])
  },

  "a list shows tasks as their newest event left them": async ({ storage }) => {
    const { head } = await submit(storage, { id: "t" })
    const dispatched = advanceSample(head, [dispatchSample()], { now: 1_001 })
    await storage.append(dispatched.append)
    const running = { account: "account", status: "running" } as const
    assert.deepEqual(await listAll(storage, running, 5), [dispatched.head.task])
    assert.deepEqual(await listAll(storage, { ...running, status: "queued" }, 5), [])
  },

  "a list goes on behind a position that no task has": async ({ storage }) => {
    for (const id of ["a", "c"]) await submit(storage, { id })
    const behind = async (createdAt: number, id: string) =>
      idsOf(await listAll(storage, { account: "account", after: { createdAt, id } }, 5))
    assert.deepEqual(await behind(1_000, "b"), ["a"])
    assert.deepEqual(await behind(1_001, ""), ["c", "a"])
    assert.deepEqual(await behind(999, "z"), [])
  },

  "any filter in pages of any size shows each task that passes it once, in order": async ({
    storage,
  }) => {
    const tasks = await submitAssorted(storage)
    const property = fc.asyncProperty(
      FILTER,
      fc.integer({ min: 1, max: 50 }),
      async (set, limit) => {
        const filter = toFilter(set)
        const passing = tasks.filter((listed) => passes(listed, filter))
        const expected = passing.map(({ task }) => task).toSorted(newestFirst)
        assert.deepEqual(await listAll(storage, filter, limit), expected)
      },
    )
    await fc.assert(property, { numRuns: 200 })
  },

  "tasks that come and change while a list is read make none appear twice": async ({ storage }) => {
    const ids = toIds(12)
    for (const id of ids) await submit(storage, { id, now: 1_000 + (id.length % 2) })
    const seen: string[] = []
    let after: Filter["after"]
    for (let page = 0; ; page += 1) {
      const request = { account: "account", limit: 2, ...(after && { after }) }
      const { tasks, next } = await storage.listTasks(request)
      seen.push(...idsOf(tasks))
      if (next === null) break
      assertGoesOn(next, after)
      after = next
      await submit(storage, { id: `new-${page}`, now: 999 + (page % 3) })
      for (const task of tasks) await dispatch(storage, task.id)
    }
    assert.equal(new Set(seen).size, seen.length)
    assert.deepEqual(seen.filter((id) => ids.includes(id)).toSorted(), ids.toSorted())
  },
}

interface Sample {
  readonly id: string
  readonly account?: string
  readonly model?: string
  readonly now?: number
  readonly labels?: Labels
}

async function submit(storage: Storage, { id, account, labels, model, now = 1_000 }: Sample) {
  const submitted = { ...(account && { account }), ...(model && { model }) }
  const sample = submitSample({ id, submitted, now, ...(labels && { labels }) })
  await storage.append(sample.append)
  return sample
}

async function dispatch(storage: Storage, id: string): Promise<void> {
  const head = await storage.readTask(id)
  assert.ok(head)
  await storage.append(advanceSample(head, [dispatchSample()], { now: 2_000 }).append)
}

const ACCOUNTS = ["account", "other"] as const
const STATUSES = ["queued", "running", "succeeded", "failed"] as const

interface Listed {
  readonly task: Task
  readonly labels: Labels
}

/** As a filter that has them all, some of them, or what no task has. */
const LABELS: readonly Labels[] = [
  {},
  { project: "spring" },
  { project: "spring", team: "a" },
  { project: "autumn", team: "a", run: "" },
]

/** Tasks of two accounts, three models, every status, many labels, several at each of a few moments. */
async function submitAssorted(storage: Storage): Promise<readonly Listed[]> {
  const tasks: Listed[] = []
  for (const [index, id] of toIds(48).entries()) {
    const account = ACCOUNTS[index % 2] ?? assert.fail()
    const model = MODELS[index % 3] ?? assert.fail()
    const labels = LABELS[index % 7] ?? {}
    const now = 1_000 + (index % 5)
    const { head } = await submit(storage, { id, account, labels, model, now })
    const commands = [
      [],
      [dispatchSample()],
      [dispatchSample(), succeedSample()],
      [{ kind: "fail", attempt: 0, code: "task_cancelled" }],
    ] as const
    const chosen = commands[Math.floor(index / 6) % 4] ?? assert.fail()
    if (chosen.length === 0) {
      tasks.push({ task: head.task, labels })
      continue
    }
    const advanced = advanceSample(head, chosen, { now: 1_500 })
    await storage.append(advanced.append)
    tasks.push({ task: advanced.head.task, labels })
  }
  return tasks
}

const MOMENT = fc.option(fc.integer({ min: 999, max: 1_006 }), { nil: undefined })
const FILTER = fc.record({
  account: fc.constantFrom(...ACCOUNTS),
  createdAfter: MOMENT,
  createdBefore: MOMENT,
  status: fc.option(fc.constantFrom(...STATUSES), { nil: undefined }),
  model: fc.option(fc.constantFrom(...MODELS), { nil: undefined }),
  labels: fc.option(
    fc.constantFrom<Labels>(
      ...LABELS,
      { team: "a" },
      { team: "a", run: "" },
      { project: "autumn", team: "b" },
    ),
    { nil: undefined },
  ),
})

type FilterSet = typeof FILTER extends fc.Arbitrary<infer Value> ? Value : never

/** The filter without what is undefined. */
function toFilter({ account, ...set }: FilterSet): Filter {
  const given = Object.entries(set).filter(([, value]) => value !== undefined)
  return { account, ...Object.fromEntries(given) }
}

function passes({ task, labels }: Listed, filter: Filter): boolean {
  const { createdAfter = 0, createdBefore = Infinity, status, model } = filter
  return (
    Object.entries(filter.labels ?? {}).every(([key, value]) => labels[key] === value) &&
    task.account === filter.account &&
    task.createdAt >= createdAfter &&
    task.createdAt < createdBefore &&
    (status === undefined || toStatus(task) === status) &&
    (model === undefined || task.model === model)
  )
}

function newestFirst(one: Task, other: Task): number {
  return other.createdAt - one.createdAt || (one.id < other.id ? 1 : -1)
}

async function listAll(storage: Storage, filter: Filter, limit: number): Promise<readonly Task[]> {
  const listed: Task[] = []
  let { after } = filter
  for (;;) {
    const page = await storage.listTasks({ ...filter, limit, ...(after && { after }) })
    assert.ok(page.tasks.length <= limit)
    listed.push(...page.tasks)
    if (page.next === null) return listed
    assertGoesOn(page.next, after)
    after = page.next
  }
}

/** A list that stands still would be read for ever. */
function assertGoesOn(next: TaskPosition, after: TaskPosition | undefined): void {
  assert.notDeepEqual(next, after, "the list goes on where it was")
}

function idsOf(tasks: readonly Task[]): string[] {
  return tasks.map(({ id }) => id)
}
