/**
 * Turns: the places of new tasks among those that wait to be started, by start-time fair queueing.
 * A queue's virtual time is the highest turn seen to be started, or waiting in front; a new task
 * gets it, or the account's last turn and a step by its weight, whichever is later. So an account
 * with a long line waits behind its own tasks, and another's first comes next. What waits in front
 * may be of an account that has no room, and stay there: then it is the starts that tell the time.
 */
import { createBoundedCache, isSafelightError } from "@safelight/core"
import type { ModelGroup } from "./model-groups.ts"
import type { Ports } from "./ports.ts"

export interface Turns {
  /** The turn of a new task. Never rejects for the storage's sake. */
  give(group: ModelGroup, account: string, weight: number): Promise<number>
  /** A turn was started, or is the lowest that waits. */
  observe(group: ModelGroup, turn: number | null): void
}

/** A step at weight 1; an integer for every weight up to 1,000. */
const STEP = 1_000

/** Asked this rarely, since it walks all that is claimed. */
const ASK_EVERY_MS = 10_000

/** Accounts whose last turn is remembered; a forgotten one begins again at the virtual time. */
const REMEMBERED = 10_000

interface Line {
  now: number
  /** When the front of the queue was last seen, on the monotonic clock. */
  seenAt: number
  /** When it was last asked how far starts have come, on the monotonic clock. */
  askedAt: number
  readonly last: ReturnType<typeof createBoundedCache<number>>
  looking: Promise<void> | undefined
}

export function createTurns({
  clock,
  log,
  settings,
  storage,
}: Pick<Ports, "clock" | "log" | "settings" | "storage">): Turns {
  const lines = new Map<ModelGroup, Line>()

  function lineOf(group: ModelGroup): Line {
    const line = lines.get(group) ?? {
      now: 0,
      seenAt: -Infinity,
      askedAt: -Infinity,
      last: createBoundedCache<number>(REMEMBERED),
      looking: undefined,
    }
    lines.set(group, line)
    return line
  }

  const isStale = ({ seenAt }: Line): boolean =>
    clock.monotonicNow() - seenAt >= settings.idlePollMs

  /** Only a process that carries out tasks sees them start; another one has to look. */
  async function look(group: ModelGroup, line: Line): Promise<void> {
    const { models } = group
    const now = clock.monotonicNow()
    const isDue = now - line.askedAt >= ASK_EVERY_MS
    if (isDue) line.askedAt = now
    try {
      const [front, started] = await Promise.all([
        isStale(line) ? storage.peekQueue({ models, now: clock.now(), most: 1 }) : undefined,
        isDue ? storage.findStartedTurn({ models }) : null,
      ])
      observe(group, front?.turn ?? null)
      observe(group, started)
    } catch (error) {
      if (!isSafelightError(error)) throw error
      log.warn({ error }, "queue front not read")
      line.seenAt = clock.monotonicNow()
    } finally {
      line.looking = undefined
    }
  }

  function observe(group: ModelGroup, turn: number | null): void {
    const line = lineOf(group)
    line.now = Math.max(line.now, turn ?? 0)
    line.seenAt = clock.monotonicNow()
  }

  return {
    observe,
    async give(group, account, weight) {
      const line = lineOf(group)
      if (isStale(line) || line.askedAt === -Infinity) {
        line.looking ??= look(group, line)
        await line.looking
      }
      const step = Math.max(1, Math.round(STEP / weight))
      const turn = Math.max(line.now, (line.last.get(account) ?? -step) + step)
      line.last.set(account, turn)
      return turn
    },
  }
}
