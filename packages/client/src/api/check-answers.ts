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
  const found = toMembers<TaskUsage>(value)
  const { task_id: id, model, price, price_version: version, status, usage } = found
  return (
    [id, model, status, version].every(isName) &&
    hasNumbers(value, "charge_micros", "reserved_micros", "charge_limit_micros", "finished_at") &&
    (price === null || isObject(price)) &&
    (usage === null || isUsage(usage))
  )
}

export function isUsageReport(value: unknown): value is UsageReport {
  const { account, charges } = toMembers<UsageReport>(value)
  return (
    hasNumbers(value, "charge_micros", "tasks", "from", "to") &&
    hasNumbers(account, "charged_micros", "reserved_micros", "unfinished_tasks") &&
    isListOf(charges, isChargeSum)
  )
}

function isUsage(value: unknown): boolean {
  const { input_videos_ms: inputs } = toMembers<NonNullable<TaskUsage["usage"]>>(value)
  return (
    hasNumbers(value, "images", "output_video_ms", "billed_input_ms") && isListOf(inputs, isNumber)
  )
}

function isChargeSum(value: unknown): boolean {
  const { model, price_version: version } = toMembers<UsageReport["charges"][number]>(value)
  const isNamed = [model, version].every(isName)
  const counts = ["tasks", "images", "output_video_ms", "billed_input_ms", "charge_micros"]
  return isNamed && hasNumbers(value, ...counts)
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null
}

function hasNumbers(value: unknown, ...names: readonly string[]): boolean {
  return (
    isObject(value) && names.every((name) => isNumber((value as Record<string, unknown>)[name]))
  )
}

function isFailure(value: unknown): value is TaskFailure {
  const { message, type, code } = toMembers<TaskFailure>(value)
  return typeof message === "string" && isName(type) && isName(code)
}

function toMembers<Shape>(value: unknown): Partial<Record<keyof Shape, unknown>> {
  return isObject(value) ? value : {}
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
