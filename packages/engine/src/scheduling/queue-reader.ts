/**
 * Taking tasks from the queue as far as channels and accounts have permits, in the order of their moments and
 * start tags. Models that share channels are read together, or the first of them would get every permit.
 */
import type { QueuePeek, Taken } from "@safelight/core"
import type { Context } from "../host/context.ts"
import type { Work } from "../work/work.ts"
import type { AccountPermits } from "./account-permits.ts"
import type { Backlog } from "./backlog.ts"
import { createForeignTasks } from "./foreign-tasks.ts"
import { createFollowedWork } from "./followed-work.ts"
import type { ModelGroup } from "./model-groups.ts"
import { createPauses } from "./pauses.ts"
import { createStarter, type Starter } from "./start-taken.ts"
import type { StartTags } from "./start-tags.ts"

/** One round takes no more than this, so that others get their share of a large backlog. */
const TAKE_LIMIT = 500

export interface QueueReader {
  /** Takes what is due. Resolves to how long nothing more will be (ms); 0: look again at once. */
  read(): Promise<number>
}

export interface QueueReaderParts {
  readonly groups: readonly ModelGroup[]
  readonly startTags: StartTags
  readonly accounts: AccountPermits
  readonly backlog: Backlog
  readonly begin: (work: Work) => void
}

export type TakeTasks = (
  models: readonly string[],
  limit: number,
  dueOnly?: boolean,
) => Promise<readonly Taken[]>

export function createQueueReader(context: Context, parts: QueueReaderParts): QueueReader {
  const { lease, settings } = context
  const { accounts, backlog, groups } = parts
  const foreign = createForeignTasks(context)
  const starter = createStarter(context, {
    accounts,
    foreign,
    begin(work) {
      backlog.arrive()
      parts.begin(work)
    },
  })
  const take: TakeTasks = (models, limit, dueOnly = false) => {
    const now = context.clock.now() - foreign.holdBackMs()
    const permits = accounts.listFree()
    const turn = context.shares.turn()
    return context.storage.take({
      lease: lease.id,
      models,
      now,
      limit,
      permits,
      dueOnly,
      ...(turn !== undefined && turn.count > 1 && { turn }),
    })
  }
  const readGroup = createGroupReader(context, parts, { starter, take })
  const pauses = createPauses(context)
  const models = groups.flatMap((group) => group.models)
  const followed = createFollowedWork(context, { models, starter, take })
  return {
    async read() {
      await pauses.look()
      await accounts.refresh()
      // Tasks taken under a lease that ends soon could not be carried out: it must be renewed first.
      if (!lease.isFresh()) return Math.min(settings.idlePollMs, settings.leaseMs / 10)
      await followed.takeOn()
      let pauseMs = settings.idlePollMs
      for (const group of groups) pauseMs = Math.min(pauseMs, await readGroup(group))
      return pauseMs
    },
  }
}

/** Reads one group's queue; resolves to how long nothing more will be of it. */
type ReadGroup = (group: ModelGroup) => Promise<number>

interface GroupReaderParts {
  readonly starter: Starter
  readonly take: TakeTasks
}

function createGroupReader(
  { clock, lease, routing, settings, storage }: Context,
  { backlog, startTags }: QueueReaderParts,
  { starter, take }: GroupReaderParts,
): ReadGroup {
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
    backlog.expect(able, limit)
    try {
      const taken = await take(able, limit)
      if (taken.length === 0) backlog.note(able, false)
      for (const { startTag } of taken) startTags.observe(group, startTag)
      return await starter.start(taken, taking)
    } finally {
      backlog.expect([], 0)
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
    backlog.note(models, next.takeable > 0)
    if (next.takeable === 0) return toPause(next, clock.now(), settings.idlePollMs)
    // Where all that wait have a permit, nothing has to queue behind them.
    backlog.note(able, next.takeable > room)
    const goesOn = await takeGroup(group, able, Math.min(room, next.takeable))
    return goesOn ? 0 : settings.idlePollMs
  }
}

/** Until the next moment comes, but no longer than `longestMs`. */
function toPause({ dueAt }: QueuePeek, now: number, longestMs: number): number {
  return dueAt === null ? longestMs : Math.min(Math.max(0, dueAt - now), longestMs)
}
