/**
 * What each event changes in a task: one recipe an event type, for the machine's `assign` (on a draft of
 * immer), for `evolve` (on a copy of the task) and for `fold` (on the one object that it makes). A recipe
 * therefore only replaces top-level members; the property test that holds machine and `evolve` equal
 * fails if one reaches deeper.
 */
import type { EventType, TaskEvent, TaskEventOf } from "./events.ts"
import { holdUntil } from "./hold.ts"
import type { Task } from "./task.ts"

export type TaskDraft = { -readonly [Key in keyof Task]: Task[Key] }

type Reducers = {
  readonly [Type in EventType]: (draft: TaskDraft, event: TaskEventOf<Type>) => void
}

const REDUCERS: Reducers = {
  submitted(draft, { at, data }) {
    draft.account = data.account
    draft.commitment = data.commitment
    draft.createdAt = at
    if (data.definition !== undefined) draft.definition = data.definition
    draft.endBy = data.endBy
    draft.maxAttempts = data.maxAttempts
    draft.model = data.model
    draft.parameters = data.parameters
    draft.priceVersion = data.priceVersion
    draft.reservationMicros = data.reservationMicros
  },
  dispatched(draft, { at, data }) {
    const last = draft.dispatch
    const keyedAt = last?.upstreamKey === data.upstreamKey ? last.keyedAt : at
    draft.attempt = data.attempt
    draft.deferral = null
    draft.dispatch = {
      because: data.because,
      channel: data.channel,
      keyedAt,
      lease: data.lease,
      sendBefore: data.sendBefore,
      upstreamKey: data.upstreamKey,
    }
    draft.doubt = null
    draft.progress = Math.max(draft.progress, 1)
  },
  accepted(draft, { data }) {
    draft.doubt = null
    draft.operation = data.operation
  },
  doubted(draft, { data }) {
    draft.doubt = data.code
  },
  deferred(draft, { data }) {
    draft.deferral = { reason: data.reason, retryAt: data.retryAt }
    draft.doubt = null
    // A call that proved nothing was created is no attempt of the provider's: it may just be away.
    if (draft.operation !== null) draft.spentAttempts = draft.spentAttempts + 1
    draft.operation = null
    if (data.isRefusal && draft.dispatch !== null) {
      draft.refusedBy = [...(draft.refusedBy ?? []), draft.dispatch.channel]
    }
  },
  progressed(draft, { data }) {
    draft.progress = data.progress
  },
  succeeded(draft, { at, data }) {
    draft.artifacts = data.artifacts
    draft.chargeMicros = data.chargeMicros
    draft.doubt = null
    draft.finishedAt = at
    draft.progress = 100
    draft.usage = data.usage
  },
  failed(draft, { at, data }) {
    draft.chargeMicros = data.chargeMicros
    draft.error = data.error
    draft.finishedAt = at
    draft.usage = data.usage
  },
  held(draft, { at, data }) {
    draft.artifacts = holdUntil(draft.artifacts, data.until, at)
  },
  expired() {
    // The state alone says it: artifacts stay listed with their expiry (http-decisions §3).
  },
}

/** Applies a legal event's changes to `draft`; the caller sets `state`. */
export function reduce(draft: TaskDraft, event: TaskEvent): void {
  const reducer = REDUCERS[event.type] as (draft: TaskDraft, event: TaskEvent) => void
  reducer(draft, event)
  draft.updatedAt = event.at
  draft.version += 1
}
