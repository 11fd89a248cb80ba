/** Checks the members of an operator's answers that a caller relies on. The rest is passed on unchecked. */
import type {
  ChannelCheck,
  ChannelList,
  ChannelStanding,
  OperatorUsage,
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
