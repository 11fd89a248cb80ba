/** Every stub by the name of its provider. */
import { ARK } from "./ark/ark.ts"
import { BLACK_FOREST_LABS } from "./black-forest-labs/black-forest-labs.ts"
import { COMFY_ROUTER } from "./comfy-router/comfy-router.ts"
import { COMFYUI } from "./comfyui/comfyui.ts"
import { FAL } from "./fal/fal.ts"
import { GEMINI } from "./gemini/gemini.ts"
import { HIGGSFIELD } from "./higgsfield/higgsfield.ts"
import { KLING } from "./kling/kling.ts"
import { OPENAI } from "./openai/openai-images.ts"
import { REPLICATE } from "./replicate/replicate.ts"
import type { RunningStub, StubOptions } from "./frame/running-stub.ts"
import { RUNWARE } from "./runware/runware.ts"
import { startStub } from "./frame/start-stub.ts"
import { STABILITY } from "./stability/stability.ts"
import type { StubDefinition } from "./frame/stub-definition.ts"
import { XAI } from "./xai/xai.ts"

const DEFINITIONS: Readonly<Record<string, StubDefinition>> = {
  ark: ARK,
  "black-forest-labs": BLACK_FOREST_LABS,
  "comfy-router": COMFY_ROUTER,
  comfyui: COMFYUI,
  fal: FAL,
  gemini: GEMINI,
  higgsfield: HIGGSFIELD,
  kling: KLING,
  openai: OPENAI,
  replicate: REPLICATE,
  runware: RUNWARE,
  stability: STABILITY,
  xai: XAI,
}

export const STUBS: Readonly<Record<string, (options?: StubOptions) => Promise<RunningStub>>> =
  Object.fromEntries(
    Object.entries(DEFINITIONS).map(([name, definition]) => [
      name,
      (options?: StubOptions) => startStub(definition, options),
    ]),
  )
