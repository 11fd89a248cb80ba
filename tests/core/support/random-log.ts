/** Logs of random tasks over some months, each a legal stream of events with its row and charge. */
import {
  emptyTask,
  evolve,
  GENESIS_HASH,
  sealEvents,
  toChargeRow,
  toTaskRow,
  type StoredEvent,
  type TaskEvent,
} from "@safelight/core"
import { createSampleSealer } from "@safelight/testkit"
import * as fc from "fast-check"
import { eventDrafts, toEvent, type EventDraft } from "./arbitrary-event.ts"
import { createLog, type SampleLog, type SampleStream } from "./sample-log.ts"

/** Makes up to 30 days of the up to 5 s between two drafts. */
const SLOWNESS = 500_000

function toStream(drafts: readonly EventDraft[], index: number): SampleStream {
  const id = `task-${index}`
  let task = emptyTask(id)
  const events: TaskEvent[] = []
  for (const draft of drafts) {
    const event = toEvent(task, { ...draft, tickMs: draft.tickMs * SLOWNESS })
    const next = evolve(task, event)
    if (next !== task) events.push(event)
    task = next
  }
  const stored: StoredEvent[] = sealEvents(
    createSampleSealer(id),
    { task: id, version: 0, hash: GENESIS_HASH },
    events,
  )
  const newest = stored.at(-1)
  return {
    id,
    events: stored,
    row: newest && toTaskRow(task, newest.hash),
    charge: toChargeRow(task),
    outcomes: [],
    ready: undefined,
    retainedAt: undefined,
    hasInputs: false,
  }
}

/** Up to nine tasks; some have no event. */
export const randomLog: fc.Arbitrary<SampleLog> = fc
  .array(eventDrafts, { maxLength: 9 })
  .map((all) => createLog(all.map(toStream)))
