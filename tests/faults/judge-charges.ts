/**
 * The oracle's view of money: what a task is charged, by an arithmetic of its own, from what the upstream made
 * and the price table. What a reader would get wrong: the log can't be the measure of itself, so nothing here
 * calls what the service calculates with; only a task's end is taken from its row.
 */
import type { ModelPrice, PriceBook, ScannedStream, Task, Usage } from "@safelight/core"
import type { Creation } from "./creations.ts"
import { EDIT, FILM, MOST_PIECES, OWN, toOwnMicros } from "./models.ts"
import { toVideo } from "./products.ts"
import type { PlannedRequest } from "./requests.ts"
import { toOperationName } from "./upstream-channel.ts"

export interface Charges {
  readonly bought: ReadonlyMap<string, readonly Creation[]>
  /** Every table that a task may have been accepted under. */
  readonly prices: PriceBook
  readonly fail: (words: string) => void
}

/**
 * One charge a success, and none a failure unless its channel reported it billed: then it has to be charged
 * where that report ended the task, and where the report reached nobody it can't be.
 */
export function judgeCharge(
  open: Charges,
  task: Task,
  planned: PlannedRequest | undefined,
  { charge }: Pick<ScannedStream, "charge">,
): void {
  const { fail } = open
  const { chargeMicros, id, reservationMicros, state } = task
  const charged = charge?.chargeMicros ?? 0
  const priced = toPricing(open, task)
  if (priced === undefined) return fail(`task ${id} names no price table: ${task.priceVersion}`)
  const reserved = planned && priced(toMostUsage(planned))
  if (reserved !== undefined && reservationMicros !== reserved) {
    fail(`task ${id} reserves ${reservationMicros}, and ${reserved} is the most that it may cost`)
  }
  if (charged !== chargeMicros || charged > reservationMicros || charged < 0) {
    const words = `and reserved ${reservationMicros}`
    fail(`task ${id} (${state}) is charged ${charged}, its snapshot says ${chargeMicros} ${words}`)
  }
  const usages = listUsages(open, task, planned)
  const expected = usages.map((usage) => Math.min(usage && priced(usage), reservationMicros))
  if (!expected.includes(charged)) {
    fail(`task ${id} (${state}) is charged ${charged} in place of ${expected.join(" or ")}`)
  }
}

/** What the task may have used; 0 stands for nothing. */
function listUsages(
  { bought }: Charges,
  task: Task,
  planned: PlannedRequest | undefined,
): readonly (Usage | 0)[] {
  const made = bought.get(task.id) ?? []
  if (task.state.startsWith("succeeded")) {
    const used = made.find(({ operation }) => operation === toOperationName(task.operation))
    if (used === undefined) return [0]
    return [toUsage(used, task, planned)]
  }
  const refusals = made.filter((each) => each.ending === "refuses-billed" && each.isEndTold)
  if (task.error?.code !== "provider_rejected" || refusals.length === 0) return [0]
  return refusals.map(({ production: { filmMs, pieces } }) => ({
    images: filmMs > 0 ? 0 : pieces.length,
    inputVideosMs: [],
    outputVideoMs: filmMs,
  }))
}

/** Pictures that are there, and films and videos as long as they are: the longer, where two lengths were seen. */
function toUsage(
  { production }: Creation,
  { artifacts }: Task,
  planned: PlannedRequest | undefined,
): Usage {
  const { filmMs, inputVideosMs } = production
  const images = artifacts.filter(({ type }) => type === "image").length
  if (filmMs === 0) return { images, inputVideosMs: [], outputVideoMs: 0 }
  const shownMs = listVideos(planned).map((url) => toVideo(url).shownMs)
  const longerMs = inputVideosMs.map((ms, place) => Math.max(ms, shownMs[place] ?? 0))
  return { images: 0, inputVideosMs: longerMs, outputVideoMs: filmMs }
}

const LONGEST_INPUT_MS = 30_000
const SHORTEST_MAIN_INPUT_MS = 4_000

/** What is reserved is the price of this. */
function toMostUsage({ model, parameters }: PlannedRequest): Usage {
  const { count = 1, duration = 0 } = parameters as { count?: number; duration?: number }
  if (model === FILM) {
    const inputVideosMs = listVideos({ parameters }).length > 0 ? [LONGEST_INPUT_MS] : []
    return { images: 0, inputVideosMs, outputVideoMs: duration * 1_000 }
  }
  const images = model === EDIT ? count : model === OWN ? MOST_PIECES : 1
  return { images, inputVideosMs: [], outputVideoMs: 0 }
}

function listVideos(planned: Pick<PlannedRequest, "parameters"> | undefined): readonly string[] {
  return (planned?.parameters["video_urls"] as readonly string[] | undefined) ?? []
}

/** The price of a usage by the table of the task; undefined where there is no such table. */
function toPricing(
  { prices }: Charges,
  { model, priceVersion }: Task,
): ((usage: Usage) => number) | undefined {
  const table = prices.find(({ version }) => isVersion(priceVersion, version))
  const price = table?.models[model]
  return price && ((usage) => toMicros(model, price, usage))
}

/** A version is the table's name, perhaps with something behind it that tells tables of one name apart. */
export function isVersion(priceVersion: string, name: string): boolean {
  return priceVersion === name || priceVersion.startsWith(`${name}#`)
}

function toMicros(model: string, price: ModelPrice, usage: Usage): number {
  const { perImageMicros = 0, perVideoSecondMicros = 0 } = price
  if (model === OWN) return toOwnMicros(usage.images, perImageMicros)
  if (model !== FILM) return usage.images * perImageMicros
  const [main, ...others] = usage.inputVideosMs
  const mainMs = main === undefined ? 0 : Math.max(main, SHORTEST_MAIN_INPUT_MS)
  const inputMs = others.reduce((total, ms) => total + ms, mainMs)
  const billedMs = usage.outputVideoMs + Math.min(inputMs, LONGEST_INPUT_MS)
  return Math.ceil((billedMs * perVideoSecondMicros) / 1_000)
}
