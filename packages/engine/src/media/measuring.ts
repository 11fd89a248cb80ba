/**
 * Tasks whose videos are being measured here. Meanwhile their channels' permits are free for others, since a
 * caller's own server decides how long measuring takes: a channel held by it would be closed to everybody. An
 * account that has as many measured as it may begins nothing more in this process; beyond what the process
 * itself may measure so, a task keeps its permit, and the channel's limit holds the others back.
 */
import { createBoundedCache } from "@safelight/core"
import type { MeasuredVideo } from "../record/measured-input.ts"
import type { Work } from "../work/work.ts"

/** Each may hold a connection, a file and a request with inline media. */
const MOST_ASIDE = 32

const MOST_OF_ACCOUNT = 8

/** Tasks that were measured and not bought yet, as there was no permit left: a short array each. */
const REMEMBERED = 10_000

export interface Measuring {
  /** How many more tasks of the account may begin here; Infinity where none of it is measured. */
  countFree(account: string): number
  /** In the order of the request; undefined for a task that was not measured here. */
  known(task: string): readonly MeasuredVideo[] | undefined
  /**
   * Releases the channel's permit of `work` where it can, and remembers what `act` resolves to. Resolves to
   * undefined, and does nothing, where the account has enough tasks measured: many may begin at one moment.
   */
  run(
    work: Work,
    act: () => Promise<readonly MeasuredVideo[]>,
  ): Promise<readonly MeasuredVideo[] | undefined>
  /** Has `listener` called whenever something new may begin: a permit is free, or an account is not full. */
  onFree(listener: () => void): void
}

export function createMeasuring(): Measuring {
  const counts = new Map<string, number>()
  const videos = createBoundedCache<readonly MeasuredVideo[]>(REMEMBERED)
  let measured = 0
  let tell: (() => void) | undefined

  function add(account: string, step: 1 | -1): void {
    const left = (counts.get(account) ?? 0) + step
    if (left === 0) counts.delete(account)
    else counts.set(account, left)
    measured += step
  }

  return {
    countFree(account) {
      const count = counts.get(account)
      return count === undefined ? Infinity : MOST_OF_ACCOUNT - count
    },
    known: (task) => videos.get(task),
    async run(work, act) {
      const { account } = work.head.task
      if (counts.get(account) === MOST_OF_ACCOUNT) return undefined
      if (measured < MOST_ASIDE) {
        work.permit?.release()
        work.permit = undefined
        tell?.()
      }
      add(account, 1)
      try {
        const found = await act()
        videos.set(work.id, found)
        return found
      } finally {
        add(account, -1)
        tell?.()
      }
    },
    onFree(listener) {
      tell = listener
    },
  }
}
