/**
 * The `ArtifactStorage` of a driver: locators, hashing, restoring, ranges, marks and sweeps are here, once for
 * every storage. Several processes may use one storage, each with a driver of its own.
 */
import { isArtifactLocator, type ArtifactStorage } from "@safelight/core"
import { checkStorage } from "./check.ts"
import type { ArtifactDriver, UnfinishedObject } from "./driver.ts"
import { toStorageError, translateFailure } from "./failures.ts"
import { toTaskPrefix } from "./keys.ts"
import { markStorage } from "./mark.ts"
import { openArtifact } from "./open-artifact.ts"
import { putArtifact, restoreArtifact } from "./store-body.ts"

export interface ArtifactStorageOptions {
  /** How long what a put has begun may stand still before a sweep removes it. */
  readonly staleAfterMs?: number
}

export const DEFAULTS = {
  /** 24 h: as long as orphans of a finished task stay, far beyond any time-out. */
  staleAfterMs: 24 * 60 * 60 * 1000,
} as const

export function createArtifactStorage(
  driver: ArtifactDriver,
  { staleAfterMs = DEFAULTS.staleAfterMs }: ArtifactStorageOptions = {},
): Required<ArtifactStorage> {
  return {
    put: (request) => putArtifact(driver, request),
    open: (request) => openArtifact(driver, request),
    restore: (request) => restoreArtifact(driver, request),
    async remove(locator) {
      if (!isArtifactLocator(locator)) return
      await translateFailure(driver, () => driver.remove(locator))
    },
    async list(task) {
      const locators: string[] = []
      for await (const locator of listLocators(driver, toTaskPrefix(task))) locators.push(locator)
      return locators
    },
    listAll: () => listLocators(driver, ""),
    mark: (proposed) => markStorage(driver, proposed),
    check: () => checkStorage(driver),
    sweepIncoming: (now) => sweepUnfinished(driver, now - staleAfterMs),
  }
}

/** What is under another key is not ours and is not shown. */
async function* listLocators(driver: ArtifactDriver, prefix: string): AsyncGenerator<string> {
  try {
    for await (const key of driver.list(prefix)) {
      if (key.startsWith(prefix) && isArtifactLocator(key)) yield key
    }
  } catch (error) {
    throw toStorageError(driver, error)
  }
}

/** Removes what has stood still since `before`, the last moment included; resolves to how much was there. */
function sweepUnfinished(driver: ArtifactDriver, before: number): Promise<number> {
  return translateFailure(driver, async () => {
    const stale: UnfinishedObject[] = []
    for await (const object of driver.unfinished?.() ?? []) {
      if (object.at <= before) stale.push(object)
    }
    let count = 0
    for (const object of stale) {
      if (await object.remove()) count += 1
    }
    return count
  })
}
