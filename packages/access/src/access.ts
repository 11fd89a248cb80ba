/**
 * The port `Access`, assembled: each question is answered by a file of its own. Everything remembered here is
 * bounded, and so is the work that unknown callers can cause: look-ups of unknown keys and of unknown links have a
 * semaphore each, so that a flood of one stops neither the other nor anybody who is known.
 */
import {
  createSemaphore,
  type Access,
  type Clock,
  type Semaphore,
  type LinkStorage,
  type RateStorage,
  type TaskService,
} from "@safelight/core"
import { toSettings, type AccessSettings } from "./settings/defaults.ts"
import { createAuthenticate } from "./keys/authenticate.ts"
import { authorize } from "./keys/authorize.ts"
import type { IdentityStorage } from "./keys/verify-key.ts"
import { createLinkKeys } from "./links/link-keys.ts"
import { createPrivateLinks } from "./links/private-links.ts"
import { createRateLimiter } from "./rates/rate-limiter.ts"

/** The parts of a `Storage` that are asked. */
export type AccessStorage = IdentityStorage & LinkStorage & RateStorage

export interface AccessOptions {
  /** Keys, accounts, rates, link keys and epochs. */
  readonly storage: AccessStorage
  /** Finds the task of a link; an engine implements it. */
  readonly service: Pick<TaskService, "findLinked">
  /** Processes that share a storage must agree on when a key or a link ends: hand in `engine.clock`. */
  readonly clock: Pick<Clock, "now" | "monotonicNow">
  readonly settings?: Partial<AccessSettings>
}

/** Throws `invalid-configuration`, naming the setting, if one is not a positive integer. */
export function createAccess(options: AccessOptions): Access {
  const { storage, service, clock } = options
  const settings = toSettings(options.settings)
  const unknownKeys = createLookups("unknown API keys", settings)
  const unknownLinks = createLookups("private links", settings)
  const keys = createLinkKeys({ storage, clock, settings })
  return {
    authenticate: createAuthenticate({ storage, clock, settings, unknownKeys }),
    authorize,
    rateLimit: createRateLimiter({ storage, clock, settings }),
    ...createPrivateLinks({ service, storage, keys, settings, unknownLinks }),
  }
}

function createLookups(name: string, settings: AccessSettings): Semaphore {
  const { lookupsAtOnce: permits, lookupsWaiting: mostWaiting } = settings
  return createSemaphore({ permits, mostWaiting, name })
}
