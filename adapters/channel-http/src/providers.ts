/** Every provider that is declared here, in the order of their names; one missing here can't be configured. */
import type { Provider } from "./provider.ts"
import { comfyRouter } from "./providers/comfy-router.ts"
import { fal } from "./providers/fal.ts"

export const PROVIDERS: readonly Provider[] = [comfyRouter, fal]
