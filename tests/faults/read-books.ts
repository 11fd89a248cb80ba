/** What each account is told of its books by a node, once nothing changes them any more. */
import { setTimeout as pause } from "node:timers/promises"
import type { AccountPlan } from "./accounts.ts"
import type { Desk } from "./desk.ts"
import { ask, type Target } from "./http-calls.ts"
import type { Balance, Book, Usage } from "./judge-books.ts"
import { BATCHES } from "./requests.ts"

/** Past every moment to which a round sets a clock: each charge is in the period. */
const PERIOD_MS = 400 * 86_400_000
const RETRY_MS = 100

export async function readBooks(
  target: Target,
  desk: Pick<Desk, "createKey">,
  accounts: readonly AccountPlan[],
): Promise<readonly Book[]> {
  const to = Math.floor((Date.now() + PERIOD_MS) / 1_000)
  const books: Book[] = []
  for (const { id: account } of accounts) {
    const { key } = await desk.createKey(account)
    const read = <Body>(path: string): Promise<Body> => insist(target, key, path)
    const balance = await read<Balance>("/v1/balance")
    const usage = await read<Usage>(`/v1/usage?to=${to}`)
    const batches = new Map<string, Usage>()
    for (let batch = 0; batch < BATCHES; batch += 1) {
      const path = `/v1/usage?to=${to}&label=${encodeURIComponent(`batch=${batch}`)}`
      batches.set(`${batch}`, await read<Usage>(path))
    }
    books.push({ account, balance, usage, batches })
  }
  return books
}

/** Its suspension may have ended a moment ago. */
async function insist<Body>(target: Target, key: string, path: string): Promise<Body> {
  const { signal } = new AbortController()
  for (;;) {
    const answer = await ask({ target, path, key, signal })
    if (answer?.status === 200) return answer.body as Body
    if (answer !== null && answer.status !== 403 && answer.status !== 503) {
      throw new Error(`${path} was answered ${answer.status}`)
    }
    await pause(RETRY_MS)
  }
}
