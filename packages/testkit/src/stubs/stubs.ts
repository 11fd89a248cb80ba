/** Every stub by the name of its provider. */
import { startArkStub } from "./ark/ark.ts"
import { startBlackForestLabsStub } from "./black-forest-labs/black-forest-labs.ts"
import { startComfyRouterStub } from "./comfy-router/comfy-router.ts"
import { startComfyUiStub } from "./comfyui/comfyui.ts"
import { startFalStub } from "./fal/fal.ts"
import { startGeminiStub } from "./gemini/gemini.ts"
import { startHiggsfieldStub } from "./higgsfield/higgsfield.ts"
import { startOpenAiStub } from "./openai/openai-images.ts"
import { startReplicateStub } from "./replicate/replicate.ts"
import type { RunningStub, StubOptions } from "./running-stub.ts"
import { startRunwareStub } from "./runware/runware.ts"
import { startXaiStub } from "./xai/xai.ts"

export const STUBS: Readonly<Record<string, (options?: StubOptions) => Promise<RunningStub>>> = {
  ark: startArkStub,
  "black-forest-labs": startBlackForestLabsStub,
  "comfy-router": startComfyRouterStub,
  comfyui: startComfyUiStub,
  fal: startFalStub,
  gemini: startGeminiStub,
  higgsfield: startHiggsfieldStub,
  openai: startOpenAiStub,
  replicate: startReplicateStub,
  runware: startRunwareStub,
  xai: startXaiStub,
}
