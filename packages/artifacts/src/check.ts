/**
 * Whether the storage allows all that is needed: an object is stored next to the artifacts, listed and removed,
 * and unfinished objects are listed. A wrong key, region or policy shows at the start and not with the first
 * artifact that was paid for.
 */
import { randomUUID } from "node:crypto"
import type { ArtifactDriver } from "./driver.ts"
import { ignoreSecondFailure, translateFailure } from "./failures.ts"
import { CHECK_FOLDER } from "./keys.ts"
import { storeBody, TIDY_MS } from "./store-body.ts"

/**
 * Rejects with `artifacts-unavailable`, naming the first failure. The object is removed then too, if possible:
 * it may exist although storing it failed, if only the answer was lost.
 */
export async function checkStorage(driver: ArtifactDriver): Promise<void> {
  if (driver.check !== undefined) {
    return translateFailure(driver, async () => driver.check?.())
  }
  // A folder of its own: what another check leaves or removes meanwhile is not listed.
  const folder = `${CHECK_FOLDER}/${randomUUID()}/`
  const locator = `${folder}byte`
  await storeBody(driver, { locator, body: oneByte() })
  try {
    await translateFailure(driver, async () => {
      await askFirst(driver.list(folder, 1))
      if (driver.unfinished !== undefined) await askFirst(driver.unfinished(1))
    })
  } catch (error) {
    await driver.remove(locator, AbortSignal.timeout(TIDY_MS)).catch(ignoreSecondFailure)
    throw error
  }
  await translateFailure(driver, () => driver.remove(locator))
}

async function askFirst(items: AsyncIterable<unknown>): Promise<void> {
  const iterator = items[Symbol.asyncIterator]()
  await iterator.next()
  await iterator.return?.()
}

async function* oneByte(): AsyncGenerator<Uint8Array> {
  yield Uint8Array.of(0)
}
