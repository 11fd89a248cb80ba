/**
 * Keys that can't be looked up now and then, as when the one connection that was to answer is lost: the
 * look-up rejects, by chance, while everything else of the storage works.
 */
import { SafelightError, type KeyStorage } from "@safelight/core"
import { createRandom } from "./random.ts"

/** So many look-ups, and one of them rejects. */
const FAILED_EACH = 4

/** The storage, but for that; which look-ups reject is told from the seed. */
export function withFailingKeys<Storage extends Pick<KeyStorage, "findKey">>(
  storage: Storage,
  seed: string,
): Storage {
  const random = createRandom(seed)
  return {
    ...storage,
    findKey(id) {
      if (random.integer(1, FAILED_EACH) > 1) return storage.findKey(id)
      const message = "the key can't be looked up"
      const error = new SafelightError({ code: "storage-unavailable", message, retryable: true })
      return Promise.reject(error)
    },
  }
}
