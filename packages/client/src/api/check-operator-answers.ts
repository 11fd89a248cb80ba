/** Checks the members of an operator's answers that a caller relies on. The rest is passed on unchecked. */
import { isTask } from "./check-answers.ts"
import type {
  ApiKey,
  ApiKeyList,
  ChannelCheck,
  ChannelList,
  ChannelStanding,
  NewApiKey,
  OperatorAccount,
  OperatorAccountList,
  OperatorChangeList,
  OperatorTask,
  OperatorTaskList,
  OperatorUsage,
  RotatedApiKey,
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

export function isOperatorChangeList(value: unknown): value is OperatorChangeList {
  const { changes, next_cursor: cursor } = toMembers(value)
  const isCursor = cursor === null || typeof cursor === "string"
  return Array.isArray(changes) && changes.every(isOperatorChange) && isCursor
}

function isOperatorChange(value: unknown): boolean {
  const { change, changed_by: changedBy, target } = toMembers(value)
  return [change, changedBy, target].every((each) => typeof each === "string")
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
  const { events, next_cursor: cursor } = toMembers(value)
  const isCursor = cursor === null || typeof cursor === "string"
  return Array.isArray(events) && events.every(isStoredEvent) && isCursor
}

export function isOperatorAccount(value: unknown): value is OperatorAccount {
  return isAccountSettings(value) && isObject(toMembers(value)["totals"])
}

export function isOperatorAccountList(value: unknown): value is OperatorAccountList {
  const { accounts, next_cursor: cursor } = toMembers(value)
  const isCursor = cursor === null || typeof cursor === "string"
  return Array.isArray(accounts) && accounts.every(isAccountSettings) && isCursor
}

export function isApiKey(value: unknown): value is ApiKey {
  const { account, id, scopes, state } = toMembers(value)
  return [account, id, state].every((text) => typeof text === "string") && Array.isArray(scopes)
}

export function isApiKeyList(value: unknown): value is ApiKeyList {
  const { keys } = toMembers(value)
  return Array.isArray(keys) && keys.every(isApiKey)
}

export function isNewApiKey(value: unknown): value is NewApiKey {
  return isApiKey(value) && typeof toMembers(value)["key"] === "string"
}

export function isRotatedApiKey(value: unknown): value is RotatedApiKey {
  return isNewApiKey(value) && isApiKey(toMembers(value)["replaced"])
}

function isAccountSettings(value: unknown): boolean {
  const { account, created_at: createdAt } = toMembers(value)
  return typeof account === "string" && Number.isSafeInteger(createdAt)
}

function isStoredEvent(value: unknown): boolean {
  const { at, data, hash, schema, sealed, task, type, version } = toMembers(value)
  const texts = [data, hash, task, type]
  return (
    (sealed === null || typeof sealed === "string") &&
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
