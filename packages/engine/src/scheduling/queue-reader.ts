/**
 * Taking tasks from the queue as far as channels and accounts have permits, in the order of their moments and
 * start tags; and permits in advance for tasks submitted here, beyond those that all that waits will
 * need. Models that share channels are read together, or the first of them would get every permit.
 */
import type { QueuePeek, Taken } from "@safelight/core"
import type { Context } from "../context.ts"
import type { AskedFor } from "../eligibility.ts"
import type { Taking } from "../ownership/worker-lease.ts"
import type { Work } from "../work.ts"
import type { AccountPermits } from "./account-permits.ts"
import type { AccountSettings } from "./account-settings.ts"
import { createForeignTasks } from "./foreign-tasks.ts"
import type { ModelGroup } from "./model-groups.ts"
import { createPausedWork } from "./paused-work.ts"
import { createPauses } from "./pauses.ts"
import type { ChannelPermit } from "./routing.ts"
import { createStarter, withAccount, type Starter } from "./start-taken.ts"
import type { StartTags } from "./start-tags.ts"

/** One round takes no more than this, so that others get their share of a large backlog. */
const TAKE_LIMIT = 500

export interface Offer {
  readonly model: string
  readonly account: string
  readonly permit: ChannelPermit
  /** Ended once the task is known as work, or none came of it. */
  readonly taking: Taking
}

export interface QueueReader {
  /** Takes what is due. Resolves to how long nothing more will be (ms); 0: look again at once. */
  read(): Promise<number>
  /** Permits in advance for a task; undefined where it must queue. */
  offer(request: AskedFor, account: string, settings: AccountSettings): Offer | undefined
  /** Whether tasks may be waiting for what a task of `account` has released. */
  hasBacklog(model: string, account: string): boolean
}

export interface QueueReaderParts {
  readonly groups: readonly ModelGroup[]
  readonly startTags: StartTags
  readonly accounts: AccountPermits
  readonly begin: (work: Work) => void
}

export type TakeTasks = (
  models: readonly string[],
  limit: number,
  dueOnly?: boolean,
) => Promise<readonly Taken[]>

export function createQueueReader(context: Context, parts: QueueReaderParts): QueueReader {
  const { lease, routing, settings } = context
  const { accounts, groups } = parts
  const backlog = new Set(groups.flatMap(({ models }) => models))
  const wanted = createWanted(context)
  const foreign = createForeignTasks(context)
  const starter = createStarter(context, {
    accounts,
    foreign,
    begin(work) {
      wanted.use()
      parts.begin(work)
    },
  })
  const take: TakeTasks = (models, limit, dueOnly = false) => {
    const now = context.clock.now() - foreign.holdBackMs()
    const permits = accounts.listFree()
    return context.storage.take({ lease: lease.id, models, now, limit, permits, dueOnly })
  }
  const readGroup = createGroupReader(context, parts, { backlog, wanted, starter, take })
  const pauses = createPauses(context)
  const models = groups.flatMap((group) => group.models)
  const pausedWork = createPausedWork(context, { models, starter, take })
  return {
    hasBacklog: (model, account) => backlog.has(model) || accounts.isLimited(account),
    async read() {
      await pauses.look()
      await accounts.refresh()
      // What is taken late could not be carried out: the lease must be renewed before.
      if (!lease.isFresh()) return Math.min(settings.idlePollMs, settings.leaseMs / 10)
      await pausedWork.takeOn()
      let pauseMs = settings.idlePollMs
      for (const group of groups) pauseMs = Math.min(pauseMs, await readGroup(group))
      return pauseMs
    },
    offer({ model, parameters }, account, { runningTasks }) {
      if (backlog.has(model) || !lease.isFresh()) return undefined
      const permit = accounts.tryAcquire(account, runningTasks)
      if (permit === undefined) return undefined
      const channel = wanted.leavesOne(model) ? routing.tryAcquire(model, parameters) : undefined
      if (channel === undefined) {
        permit.release()
        backlog.add(model)
        return undefined
      }
      return { model, account, permit: withAccount(channel, permit), taking: lease.take() }
    },
  }
}

/**
 * The permits that tasks which are being taken will need: what is submitted meanwhile may have the others. So
 * a submission never queues behind tasks that have their permits already.
 */
interface Wanted {
  note(models: readonly string[], count: number): void
  /** One of them is in use. */
  use(): void
  /** Whether a permit for `model` would leave enough. */
  leavesOne(model: string): boolean
}

function createWanted({ routing }: Pick<Context, "routing">): Wanted {
  let wanted: { readonly models: readonly string[]; count: number } = { models: [], count: 0 }
  return {
    note: (models, count) => void (wanted = { models, count }),
    use() {
      wanted.count = Math.max(0, wanted.count - 1)
    },
    leavesOne: (model) =>
      wanted.count === 0 ||
      !wanted.models.includes(model) ||
      wanted.models.every((each) => routing.countFree(each) > wanted.count),
  }
}

/** Reads one group's queue; resolves to how long nothing more will be of it. */
type ReadGroup = (group: ModelGroup) => Promise<number>

interface GroupReaderParts {
  readonly backlog: Set<string>
  readonly wanted: Wanted
  readonly starter: Starter
  readonly take: TakeTasks
}

function createGroupReader(
  { clock, lease, routing, settings, storage }: Context,
  { startTags }: QueueReaderParts,
  { backlog, starter, take, wanted }: GroupReaderParts,
): ReadGroup {
  function noteBacklog(models: readonly string[], isWaiting: boolean): void {
    for (const model of models) {
      if (isWaiting) backlog.add(model)
      else backlog.delete(model)
    }
  }

  const findAble = ({ models }: ModelGroup): readonly string[] =>
    models.filter((model) => routing.countFree(model) > 0)

  /** As many as each of them can take; what only some can take is left for the next round. */
  const countRoom = (models: readonly string[]): number =>
    models.length === 0
      ? 0
      : Math.min(TAKE_LIMIT, ...models.map((model) => routing.countFree(model)))

  /** Resolves to whether there may be more to begin at once. */
  async function takeGroup(
    group: ModelGroup,
    able: readonly string[],
    limit: number,
  ): Promise<boolean> {
    const taking = lease.take()
    wanted.note(able, limit)
    try {
      const taken = await take(able, limit)
      if (taken.length === 0) noteBacklog(able, false)
      for (const { startTag } of taken) startTags.observe(group, startTag)
      return await starter.start(taken, taking)
    } finally {
      wanted.note([], 0)
      taking.end()
    }
  }

  return async function readGroup(group) {
    const able = findAble(group)
    const room = countRoom(able)
    if (room === 0) return settings.idlePollMs
    const { models } = group
    const next = await storage.peekQueue({ models, now: clock.now(), most: room + 1 })
    startTags.observe(group, next.startTag)
    noteBacklog(models, next.takeable > 0)
    if (next.takeable === 0) return toPause(next, clock.now(), settings.idlePollMs)
    // Where all that wait have a permit, nothing has to queue behind them.
    noteBacklog(able, next.takeable > room)
    const goesOn = await takeGroup(group, able, Math.min(room, next.takeable))
    return goesOn ? 0 : settings.idlePollMs
  }
}

/** Until the next moment comes, but no longer than `longestMs`. */
function toPause({ dueAt }: QueuePeek, now: number, longestMs: number): number {
  return dueAt === null ? longestMs : Math.min(Math.max(0, dueAt - now), longestMs)
}
