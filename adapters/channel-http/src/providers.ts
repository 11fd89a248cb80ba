/** Every provider that is declared here; one missing here can't be configured. */
import type { Provider } from "./provider.ts"
import { ark } from "./providers/ark.ts"
import { comfyRouter } from "./providers/comfy-router.ts"
import { fal } from "./providers/fal.ts"
import { higgsfield } from "./providers/higgsfield.ts"
import { replicate } from "./providers/replicate.ts"

export const PROVIDERS: readonly Provider[] = [
  // In the order of their names.
  ark,
  comfyRouter,
  fal,
  higgsfield,
  replicate,
]
