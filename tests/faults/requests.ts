/**
 * What clients ask for, as data: the same for the same seed and number, so that whoever judges a round
 * knows every request by its number alone. By its prompt a stored task is known to be of a request, and
 * no other text of a round holds the secret word of the prompt.
 */
import { hash } from "node:crypto"
import type { AccountPlan } from "./accounts.ts"
import { MODEL } from "./node-orders.ts"
import { pickByText } from "./random.ts"

export interface PlannedRequest {
  /** From 1. */
  readonly request: number
  readonly account: string
  readonly model: string
  readonly parameters: Readonly<Record<string, unknown>>
  readonly labels: Readonly<Record<string, string>>
}

export type Plan = (request: number) => PlannedRequest

/** So many groups of requests, by whose label costs are added up. */
const BATCHES = 5

export function createPlan(seed: string, accounts: readonly AccountPlan[]): Plan {
  const weights = Object.fromEntries(accounts.map(({ id, weight }) => [id, weight]))
  const planned = new Map<number, PlannedRequest>()
  return (request) => {
    const known = planned.get(request)
    if (known !== undefined) return known
    const made: PlannedRequest = {
      request,
      account: pickByText(`${seed}:account:${request}`, weights),
      model: MODEL,
      parameters: { prompt: toPrompt(request), size: "square" },
      labels: { request: `${request}`, batch: `${request % BATCHES}` },
    }
    planned.set(request, made)
    return made
  }
}

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
