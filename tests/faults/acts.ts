/**
 * What an operator does while a round goes on, one act after another, as much between two of them as the round
 * tells: keys replaced and revoked, an account suspended, limits changed, a channel paused, doubts settled,
 * tasks erased; and after each a look at what accounts have. Whatever was paused or suspended goes on at the end.
 */
import { setTimeout as pause } from "node:timers/promises"
import { isTerminal, type Storage, type Task } from "@safelight/core"
import { BOUNDED, THRIFTY, WAVERING, type AccountPlan } from "./accounts.ts"
import type { Activity } from "./activity.ts"
import { isKept, type Creations } from "./creations.ts"
import { UNSEEN_EACH } from "./clients.ts"
import type { Desk } from "./desk.ts"
import type { ToldLimits } from "./judge-limits.ts"
import type { LateCaller } from "./late-caller.ts"
import type { Release } from "./releases.ts"
import { fromPrompt } from "./requests.ts"
import type { Random } from "./random.ts"
import { sampleAccounts } from "./sample-accounts.ts"
import { listTasks } from "./stored-tasks.ts"
import type { Telling } from "./told.ts"

export interface ActsOptions {
  readonly desk: Desk
  readonly place: string
  readonly accounts: readonly AccountPlan[]
  readonly activity: Activity
  readonly random: Random
  readonly telling: Telling
  readonly creations: Pick<Creations, "list">
  readonly late: LateCaller
  /** Whose commands the operator uses. */
  readonly release: () => Release
  /** Counts an act, for the report. */
  readonly note: (act: string) => void
}

export interface Acts {
  /** Begins no further act; resolves once what was paused or suspended goes on. */
  stop(): Promise<void>
}

/** How much has to happen between two acts. */
const PAUSE = { least: 10, most: 50 } as const

/** Between two tries to undo an act while the storage is away. */
const RETRY_MS = 100

const CHANNELS = ["upstream-keyed", "upstream-lookup", "upstream-unkeyed"] as const

/** Tasks erased at a time. */
const ERASED = 3

interface Acting extends ActsOptions {
  /** Resolves once much has happened, or it is over. */
  awaitMore(): Promise<void>
}

type Act = (acting: Acting) => Promise<void>

export function startActs(options: ActsOptions): Acts {
  const { accounts, activity, desk, random, telling } = options
  const stopping = new AbortController()
  const { signal } = stopping
  const acting: Acting = {
    ...options,
    awaitMore() {
      const goal = activity.count() + random.integer(PAUSE.least, PAUSE.most)
      return activity.until(() => signal.aborted || activity.count() >= goal)
    },
  }
  const ids = new Set(accounts.map(({ id }) => id))
  const acts: readonly Act[] = [
    pauseChannel,
    resolveDoubts,
    eraseTasks,
    ...(ids.has(WAVERING) ? [replaceKey, suspend] : []),
    ...(ids.has(THRIFTY) && ids.has(BOUNDED) ? [changeLimits] : []),
  ]

  async function run(): Promise<void> {
    const isOpen = (): boolean => accounts.every(({ id }) => desk.keyOf(id) !== undefined)
    await activity.until(() => signal.aborted || isOpen())
    while (!signal.aborted) {
      await acting.awaitMore()
      if (signal.aborted) return
      for (const act of random.draw(acts, 1)) await act(acting)
      telling.samples.push(
        ...((await desk.act((storage) => sampleAccounts(options.place, storage))) ?? []),
      )
    }
  }

  const running = run()
  // It is told by `stop`.
  running.catch(() => {})
  return {
    async stop() {
      stopping.abort()
      activity.note()
      await running
      // What the storage forgot may have been their end.
      await insist(desk, resumeAll)
    },
  }
}

/** Does it again and again until nothing fails it. */
async function insist(desk: Desk, use: (storage: Storage) => Promise<unknown>): Promise<void> {
  const isDone = (): Promise<boolean | undefined> =>
    desk.act(async (storage) => {
      await use(storage)
      return true
    })
  while ((await isDone()) === undefined) await pause(RETRY_MS)
}

async function resumeAll(storage: Storage): Promise<void> {
  await Promise.all(CHANNELS.map((channel) => storage.resumeChannel(channel)))
  if ((await storage.findAccount(WAVERING)) === undefined) return
  await storage.setAccount({ id: WAVERING, now: Date.now(), settings: { suspendedAt: 0 } })
}

