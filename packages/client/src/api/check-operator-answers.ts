/** Checks the members of an operator's answers that a caller relies on. The rest is passed on unchecked. */
import { isTask } from "./check-answers.ts"
import type {
  ChannelCheck,
  ChannelList,
  ChannelStanding,
  OperatorTask,
  OperatorTaskList,
  OperatorUsage,
  StoredEventList,
  System,
} from "./operator-answers.ts"

export function isChannelList(value: unknown): value is ChannelList {
  const { channels } = toMembers(value)
  return Array.isArray(channels) && channels.every(isChannel)
}

export function isChannelStanding(value: unknown): value is ChannelStanding {
  const { in_flight: inFlight, name, state } = toMembers(value)
  return typeof name === "string" && typeof state === "string" && Number.isSafeInteger(inFlight)
}

export function isChannelCheck(value: unknown): value is ChannelCheck {
  const { name, problems } = toMembers(value)
  return typeof name === "string" && Array.isArray(problems)
}

export function isOperatorUsage(value: unknown): value is OperatorUsage {
  const { by, rows } = toMembers(value)
  return typeof by === "string" && Array.isArray(rows) && rows.every(isRow)
}

export function isSystem(value: unknown): value is System {
  const { commits, nodes, queue, versions } = toMembers(value)
  return [commits, queue, versions].every(isObject) && Array.isArray(nodes)
}

export function isOperatorTask(value: unknown): value is OperatorTask {
  return isTask(value) && typeof toMembers(value)["account"] === "string"
}

export function isOperatorTaskList(value: unknown): value is OperatorTaskList {
  const { next_cursor: cursor, tasks } = toMembers(value)
  const isCursor = cursor === null || typeof cursor === "string"
  return Array.isArray(tasks) && tasks.every(isOperatorTask) && isCursor
}

export function isStoredEventList(value: unknown): value is StoredEventList {
  const { events } = toMembers(value)
  return Array.isArray(events) && events.every(isStoredEvent)
}

function isStoredEvent(value: unknown): boolean {
  const { at, data, hash, schema, task, type, version } = toMembers(value)
  const texts = [data, hash, task, type]
  return (
    texts.every((text) => typeof text === "string") &&
    [at, schema, version].every(Number.isSafeInteger)
  )
}

function isChannel(value: unknown): boolean {
  return isChannelStanding(value) && Array.isArray(toMembers(value)["hours"])
}

function isRow(value: unknown): boolean {
  const { charge_micros: charge, name } = toMembers(value)
  return typeof name === "string" && Number.isSafeInteger(charge)
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null
}

function toMembers(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? { ...value } : {}
}
