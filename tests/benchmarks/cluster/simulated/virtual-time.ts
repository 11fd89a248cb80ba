/**
 * Virtual time, for thousands of waits at once: they end in the order of their moments, and between two moments only
 * what they lead to runs. The store waits by the host's timers, so these are virtual too, for the whole process: from
 * then on nothing in it may wait for real time, or for I/O.
 */
import timers from "node:timers/promises"
import { setImmediate } from "node:timers"
import { syncBuiltinESMExports } from "node:module"
import type { AbortSignalLike, Clock } from "@safelight/core"

export interface VirtualTime extends Clock {
  /** Moves on by `durationMs`. */
  readonly pass: (durationMs: number) => Promise<void>
}

interface Wait {
  readonly dueAt: number
  readonly order: number
  isOver: boolean
  readonly resolve: () => void
}

const BEGIN_AT = 1_767_225_600_000

/** Moments lie on a grid, so that what happens nearly at once is settled once. */
const GRID_MS = 0.1

/** Turns of the event loop that a reaction may take, one behind the other. */
const TURNS = 5

export function createVirtualTime(): VirtualTime {
  const waits = createHeap()
  let now = 0
  let order = 0

  function wait(durationMs: number, signal?: AbortSignalLike): Promise<void> {
    if (durationMs <= 0 || signal?.aborted === true) return Promise.resolve()
    return new Promise((resolve) => {
      order += 1
      const dueAt = Math.ceil((now + durationMs) / GRID_MS) * GRID_MS
      const own: Wait = { dueAt, order, isOver: false, resolve: finish }
      function finish(): void {
        if (own.isOver) return
        own.isOver = true
        signal?.removeEventListener("abort", finish)
        resolve()
      }
      signal?.addEventListener("abort", finish)
      waits.push(own)
    })
  }

  async function pass(durationMs: number): Promise<void> {
    const until = now + durationMs
    await settle()
    for (let next = waits.first(); next !== undefined && next.dueAt <= until;) {
      now = Math.max(now, next.dueAt)
      const isDue = ({ dueAt }: Wait): boolean => dueAt <= now
      let fired = 0
      for (; next !== undefined && isDue(next); next = waits.first()) {
        waits.pop()
        if (!next.isOver) fired += 1
        next.resolve()
      }
      // oxlint-disable-next-line no-await-in-loop -- its reactions see its moment
      if (fired > 0) await settle()
      next = waits.first()
    }
    now = until
  }

  replaceTimers(() => now, wait)
  return {
    now: () => Math.floor(BEGIN_AT + now),
    monotonicNow: () => now,
    wait,
    pass,
  }
}

function replaceTimers(now: () => number, wait: VirtualTime["wait"]): void {
  const setTimeout = async (
    durationMs?: number,
    value?: unknown,
    options?: { readonly signal?: AbortSignal },
  ): Promise<unknown> => {
    await wait(durationMs ?? 0, options?.signal)
    options?.signal?.throwIfAborted()
    return value
  }
  Object.assign(timers, { setTimeout })
  syncBuiltinESMExports()
  Object.assign(performance, { now })
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one turn behind the other
    await new Promise<void>((resolve) => {
      setImmediate(resolve)
    })
  }
}

interface Heap {
  readonly first: () => Wait | undefined
  readonly pop: () => void
  readonly push: (wait: Wait) => void
}

/** A binary heap by moment, then by order. */
function createHeap(): Heap {
  const all: Wait[] = []
  const isBefore = (a: Wait, b: Wait): boolean =>
    a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.order < b.order)

  function swapIfBefore(child: number, parent: number): boolean {
    const [one, other] = [all[child], all[parent]]
    if (one === undefined || other === undefined || !isBefore(one, other)) return false
    all[child] = other
    all[parent] = one
    return true
  }

  function sink(): void {
    for (let parent = 0; ;) {
      const [left, right] = [2 * parent + 1, 2 * parent + 2]
      const [one, other] = [all[left], all[right]]
      const least = one && other && isBefore(other, one) ? right : left
      if (!swapIfBefore(least, parent)) return
      parent = least
    }
  }

  return {
    first: () => all[0],
    push(wait) {
      all.push(wait)
      for (let child = all.length - 1; child > 0;) {
        const parent = (child - 1) >> 1
        if (!swapIfBefore(child, parent)) return
        child = parent
      }
    },
    pop() {
      const last = all.pop()
      if (last === undefined || all.length === 0) return
      all[0] = last
      sink()
    },
  }
}
