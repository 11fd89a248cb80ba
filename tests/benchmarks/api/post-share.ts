/** What is lost of POST's throughput for an account of which something is told, beside another account. */
import autocannon from "autocannon"
import { SAMPLE_REQUEST } from "../../support/sample-request.ts"
import { median } from "../measure.ts"

const { model, parameters } = SAMPLE_REQUEST
export const POST_BODY = JSON.stringify({ model, parameters })

export interface Caller {
  readonly url: string
  readonly key: string
}

export interface Rounds {
  readonly rounds: number
  readonly seconds: number
  /** Resolves once nothing of what a round caused is still to be done. */
  readonly settle?: () => Promise<void>
}

/** POSTs answered in a second. */
export async function postPerS({ url, key }: Caller, duration: number): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const requests = [{ method: "POST", path: "/v1/tasks", headers, body: POST_BODY } as const]
  const result = await autocannon({ url, connections: 64, duration, requests })
  if (result.non2xx > 0) throw new Error(`${result.non2xx} were refused`)
  return result.requests.average
}

/** In turns; the first round warms. */
export async function measurePostShare(
  plain: Caller,
  told: Caller,
  { rounds, seconds, settle }: Rounds,
): Promise<number> {
  const shares: number[] = []
  for (let round = 0; round <= rounds; round += 1) {
    const without = await postPerS(plain, seconds)
    const withNews = await postPerS(told, seconds)
    await settle?.()
    if (round > 0) shares.push(1 - withNews / without)
  }
  return median(shares)
}
