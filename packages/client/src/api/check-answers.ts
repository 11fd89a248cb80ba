/** Checks the members of answers that the client relies on. The rest is passed on unchecked. */
import type {
  Artifact,
  ArtifactLink,
  ArtifactLinkList,
  ArtifactList,
  Cancellation,
  EventList,
  LinkedArtifact,
  Task,
  TaskFailure,
  TaskList,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookDeliveryList,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
  WebhookList,
  WebhookReplay,
} from "./answers.ts"
import type { Me, SignIn } from "./key-answers.ts"
import type { TaskUsage, UsageReport, UsageStatement } from "./usage-answers.ts"
import type { Balance, ModelInfo, ModelList, Quote } from "./price-answers.ts"

export function isTask(value: unknown): value is Task {
  const { task_id: id, model, status, error } = toMembers<Task>(value)
  return (
    [id, model, status].every(isName) &&
    hasCounts(value, "progress", "created_at", "finished_at") &&
    (error === null || isFailure(error))
  )
}

export function isCancellation(value: unknown): value is Cancellation {
  const { charge_micros: charge, outcome, task } = toMembers<Cancellation>(value)
  const isCharged = charge === null || isCount(charge)
  return isName(outcome) && isCharged && hasCounts(value, "charge_limit_micros") && isTask(task)
}

export function isMe(value: unknown): value is Me {
  const { account, key_id: id, scopes } = toMembers<Me>(value)
  const hasTimes = hasCounts(value, "expires_at", "max_retention_seconds")
  return [account, id].every(isName) && isListOf(scopes, isName) && hasTimes
}

export function isSignIn(value: unknown): value is SignIn {
  const { account, key } = toMembers<SignIn>(value)
  return [account, key].every(isName) && hasCounts(value, "expires_at")
}

export function isTaskList(value: unknown): value is TaskList {
  const { tasks, next_cursor: cursor } = toMembers<TaskList>(value)
  return isListOf(tasks, isTask) && (cursor === null || isName(cursor))
}

export function isArtifactList(value: unknown): value is ArtifactList {
  const { artifacts } = toMembers<ArtifactList>(value)
  return isListOf(artifacts, isArtifact)
}

function isArtifact(value: unknown): boolean {
  const { expires_at: endsAt, key, mime_type: mimeType } = toMembers<Artifact>(value)
  return [key, mimeType].every(isName) && (endsAt === undefined || isCount(endsAt))
}

export function isArtifactLink(value: unknown): value is ArtifactLink {
  const { url, expires_at: endsAt } = toMembers<ArtifactLink>(value)
  return isName(url) && isCount(endsAt)
}

export function isArtifactLinkList(value: unknown): value is ArtifactLinkList {
  const { links } = toMembers<ArtifactLinkList>(value)
  return isListOf(links, isLinkedArtifact)
}

function isLinkedArtifact(value: unknown): value is LinkedArtifact {
  const { key, mime_type: mimeType, type } = toMembers<LinkedArtifact>(value)
  return [key, mimeType, type].every(isName) && isArtifactLink(value)
}

export function isEventList(value: unknown): value is EventList {
  const { events, next_cursor: cursor } = toMembers<EventList>(value)
  const isEvent = (each: unknown): boolean => isName(toMembers<{ type: unknown }>(each).type)
  return isListOf(events, isEvent) && (cursor === null || isName(cursor))
}

export function isTaskUsage(value: unknown): value is TaskUsage {
  const found = toMembers<TaskUsage>(value)
  const { labels, task_id: id, model, price, price_version: version, status, usage } = found
  return (
    [id, model, status, version].every(isName) &&
    Object.values(toMembers(labels)).every((each) => typeof each === "string") &&
    hasCounts(value, "charge_micros", "reserved_micros", "charge_limit_micros", "finished_at") &&
    (price === null || isPrice(price)) &&
    (usage === null || isUsage(usage))
  )
}

export function isUsageReport(value: unknown): value is UsageReport {
  const { account, charges } = toMembers<UsageReport>(value)
  return (
    hasCounts(value, "charge_micros", "tasks", "to", "from") &&
    hasCounts(account, "charged_micros", "reserved_micros", "unfinished_tasks") &&
    isListOf(charges, isChargeSum)
  )
}

