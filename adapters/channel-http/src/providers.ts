/** Every built-in provider. The name in its declaration is its type in a configuration. */
import { ark } from "./providers/ark.ts"
import { blackForestLabs } from "./providers/black-forest-labs.ts"
import { comfyRouter } from "./providers/comfy-router.ts"
import { fal } from "./providers/fal.ts"
import { gemini } from "./providers/gemini.ts"
import { higgsfield } from "./providers/higgsfield.ts"
import { kling } from "./providers/kling.ts"
import { openai } from "./providers/openai.ts"
import { replicate } from "./providers/replicate.ts"
import { runware } from "./providers/runware.ts"
import { safelight } from "./providers/safelight.ts"
import { stability } from "./providers/stability.ts"
import { xai } from "./providers/xai.ts"

export const PROVIDERS = {
  ark,
  blackForestLabs,
  comfyRouter,
  fal,
  gemini,
  higgsfield,
  kling,
  openai,
  replicate,
  runware,
  safelight,
  stability,
  xai,
} as const
