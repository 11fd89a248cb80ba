/**
 * Start tags: the places of new tasks in line, by start-time fair queueing. A queue's virtual time is the
 * highest start tag seen to be started, or waiting in front; a new task gets it, or its flow's last start tag
 * and a step by the account's weight, whichever is later. So an account with a long line waits behind its
 * own tasks, and another's first comes next. What waits in front may be of an account that has no room,
 * and stay there: then it is the starts that tell the time.
 */
import { createBoundedCache, isSafelightError, nextStartTag } from "@safelight/core"
import type { ModelGroup } from "./model-groups.ts"
import type { Ports } from "../host/ports.ts"

export interface StartTags {
  /** The start tag of a new task. Never rejects for the storage's sake. */
  give(group: ModelGroup, account: string, weight: number): Promise<number>
  /** A task with this start tag was started, or is the first that waits. */
  observe(group: ModelGroup, startTag: number | null): void
}

/** Asked this rarely, since it walks all that is held. */
const ASK_EVERY_MS = 10_000

/** Flows whose last start tag is remembered; a forgotten one begins again at the virtual time. */
const REMEMBERED = 10_000

/** The flows of one queue. */
interface Flows {
  /** The virtual time. */
  now: number
  /** When the front of the queue was last seen, on the monotonic clock. */
  seenAt: number
  /** When it was last asked how far starts have come, on the monotonic clock. */
  askedAt: number
  readonly last: ReturnType<typeof createBoundedCache<number>>
  looking: Promise<void> | undefined
}

export function createStartTags({
  clock,
  log,
  settings,
  storage,
}: Pick<Ports, "clock" | "log" | "settings" | "storage">): StartTags {
  const all = new Map<ModelGroup, Flows>()

  function flowsOf(group: ModelGroup): Flows {
    const flows = all.get(group) ?? {
      now: 0,
      seenAt: -Infinity,
      askedAt: -Infinity,
      last: createBoundedCache<number>(REMEMBERED),
      looking: undefined,
    }
    all.set(group, flows)
    return flows
  }

  const isStale = ({ seenAt }: Flows): boolean =>
    clock.monotonicNow() - seenAt >= settings.idlePollMs

  /** Only a process that carries out tasks sees them start; another one has to look. */
  async function look(group: ModelGroup, flows: Flows): Promise<void> {
    const { models } = group
    const now = clock.monotonicNow()
    const isDue = now - flows.askedAt >= ASK_EVERY_MS
    if (isDue) flows.askedAt = now
    try {
      const [front, started] = await Promise.all([
        isStale(flows) ? storage.peekQueue({ models, now: clock.now(), most: 1 }) : undefined,
        isDue ? storage.findStartedTag({ models }) : null,
      ])
      observe(group, front?.startTag ?? null)
      observe(group, started)
    } catch (error) {
      if (!isSafelightError(error)) throw error
      log.warn({ error }, "queue front not read")
      flows.seenAt = clock.monotonicNow()
    } finally {
      flows.looking = undefined
    }
  }

  function observe(group: ModelGroup, startTag: number | null): void {
    const flows = flowsOf(group)
    flows.now = Math.max(flows.now, startTag ?? 0)
    flows.seenAt = clock.monotonicNow()
  }

  return {
    observe,
    async give(group, account, weight) {
      const flows = flowsOf(group)
      if (isStale(flows) || flows.askedAt === -Infinity) {
        flows.looking ??= look(group, flows)
        await flows.looking
      }
      const startTag = Math.max(flows.now, nextStartTag(flows.last.get(account), weight))
      flows.last.set(account, startTag)
      return startTag
    },
  }
}