export function isUsageStatement(value: unknown): value is UsageStatement {
  const { charges, next_cursor: cursor } = toMembers<UsageStatement>(value)
  const isEnd = cursor === null || isName(cursor)
  return hasCounts(value, "to", "from") && isListOf(charges, isStatedCharge) && isEnd
}

function isStatedCharge(value: unknown): boolean {
  const { model, task_id: id } = toMembers<UsageStatement["charges"][number]>(value)
  return [id, model].every(isName) && hasCounts(value, "charge_micros", "ended_at")
}

export function isBalance(value: unknown): value is Balance {
  const { budget_micros: budget, left_micros: left } = toMembers<Balance>(value)
  return (
    hasCounts(value, "reserved_micros", "spent_micros") &&
    [budget, left].every((each) => each === null || isCount(each))
  )
}

export function isQuote(value: unknown): value is Quote {
  const { lines, model, price, price_version: version, quote } = toMembers<Quote>(value)
  return (
    [quote, model, version].every(isName) &&
    hasCounts(value, "max_cost_micros", "valid_until") &&
    isPrice(price) &&
    isListOf(lines, isQuoteLine)
  )
}

export function isModelList(value: unknown): value is ModelList {
  const { models, next_cursor: cursor = null } = toMembers<Partial<ModelList>>(value)
  return isListOf(models, isModelInfo) && (cursor === null || isName(cursor))
}

export function isModelInfo(value: unknown): value is ModelInfo {
  const { model, parameters, price, price_version: version } = toMembers<ModelInfo>(value)
  return [model, version].every(isName) && isPrice(price) && isObject(parameters)
}

function isQuoteLine(value: unknown): boolean {
  const { item, unit } = toMembers<Quote["lines"][number]>(value)
  return [item, unit].every(isName) && hasCounts(value, "unit_price_micros")
}

export function isWebhook(value: unknown): value is WebhookEndpoint {
  const { id, url, events, enabled } = toMembers<WebhookEndpoint>(value)
  return [id, url].every(isName) && isListOf(events, isName) && typeof enabled === "boolean"
}

export function isWebhookWithSecret(value: unknown): value is WebhookEndpointWithSecret {
  return isWebhook(value) && isName(toMembers<WebhookEndpointWithSecret>(value).secret)
}

export function isWebhookList(value: unknown): value is WebhookList {
  return isListOf(toMembers<WebhookList>(value).webhooks, isWebhook)
}

function isDelivery(value: unknown): value is WebhookDelivery {
  const { id, type, status, tries } = toMembers<WebhookDelivery>(value)
  return [id, type, status].every(isName) && isListOf(tries, isObject)
}

export function isDeliveryDetail(value: unknown): value is WebhookDeliveryDetail {
  return isDelivery(value) && typeof toMembers<WebhookDeliveryDetail>(value).body === "string"
}

export function isDeliveryList(value: unknown): value is WebhookDeliveryList {
  const { deliveries, next_cursor: cursor } = toMembers<WebhookDeliveryList>(value)
  return isListOf(deliveries, isDelivery) && (cursor === null || isName(cursor))
}

export function isReplay(value: unknown): value is WebhookReplay {
  return hasCounts(value, "replayed")
}

function isPrice(value: unknown): boolean {
  const { per_image_micros: image, per_video_second_micros: second } =
    toMembers<NonNullable<TaskUsage["price"]>>(value)
  return isObject(value) && [image, second].every((each) => each === undefined || isCount(each))
}

function isUsage(value: unknown): boolean {
  const { input_videos_ms: inputs } = toMembers<NonNullable<TaskUsage["usage"]>>(value)
  return (
    hasCounts(value, "images", "output_video_ms", "billed_input_ms") && isListOf(inputs, isCount)
  )
}

function isChargeSum(value: unknown): boolean {
  const { model, price_version: version } = toMembers<UsageReport["charges"][number]>(value)
  const isNamed = [model, version].every(isName)
  const counts = ["tasks", "images", "output_video_ms", "billed_input_ms", "charge_micros"]
  return isNamed && hasCounts(value, ...counts)
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null
}

function hasCounts(value: unknown, ...names: readonly string[]): boolean {
  return isObject(value) && names.every((name) => isCount((value as Record<string, unknown>)[name]))
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

/** All numbers of the API are whole: seconds, milliseconds, micro-units, percent. */
function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every((each) => isItem(each))
}
