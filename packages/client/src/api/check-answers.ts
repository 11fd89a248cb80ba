/** Checks the members of answers that the client relies on. The rest is passed on unchecked. */
import type {
  ArtifactLink,
  ArtifactList,
  EventList,
  Task,
  TaskFailure,
  TaskList,
  TaskUsage,
  UsageReport,
} from "./answers.ts"

export function isTask(value: unknown): value is Task {
  const { task_id: id, status, progress, error } = toMembers<Task>(value)
  return isName(id) && isName(status) && isNumber(progress) && (error === null || isFailure(error))
}

export function isTaskList(value: unknown): value is TaskList {
  const { tasks, next_cursor: cursor } = toMembers<TaskList>(value)
  return isListOf(tasks, isTask) && (cursor === null || isName(cursor))
}

export function isArtifactList(value: unknown): value is ArtifactList {
  const { artifacts } = toMembers<ArtifactList>(value)
  return isListOf(artifacts, (each) => isName(toMembers<{ key: unknown }>(each).key))
}

export function isArtifactLink(value: unknown): value is ArtifactLink {
  const { url, expires_at: endsAt } = toMembers<ArtifactLink>(value)
  return isName(url) && isNumber(endsAt)
}

export function isEventList(value: unknown): value is EventList {
  const { events } = toMembers<EventList>(value)
  return isListOf(events, (each) => isName(toMembers<{ type: unknown }>(each).type))
}

export function isTaskUsage(value: unknown): value is TaskUsage {
  const { task_id: id, charge_micros: charge } = toMembers<TaskUsage>(value)
  return isName(id) && isNumber(charge)
}

export function isUsageReport(value: unknown): value is UsageReport {
  const { charges, charge_micros: charge } = toMembers<UsageReport>(value)
  return isListOf(charges, () => true) && isNumber(charge)
}

function isFailure(value: unknown): value is TaskFailure {
  const { message, type, code } = toMembers<TaskFailure>(value)
  return typeof message === "string" && isName(type) && isName(code)
}

function toMembers<Shape>(value: unknown): Partial<Record<keyof Shape, unknown>> {
  return typeof value === "object" && value !== null ? value : {}
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== ""
}

function isNumber(value: unknown): value is number {
  return typeof value === "number"
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every((each) => isItem(each))
}
