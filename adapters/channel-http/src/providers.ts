/** Every provider that is declared here, in the order of their names; one missing here can't be configured. */
import type { Provider } from "./provider.ts"
import { blackForestLabs } from "./providers/black-forest-labs.ts"
import { fal } from "./providers/fal.ts"
import { gemini } from "./providers/gemini.ts"
import { openai } from "./providers/openai.ts"
import { runware } from "./providers/runware.ts"
import { xai } from "./providers/xai.ts"

export const PROVIDERS: readonly Provider[] = [blackForestLabs, fal, gemini, openai, runware, xai]
