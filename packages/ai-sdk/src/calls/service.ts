/** What every call of one provider shares. */
import type { SafelightSettings } from "../create-safelight.ts"
import type { ModelCache } from "./model-cache.ts"

export interface Service extends SafelightSettings {
  readonly models: ModelCache
}
