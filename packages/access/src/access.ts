/**
 * Access, put together: each question of the port by the file that answers it. Whatever is remembered
 * here is bounded, and the work that a stranger can cause too: unknown keys and unknown links wait in a
 * line each, so that a flood of one stops neither the other nor whoever is known.
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
import { toSettings, type AccessSettings } from "./defaults.ts"
import { createAuthenticate } from "./keys/authenticate.ts"
import { authorize } from "./keys/authorize.ts"
import type { IdentityStorage } from "./keys/verify-key.ts"
import { createLinkKeys } from "./links/link-keys.ts"
import { createPrivateLinks } from "./links/private-links.ts"
import { createRateLimiter } from "./rates/rate-limiter.ts"

/** The parts of a `Storage` that are asked. */
export type AccessStorage = IdentityStorage & LinkStorage & RateStorage

export interface AccessOptions {
  /** Keys, accounts, rates and what private links rest on. */
  readonly storage: AccessStorage
  /** Says what a link's task is; an engine does. */
  readonly service: Pick<TaskService, "findLinked">
  /** Processes that share a storage must agree on when a key or a link ends: hand in `engine.clock`. */
  readonly clock: Pick<Clock, "now" | "monotonicNow">
  readonly settings?: Partial<AccessSettings>
}

/** Throws `invalid-configuration` on a setting that is no positive integer. */
export function createAccess(options: AccessOptions): Access {
  const { storage, service, clock } = options
  const settings = toSettings(options.settings)
  const unknownKeys = createLine("unknown API keys", settings)
  const unknownLinks = createLine("private links", settings)
  const keys = createLinkKeys({ storage, clock, settings })
  return {
    authenticate: createAuthenticate({ storage, clock, settings, unknownKeys }),
    authorize,
    rateLimit: createRateLimiter({ storage, clock, settings }),
    ...createPrivateLinks({ service, storage, keys, settings, unknownLinks }),
  }
}

function createLine(name: string, settings: AccessSettings): Semaphore {
  const { lookupsAtOnce: permits, lookupsWaiting: mostWaiting } = settings
  return createSemaphore({ permits, mostWaiting, name })
}
