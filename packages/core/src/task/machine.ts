/**
 * The life of a task as an XState machine: the only truth about which event is legal where.
 *
 *   nothing ─submitted→ queued ─dispatched→ dispatching ─accepted→ running
 *                         ↑                    │doubted              │
 *                         │                    ↓                     │
 *                         ├──deferred──── doubtful ←→ (dispatched again under the same key)
 *                         └──deferred────────────────────────────────┘
 *   dispatching, doubtful, running ─succeeded→ succeeded.available ─expired→ succeeded.expired
 *                                              succeeded.available ─held→ succeeded.available
 *   queued, dispatching, doubtful, running ─failed→ failed
 *
 * Deadlines are data: nothing here waits, invokes or spawns. Every transition runs `record`, and
 * the transition table of the hot path is derived from this machine at load.
 */
import { produce } from "immer"
import { assign, setup } from "xstate"
import type { TaskEvent } from "./events.ts"
import { keepsLonger } from "./hold.ts"
import { reduce } from "./reducers.ts"
import { emptyTask, type Task } from "./task.ts"

interface Situation {
  readonly context: Task
  readonly event: TaskEvent
}

/** The conditions of the machine, by name; the transition table runs the same functions. */
export const GUARDS = {
  /** A dispatch counts attempts without a gap. */
  isNextAttempt: ({ context, event }: Situation): boolean =>
    event.type === "dispatched" && event.data.attempt === context.attempt + 1,
  /** From doubt only the very same upstream key on the same channel may be sent again. */
  isRepeat: ({ context, event }: Situation): boolean =>
    event.type === "dispatched" &&
    event.data.attempt === context.attempt + 1 &&
    event.data.channel === context.dispatch?.channel &&
    event.data.upstreamKey === context.dispatch.upstreamKey,
  /** Progress never falls, and 100 is said by success alone. */
  advances: ({ context, event }: Situation): boolean =>
    event.type === "progressed" &&
    event.data.progress > context.progress &&
    event.data.progress < 100,
  /** A hold that keeps nothing longer is no event. */
  keepsLonger: ({ context, event }: Situation): boolean =>
    event.type === "held" && keepsLonger(context.artifacts, event.data.until, event.at),
} as const

export type GuardName = keyof typeof GUARDS

export const taskMachine = setup({
  types: {
    context: {} as Task,
    events: {} as TaskEvent,
    input: {} as { readonly id: string },
  },
  guards: GUARDS,
  actions: {
    /** Which state the event leads to is the snapshot's own: `state` of the context stays as it is. */
    record: assign(({ context, event }) => produce(context, (draft) => reduce(draft, event))),
  },
}).createMachine({
  id: "task",
  context: ({ input }) => emptyTask(input.id),
  initial: "nothing",
  states: {
    nothing: {
      on: { submitted: { target: "queued", actions: "record" } },
    },
    queued: {
      on: {
        dispatched: { target: "dispatching", guard: "isNextAttempt", actions: "record" },
        failed: { target: "failed", actions: "record" },
      },
    },
    dispatching: {
      on: {
        accepted: { target: "running", actions: "record" },
        doubted: { target: "doubtful", actions: "record" },
        deferred: { target: "queued", actions: "record" },
        succeeded: { target: "succeeded", actions: "record" },
        failed: { target: "failed", actions: "record" },
      },
    },
    doubtful: {
      on: {
        dispatched: { target: "dispatching", guard: "isRepeat", actions: "record" },
        accepted: { target: "running", actions: "record" },
        deferred: { target: "queued", actions: "record" },
        succeeded: { target: "succeeded", actions: "record" },
        failed: { target: "failed", actions: "record" },
      },
    },
    running: {
      on: {
        progressed: { target: "running", guard: "advances", actions: "record" },
        deferred: { target: "queued", actions: "record" },
        succeeded: { target: "succeeded", actions: "record" },
        failed: { target: "failed", actions: "record" },
      },
    },
    succeeded: {
      initial: "available",
      states: {
        available: {
          on: {
            held: { target: "available", guard: "keepsLonger", actions: "record" },
            expired: { target: "expired", actions: "record" },
          },
        },
        expired: {},
      },
    },
    failed: { type: "final" },
  },
})
