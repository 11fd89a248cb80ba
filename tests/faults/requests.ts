/**
 * What clients ask for, as data: the same for the same seed and number, so that whoever judges a round
 * knows every request by its number alone. By its prompt a stored task is known to be of a request, and
 * no other text of a round holds the secret word of the prompt.
 */
import { hash } from "node:crypto"
import type { AccountPlan } from "./accounts.ts"
import { EDIT, FILM, MOST_PIECES, OWN, PICTURE } from "./models.ts"
import { toVideoUrl } from "./products.ts"
import { pickByText } from "./random.ts"

export interface PlannedRequest {
  /** From 1. */
  readonly request: number
  readonly account: string
  readonly model: string
  readonly parameters: Readonly<Record<string, unknown>>
  readonly labels: Readonly<Record<string, string>>
  /** Whether its caller asks for a quote first, and redeems it. */
  readonly isQuoted: boolean
  /** What its caller agrees to pay. */
  readonly maxCostMicros?: number
}

export type Plan = (request: number) => PlannedRequest

/** So many groups of requests, by whose label costs are added up. */
export const BATCHES = 5

/** Of twelve requests, about. */
const MODELS = { [PICTURE]: 6, [EDIT]: 3, [FILM]: 2, [OWN]: 1 }

/** A caller's own server may show the service less than it shows the provider. */
const VIDEOS_MS = {
  "2000 2000": 2,
  "5000 5000": 2,
  "9000 9000": 1,
  "4000 30000": 1,
} as const

/** Enough for anything, for some requests, and for few. */
const TERMS = { none: 8, quoted: 3, "1000000": 1, "60000": 1, "10000": 1 }

function toTerms(name: keyof typeof TERMS): Pick<PlannedRequest, "isQuoted" | "maxCostMicros"> {
  if (name === "none" || name === "quoted") return { isQuoted: name === "quoted" }
  return { isQuoted: false, maxCostMicros: Number(name) }
}

export interface PlanOptions {
  readonly seed: string
  readonly accounts: readonly AccountPlan[]
  /** Of the upstream, where reference videos lie. */
  readonly origin: string
}

export function createPlan({ accounts, origin, seed }: PlanOptions): Plan {
  const weights = Object.fromEntries(accounts.map(({ id, weight }) => [id, weight]))
  const planned = new Map<number, PlannedRequest>()
  return (request) => {
    const known = planned.get(request)
    if (known !== undefined) return known
    const made: PlannedRequest = {
      request,
      account: pickByText(`${seed}:account:${request}`, weights),
      ...toWish(request, { origin, seed }),
      labels: { request: `${request}`, batch: `${request % BATCHES}` },
      ...toTerms(pickByText(`${seed}:terms:${request}`, TERMS)),
    }
    planned.set(request, made)
    return made
  }
}

function toWish(
  request: number,
  { origin, seed }: Pick<PlanOptions, "origin" | "seed">,
): Pick<PlannedRequest, "model" | "parameters"> {
  const prompt = toPrompt(request)
  const model = pickByText(`${seed}:model:${request}`, MODELS)
  const pieces = Number(pickByText(`${seed}:pieces:${request}`, PIECES))
  if (model === PICTURE) return { model, parameters: { prompt, size: "square" } }
  if (model === OWN) return { model, parameters: { prompt, pieces } }
  if (model === EDIT) {
    return { model, parameters: { prompt, image_urls: [PIXEL], count: pieces } }
  }
  const video_urls = Array.from({ length: pieces - 1 }, (_, place) => {
    const picked = pickByText(`${seed}:video:${request}:${place}`, VIDEOS_MS)
    const [shownMs = 0, processedMs = 0] = picked.split(" ").map(Number)
    const name = `${toSecretWord(request)}-${place}`
    return toVideoUrl(origin, { shownMs, processedMs }, name)
  })
  return { model, parameters: { prompt, duration: 3 + pieces, video_urls } }
}

/** How many pictures, or one more than reference videos. */
const PIECES = { "1": 2, "2": 2, "3": 2, [MOST_PIECES]: 3 }

/** The least picture that there is to edit. */
const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

const PROMPT = /^the picture of request (\d+): ([0-9a-f]+)$/

/** By its prompt a stored task is known to be of this request. */
export function toPrompt(request: number): string {
  return `the picture of request ${request}: ${toSecretWord(request)}`
}

/** Stands in the request's prompt and nowhere else. */
export function toSecretWord(request: number): string {
  return hash("sha256", `the secret of request ${request}`).slice(0, 32)
}

/** The request whose prompt this is; undefined for any other. */
export function fromPrompt(prompt: string): number | undefined {
  const [, digits, word] = PROMPT.exec(prompt) ?? []
  const request = Number(digits)
  return word !== undefined && word === toSecretWord(request) ? request : undefined
}