async function pauseChannel({ awaitMore, desk, note, random }: Acting): Promise<void> {
  const channel = random.pick(CHANNELS)
  await desk.act((storage) => storage.pauseChannel({ channel, pausedAt: Date.now() }))
  note("channel paused")
  await awaitMore()
  await insist(desk, (storage) => storage.resumeChannel(channel))
}

async function suspend({ awaitMore, desk, note, telling }: Acting): Promise<void> {
  const open = { account: WAVERING, askedAt: Date.now(), at: Infinity }
  const place = telling.suspensions.push({ ...open, endAskedAt: Infinity, endedAt: Infinity }) - 1
  const set = (suspendedAt: number) => (storage: Storage) =>
    storage.setAccount({ id: WAVERING, now: Date.now(), settings: { suspendedAt } })
  const isDone = (await desk.act(set(Date.now()))) !== undefined
  const at = isDone ? Date.now() : Infinity
  note("account suspended")
  await awaitMore()
  const endAskedAt = Date.now()
  telling.suspensions[place] = { ...open, at, endAskedAt, endedAt: Infinity }
  await insist(desk, set(0))
  telling.suspensions[place] = { ...open, at, endAskedAt, endedAt: Date.now() }
}

/** A request comes late under the key that is revoked around it. */
async function replaceKey({ desk, late, note }: Acting): Promise<void> {
  const key = await desk.replaceKey(WAVERING)
  if (key === undefined) return
  note("key revoked")
  await late.ask(WAVERING, key, () => desk.revoke(key))
}

async function changeLimits({ desk, note, random, telling }: Acting): Promise<void> {
  const [account, settings] = random.pick<readonly [string, ToldLimits["settings"]]>([
    [THRIFTY, { budgetMicros: random.integer(100_000, 900_000) }],
    [THRIFTY, { unfinishedTasks: random.integer(2, 10) }],
    [BOUNDED, { unfinishedTasks: random.integer(4, 16) }],
    [BOUNDED, { runningTasks: random.integer(1, 4) }],
  ])
  const askedAt = Date.now()
  const place = telling.limits.push({ account, askedAt, at: Infinity, settings }) - 1
  const isDone = await desk.act((storage) =>
    storage.setAccount({ id: account, now: Date.now(), settings }),
  )
  if (isDone === undefined) return
  telling.limits[place] = { account, askedAt, at: Date.now(), settings }
  note("limits changed")
}

/** Of a channel that can't be asked: adopted where something was bought, and failed elsewhere. */
async function resolveDoubts({ creations, desk, note, release, telling }: Acting): Promise<void> {
  const isInDoubt = ({ dispatch, state }: Task): boolean =>
    state === "doubtful" && dispatch?.channel === "upstream-unkeyed"
  const doubtful = await desk.act(async (storage) => (await listTasks(storage)).filter(isInDoubt))
  for (const { id: task } of (doubtful ?? []).slice(0, 1)) {
    const bought = creations.list().find((each) => each.task === task && isKept(each))
    const name = bought?.operation
    telling.resolved.push(task)
    await desk.act((storage) =>
      release().resolveTask(
        { storage },
        name === undefined ? { task, fail: true } : { task, adopt: { name } },
      ),
    )
    note("doubt settled")
  }
}

async function eraseTasks(acting: Acting): Promise<void> {
  const { desk, note, random, telling } = acting
  const tasks = (await desk.act(listTasks)) ?? []
  for (const task of random.draw(tasks.slice(-RECENT), ERASED)) {
    const input = await desk.act((storage) => storage.readInput({ task: task.id, name: "request" }))
    const { prompt = "" } = JSON.parse(input?.body ?? "{}") as { prompt?: string }
    const request = fromPrompt(prompt)
    if (request === undefined || mayBeAskedAgain(acting, request)) continue
    const asked = { task: task.id, request, askedAt: Date.now(), hadEnded: isTerminal(task) }
    const place = telling.erasures.push({ ...asked, at: Infinity }) - 1
    const isDone = await desk.act((storage) => storage.eraseInputs(task.id))
    if (isDone !== undefined) telling.erasures[place] = { ...asked, at: Date.now() }
    note(asked.hadEnded ? "task erased" : "task erased before its end")
  }
}

/**
 * With what was written its idempotency key goes. A caller that repeats it gets another task, and so does a
 * try of before that nobody heard of and that a node, or the network before the database, still holds.
 */
function mayBeAskedAgain({ telling }: Acting, request: number): boolean {
  const isAccepted = telling.acceptances.some((each) => each.request === request)
  return !isAccepted || request % UNSEEN_EACH === 0 || telling.adrift.includes(request)
}

/** Of so many of the newest tasks some are erased: many of them have not ended. */
const RECENT = 40
