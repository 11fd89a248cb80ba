/** The messages that endpoints get. A message's id is the same for every endpoint and every try. */
import { randomUUID } from "node:crypto"
import {
  EXPIRING_TYPE,
  lastExpiryAt,
  TEST_TYPE,
  toHashDigits,
  toUnixSeconds,
  type NewDelivery,
  type StreamHead,
  type Task,
  type WebhookType,
} from "@safelight/core"

/** A delivery but for the endpoint that gets it. */
export type Message = Omit<NewDelivery, "endpoint">

/** The task as the API shows it: JSON. */
export type ToTaskText = (task: Task) => string

/** With the task as the event left it. */
export interface TaskMessage extends StreamHead {
  readonly type: WebhookType
  /** Of the event. */
  readonly at: number
  /** Where it stands among the messages about its task. */
  readonly sequence: number
  readonly now: number
}

/**
 * Its id names the event by the hash too: a database that lost commits gives another event the same version, and
 * a receiver that has seen the id would ignore it.
 */
export function toTaskMessage(
  { type, task, hash, at, sequence, now }: TaskMessage,
  toTaskText: ToTaskText,
): Message {
  return {
    message: `msg_${task.id}_${task.version}_${toHashDigits(hash)}`,
    subject: task.id,
    sequence,
    type,
    payload: toPayload(type, at, toTaskText(task)),
    createdAt: now,
    dueAt: now,
  }
}

/** Behind every event of its task: an event of the days until then must not wait for the notice. */
const NOTICE_SEQUENCE = Number.MAX_SAFE_INTEGER

/**
 * The notice that the artifacts of a task expire soon. It waits until then; whether they still expire at that
 * moment shows only when it comes, so the moment is part of its id, behind which the event is named that set it.
 */
export function toExpiryNotice(
  { task, hash, now }: Pick<TaskMessage, "task" | "hash" | "now">,
  noticeMs: number,
  toTaskText: ToTaskText,
): Message {
  const expiresAt = lastExpiryAt(task)
  const dueAt = Math.max(now, expiresAt - noticeMs)
  return {
    message: `${toNoticeName(task)}_${toHashDigits(hash)}`,
    subject: task.id,
    sequence: NOTICE_SEQUENCE,
    type: EXPIRING_TYPE,
    payload: toPayload(EXPIRING_TYPE, dueAt, toTaskText(task), toUnixSeconds(expiresAt)),
    createdAt: now,
    dueAt,
  }
}

/**
 * Whether a message is the notice that is right for the task as it stands: no two events of a task set the same
 * moment. Notices of earlier releases name no event.
 */
export function isNoticeOf(task: Task, message: string): boolean {
  const name = toNoticeName(task)
  return message === name || message.startsWith(`${name}_`)
}

function toNoticeName(task: Task): string {
  return `msg_${task.id}_expiring_${toUnixSeconds(lastExpiryAt(task))}`
}

export function toTestMessage(now: number): Message {
  const message = `msg_${randomUUID()}`
  const payload = toPayload(TEST_TYPE, now, JSON.stringify({ message: "This is a test." }))
  return {
    message,
    subject: message,
    sequence: 0,
    type: TEST_TYPE,
    payload,
    createdAt: now,
    dueAt: now,
  }
}

function toPayload(type: string, at: number, data: string, expiresAt?: number): string {
  const expiry = expiresAt === undefined ? "" : `"expires_at":${expiresAt},`
  return `{"type":"${type}","timestamp":"${new Date(at).toISOString()}",${expiry}"data":${data}}`
}
