/**
 * Reads the document of a task's proof, and bounds it before anything is computed: a service that wants to keep a page
 * busy, or fill its memory, is refused by counting.
 */
import type { TaskProof } from "../api/proof-answers.ts"
import { toFault, type ProofFault } from "./proof-fault.ts"

type ReadEvent = TaskProof["events"][number]

export type ReadTaskProof = Pick<TaskProof, "checkpoint" | "events" | "task">

/** Far more than a task has, however often it is tried again. So many take 57,344 hashes at most. */
const MOST_EVENTS = 1_024
/** Of all events together; so much as the client takes of an answer. */
const MOST_CHARACTERS = 16 * 2 ** 20
/** An id has 36. It is hashed with every event. */
const MOST_TASK_CHARACTERS = 1_024

/** `document` is the parsed JSON. A fault is `malformed` or `too-large`. */
export function readTaskProof(document: unknown): ReadTaskProof | ProofFault {
  const { checkpoint, events, format, task, version } = toMembers<TaskProof>(document)
  if (format !== "safelight-proof") {
    return toFault("malformed", "not a proof: its format is not safelight-proof")
  }
  if (version !== 1) return toFault("malformed", "the proof is of a version that is not known here")
  if (!isText(task) || typeof checkpoint !== "string") {
    return toFault("malformed", "the proof lacks its task or its checkpoint")
  }
  if (task.length > MOST_TASK_CHARACTERS) return toFault("too-large", "the task's id is too long")
  if (!Array.isArray(events) || events.length === 0) {
    return toFault("malformed", "the proof has no events")
  }
  return findFault(events) ?? { task, checkpoint, events: events as readonly ReadEvent[] }
}

function findFault(events: readonly unknown[]): ProofFault | undefined {
  if (events.length > MOST_EVENTS) return toFault("too-large", "the proof has too many events")
  let characters = 0
  for (const [place, event] of events.entries()) {
    if (!isEvent(event)) {
      const reason = `event ${place + 1} of the proof lacks a member, or has a wrong one`
      return toFault("malformed", reason, place + 1)
    }
    characters += event.data.length + event.type.length
    if (characters > MOST_CHARACTERS) {
      return toFault("too-large", "the events of the proof are too long", place + 1)
    }
  }
  return undefined
}

function isEvent(event: unknown): event is ReadEvent {
  const { at, data, hash, index, proof, schema, sealed, type, version } =
    toMembers<ReadEvent>(event)
  return (
    [at, index, schema, version].every((number) => Number.isSafeInteger(number)) &&
    [data, type].every(isText) &&
    isDigest(hash) &&
    (sealed === undefined || isDigest(sealed)) &&
    Array.isArray(proof) &&
    proof.every((text) => typeof text === "string")
  )
}

function toMembers<Shape>(value: unknown): Partial<Record<keyof Shape, unknown>> {
  return typeof value === "object" && value !== null ? value : {}
}

/** One without a lone surrogate, which has no UTF-8. */
function isText(value: unknown): value is string {
  return typeof value === "string" && !/\p{Surrogate}/u.test(value)
}

function isDigest(value: unknown): boolean {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value)
}
